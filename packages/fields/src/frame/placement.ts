import type { TokenType } from '../../../sdk/src/index.ts';
import { PLACEHOLDER, type FieldKind, type FieldPart, type Operation } from '../protocol.ts';
import { Refusal } from './refusal.ts';

/*
 * Where the value of a field may go (docs/fields.md#what-a-request-may-have). A page cannot read a
 * field, so it must not choose what others see of one either: a mask, an index, metadata or a
 * fingerprint with the value in it would tell it. And whatever the service checks about a value and
 * a text of the page together answers a question about the value, such as whether an id has a run
 * of its digits. So a request has only the members below, fields are only in `data`, and each kind
 * only where the service's own mask of the type hides it.
 */

/** A place in a request where a value will be. */
export interface Placeholder {
  readonly fieldId: string;
  readonly part: FieldPart | undefined;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Members = Readonly<Record<string, unknown>>;
type Fill = (placeholder: Placeholder) => string | number | undefined;
type KindOf = (fieldId: string) => FieldKind;

const CREATED = ['type', 'data', 'containers', 'metadata', 'expires_at'];
/**
 * A token that can be found as a duplicate confirms a guess: by its id, to a page that creates one
 * token for each expiry, before or after (docs/contract.md#deduplication).
 */
const NO_MATCH = { deduplicate_token: false };
const UPDATED = ['data', 'metadata'];
/** With more, the service's limit of a size would tell the length of a value. */
const MOST_FIELDS = 100;
const LONGEST_LITERALS = 20_000;
const CARD_EXPIRY = {
  expiration_month: ['card_expiration', 'month'],
  expiration_year: ['card_expiration', 'year'],
} as const;

/** A token without a mask: its data is shown whole, or not at all. */
const WITHOUT_MASK = 'token';

type Places = Readonly<Record<string, readonly [FieldKind, FieldPart?]>>;

/** Each type has these members for fields. The one with an empty name is `data` itself. */
const PLACES: Readonly<Record<Exclude<TokenType, typeof WITHOUT_MASK>, Places>> = {
  card: { number: ['card_number'], ...CARD_EXPIRY, cvc: ['card_cvc'] },
  card_number: { '': ['card_number'] },
  bank: { routing_number: ['routing_number'], account_number: ['account_number'] },
  us_bank_account_number: { '': ['account_number'] },
  us_bank_routing_number: { '': ['routing_number'] },
  social_security_number: { '': ['text'] },
  employer_id_number: { '': ['text'] },
};

const isPlaced = (type: unknown): type is keyof typeof PLACES =>
  typeof type === 'string' && Object.hasOwn(PLACES, type);

/**
 * An update may have these kinds. The page may have prepared the expressions of the token: one that
 * fails on some values reveals which. None sees a cvc.
 */
const UPDATABLE = { cvc: ['card_cvc'] } as const;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function placeholderOf(value: unknown): Placeholder | undefined {
  if (!isMembers(value) || !Object.hasOwn(value, PLACEHOLDER)) return undefined;
  const { [PLACEHOLDER]: fieldId, part } = value;
  return { fieldId: String(fieldId), part: part === 'month' || part === 'year' ? part : undefined };
}

/** Lists all placeholders of a request, in their order. */
export function placeholdersIn(value: unknown): readonly Placeholder[] {
  const found = placeholderOf(value);
  if (found !== undefined) return [found];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value as Members).flatMap(placeholdersIn);
}

/** The rules of a deployment that a request depends on. */
export interface Rules {
  readonly kindOf: KindOf;
  readonly fill: Fill;
}

/** A copy with all values filled in. An optional field that is empty is left out. */
function filled(value: unknown, fill: Fill): Json | undefined {
  const placeholder = placeholderOf(value);
  if (placeholder !== undefined) return fill(placeholder);
  if (Array.isArray(value)) return value.flatMap((each) => filled(each, fill) ?? []);
  if (!isMembers(value)) return value as Json;
  const entries = Object.entries(value).map(([name, each]) => [name, filled(each, fill)] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined)) as Json;
}

/** Ends a request that the page may not make. */
function refuse(message: string): never {
  throw new Refusal('not_allowed', message);
}

function requireNoFields(members: Members, names: readonly string[]): void {
  for (const name of names)
    if (placeholdersIn(members[name]).length > 0) refuse(`A field may stand in data, not in ${name}.`);
}

