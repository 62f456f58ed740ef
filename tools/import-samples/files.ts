import { sampleCard, sampleNumber, type SampleCard } from './cards.ts';

/** A row has cells by the names of its columns. */
type Row = Readonly<Record<string, string>>;

/** Quotes a cell as RFC 4180 says. */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const line = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\n`;

/** The text of a csv file. A row has the cells of these columns, empty ones where it lacks them. */
export function* csvLines(columns: readonly string[], rows: Iterable<Row>): Generator<string> {
  yield line(columns);
  for (const row of rows) yield line(columns.map((column) => row[column] ?? ''));
}

/** https://docs.stripe.com/get-started/data-migrations/export-file-formats names them. */
export const STRIPE_COLUMNS = [
  'description',
  'name',
  'email',
  'id',
  'card.address_city',
  'card.address_country',
  'card.address_line1',
  'card.address_line2',
  'card.address_state',
  'card.address_zip',
  'card.exp_month',
  'card.exp_year',
  'card.id',
  'card.name',
  'card.number',
  'default_source',
  'card.transaction_ids',
] as const;

export const stripeRow = ({ customer, id, holder, number, month, year }: SampleCard): Row => ({
  name: holder,
  email: `${customer}@example.com`,
  id: customer,
  'card.address_country': 'US',
  'card.address_line1': '1 Main Street',
  'card.exp_month': String(month),
  'card.exp_year': String(year),
  'card.id': id,
  'card.name': holder,
  'card.number': number,
  default_source: id,
  'card.transaction_ids': `{"visa":"${id.slice(-8)}"}`,
});

/** The export and import pages of Braintree name them. */
export const BRAINTREE_COLUMNS = [
  'id',
  'first_name',
  'last_name',
  'company',
  'email',
  'phone',
  'fax',
  'website',
  'credit_card.token',
  'credit_card.cardholder_name',
  'credit_card.number',
  'credit_card.expiration_date',
] as const;

const braintreeRow = ({ customer, id, holder, number, month, year }: SampleCard): Row => ({
  id: customer.slice(4),
  first_name: 'Holder',
  last_name: holder.slice(7),
  email: `${customer}@example.com`,
  'credit_card.token': id.slice(5),
  'credit_card.cardholder_name': holder,
  'credit_card.number': number,
  'credit_card.expiration_date': `${String(month).padStart(2, '0')}/${String(year)}`,
});

const SHOP_COLUMNS = ['user_id', 'payment_ref', 'pan', 'expires', 'loyalty_tier'] as const;

const shopRow = ({ customer, id, number, month, year }: SampleCard): Row => ({
  user_id: customer.slice(4),
  payment_ref: id.slice(5),
  pan: number,
  expires: `${String(year)}-${String(month).padStart(2, '0')}`,
  loyalty_tier: 'gold',
});

/** Its names say which column has which member of a token. */
const SHOP_MAP = `# Members of our tokens, and the columns of shop.csv that have them.
source: shop
id: payment_ref
type: card
data:
  number: pan
  expiration: expires
metadata:
  customer: user_id
`;

const WRONG_NUMBER = '4242424242424241';
const GOOD_ROWS = 6;

/**
 * Cards of which each has one fault, as real exports have them. Their ids name the fault. The last
 * two are no fault: a past expiry, and a holder whose name is hostile to csv and to spreadsheets.
 */
function oddCards(): readonly SampleCard[] {
  const base = (index: number, id: string): SampleCard => ({ ...sampleCard(index), id: `card_${id}` });
  return [
    { ...base(100, 'check_digit'), number: WRONG_NUMBER },
    { ...base(101, 'dashes'), number: '4242-4242-4242-4242' },
    { ...base(102, 'blanks'), number: '5555 5555 5555 4444' },
    { ...base(103, 'masked'), number: '424242******4242' },
    { ...base(104, 'empty'), number: '' },
    { ...base(105, 'month'), month: 13 },
    { ...sampleCard(0), number: sampleNumber(106) },
    { ...base(107, 'expired'), year: 2019 },
    { ...base(108, 'hostile'), holder: '=HYPERLINK("http://evil.example";"a")\n,"' },
  ];
}

const cards = (): readonly SampleCard[] => [
  ...Array.from({ length: GOOD_ROWS }, (_, index) => sampleCard(index)),
  ...oddCards(),
];

/** Another vault has its own ids, and types that have the names of ours. */
const vaultLines = (): readonly object[] => [
  {
    id: 'tok_bank_1',
    type: 'bank',
    data: { routing_number: '021000021', account_number: '000123456789' },
    metadata: { customer: '7' },
  },
  { id: 'tok_ssn_1', type: 'social_security_number', data: '078-05-1120', containers: ['/pii/high/'] },
  { id: 'tok_name_1', type: 'token', data: 'Jörg "Joe" Müller' },
  { id: 'tok_json_1', type: 'token', data: { passport: { number: 'C01X00T47', country: 'DE' } } },
  { id: 'tok_wrong_1', type: 'bank', data: { routing_number: '123456789', account_number: '1' } },
  { type: 'token', data: 'without an id' },
  { id: 'tok_unknown_1', type: 'iban', data: 'DE89370400440532013000' },
];

/** The sample files of examples/import, by their names. */
export function sampleFiles(): ReadonlyMap<string, string> {
  const all = cards();
  const csv = (columns: readonly string[], rows: readonly Row[]) => [...csvLines(columns, rows)].join('');
  const customerOnly = { id: '00000009', first_name: 'No', last_name: 'Card', email: 'none@example.com' };
  return new Map([
    ['stripe.csv', csv([...STRIPE_COLUMNS, 'metadata.plan'], all.map(stripeRow))],
    ['braintree.csv', csv(BRAINTREE_COLUMNS, [...all.map(braintreeRow), customerOnly])],
    ['shop.csv', csv(SHOP_COLUMNS, all.map(shopRow))],
    ['shop.yaml', SHOP_MAP],
    [
      'other-vault.ndjson',
      vaultLines()
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    ],
  ]);
}
