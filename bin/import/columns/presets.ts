import type { DetailsMapping, Mapping, MemberSource } from './mapping.ts';

/** Finds the columns of an export of a payment provider by the header of the file. */
export type Preset = (columns: readonly string[], container: string | undefined) => Mapping;

const column = (name: string): MemberSource => ({ kind: 'column', column: name });

function detailsOf(
  container: string | undefined,
  columns: readonly string[],
  members: Readonly<Record<string, string>>,
): { readonly details?: DetailsMapping } {
  if (container === undefined) return {};
  const present = Object.entries(members).filter(([, name]) => columns.includes(name));
  return { details: { container, columns: new Map(present) } };
}

const STRIPE_CARD = ['card.number', 'card.exp_month', 'card.exp_year'] as const;

const STRIPE_DETAILS = {
  name: 'card.name',
  email: 'email',
  address_line1: 'card.address_line1',
  address_line2: 'card.address_line2',
  address_city: 'card.address_city',
  address_state: 'card.address_state',
  address_zip: 'card.address_zip',
  address_country: 'card.address_country',
  transaction_ids: 'card.transaction_ids',
};

const stripe: Preset = (columns, container) => {
  const [number, month, year] = STRIPE_CARD;
  return {
    type: 'card',
    id: 'card.id',
    data: new Map([
      ['number', column(number)],
      ['expiration_month', column(month)],
      ['expiration_year', column(year)],
    ]),
    metadata: new Map([['customer', 'id']]),
    constants: {},
    required: ['id', 'card.id', ...STRIPE_CARD],
    ...detailsOf(container, columns, STRIPE_DETAILS),
    emptyWithoutToken: ['card.id', ...STRIPE_CARD],
  };
};

const BRAINTREE_DETAILS = {
  name: 'credit_card.cardholder_name',
  first_name: 'first_name',
  last_name: 'last_name',
  company: 'company',
  email: 'email',
  phone: 'phone',
  address_line1: 'address.street_address',
  address_line2: 'address.extended_address',
  address_city: 'address.locality',
  address_state: 'address.region',
  address_zip: 'address.postal_code',
  address_country: 'address.country_name',
};

const BRAINTREE_DATES = ['credit_card.expiration_date', 'credit_card.expiration'] as const;
const BRAINTREE_PARTS = ['credit_card.expiration_month', 'credit_card.expiration_year'] as const;

const braintree: Preset = (columns, container) => {
  const date = BRAINTREE_DATES.find((name) => columns.includes(name));
  const [month, year] = BRAINTREE_PARTS;
  const hasParts = date === undefined && BRAINTREE_PARTS.some((name) => columns.includes(name));
  const written = date ?? BRAINTREE_DATES[0];
  const expiration: readonly (readonly [string, MemberSource])[] = hasParts
    ? [
        ['expiration_month', column(month)],
        ['expiration_year', column(year)],
      ]
    : [
        ['expiration_month', { kind: 'expiration', part: 'month', column: written }],
        ['expiration_year', { kind: 'expiration', part: 'year', column: written }],
      ];
  const card = ['credit_card.token', 'credit_card.number', ...(hasParts ? BRAINTREE_PARTS : [written])];
  return {
    type: 'card',
    id: 'credit_card.token',
    data: new Map([['number', column('credit_card.number')], ...expiration]),
    metadata: new Map([['customer', 'id']]),
    constants: {},
    required: ['id', ...card],
    emptyWithoutToken: card,
    ...detailsOf(container, columns, BRAINTREE_DETAILS),
  };
};

export const PRESETS = { stripe, braintree } as const satisfies Readonly<Record<string, Preset>>;