function requireMembers(members: Members, allowed: readonly string[], what: string): void {
  const other = Object.keys(members).find((name) => !allowed.includes(name));
  if (other === undefined) return;
  refuse(`${what} with fields has no member ${other}. Allowed: ${allowed.join(', ')}.`);
}

/** Whether a field, or a part of one, is what belongs to a place. */
function isAt(
  place: readonly [FieldKind, FieldPart?] | undefined,
  placeholder: Placeholder | undefined,
  kindOf: KindOf,
): boolean {
  if (place === undefined || placeholder === undefined) return false;
  const [kind, part] = place;
  return kindOf(placeholder.fieldId) === kind && placeholder.part === part;
}

/** Throws unless each field is at a place of its own. */
function requirePlaces(
  data: unknown,
  places: Readonly<Record<string, readonly [FieldKind, FieldPart?]>>,
  what: string,
  kindOf: KindOf,
): void {
  const isAlone = placeholderOf(data) !== undefined || !isMembers(data);
  for (const [name, value] of isAlone ? [['', data] as const] : Object.entries(data)) {
    if (placeholdersIn(value).length === 0) continue;
    const place = Object.hasOwn(places, name) ? places[name] : undefined;
    if (!isAt(place, placeholderOf(value), kindOf))
      refuse(`${what} has no such field as ${name === '' ? 'data' : `data.${name}`}.`);
  }
}

function requireAnywhere(data: unknown, kindOf: KindOf): void {
  // Only a card's cvc is deleted in time (PCI DSS 3.3.1.2).
  if (placeholdersIn(data).some(({ fieldId }) => kindOf(fieldId) === 'card_cvc'))
    refuse('A card_cvc is the cvc of a card alone.');
}

function checkedToken(members: Members, rules: Rules): Json {
  requireMembers(members, CREATED, 'A token');
  const { type, data } = members;
  requireNoFields(
    members,
    CREATED.filter((name) => name !== 'data'),
  );
  if (type === WITHOUT_MASK) requireAnywhere(data, rules.kindOf);
  else if (isPlaced(type)) requirePlaces(data, PLACES[type], `A token of the type ${type}`, rules.kindOf);
  else refuse('type is none of the types.');
  return { ...(filled(members, rules.fill) as Readonly<Record<string, Json>>), ...NO_MATCH };
}

const isToken = (value: Members): boolean => Object.hasOwn(value, 'type') && Object.hasOwn(value, 'data');

function checkedTree(value: unknown, rules: Rules): Json {
  if (placeholderOf(value) !== undefined) {
    requireAnywhere(value, rules.kindOf);
    const data = filled(value, rules.fill);
    // `null` becomes no token.
    return data === undefined ? null : { type: WITHOUT_MASK, data, ...NO_MATCH };
  }
  if (Array.isArray(value)) return value.map((each) => checkedTree(each, rules));
  if (!isMembers(value)) return value as Json;
  if (isToken(value)) return checkedToken(value, rules);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, checkedTree(each, rules)]));
}

function checkedUpdate(value: unknown, rules: Rules): Json {
  if (!isMembers(value)) refuse('An update has data.');
  requireMembers(value, UPDATED, 'An update');
  requireNoFields(value, ['metadata']);
  requirePlaces(value['data'], UPDATABLE, 'An update of a card', rules.kindOf);
  // The service refuses an update with another type: a card's mask alone never shows a cvc.
  const { data = null, metadata } = filled(value, rules.fill) as Readonly<Record<string, Json>>;
  return { type: 'card', data, ...(metadata !== undefined && { metadata }) };
}

/**
 * The body to send, with all values in it. Throws `Refusal` for a request that could tell someone
 * what is in a field.
 */
export function bodyOf(operation: Operation, value: unknown, rules: Rules): unknown {
  const { length } = placeholdersIn(value);
  if (length === 0) refuse('The request has no field.');
  if (length > MOST_FIELDS || JSON.stringify(value).length > LONGEST_LITERALS)
    refuse('The request is too large beside its fields.');
  if (operation === 'update') return checkedUpdate(value, rules);
  if (operation === 'tokenize') return checkedTree(value, rules);
  if (!isMembers(value)) refuse('A token has type and data.');
  return checkedToken(value, rules);
}
