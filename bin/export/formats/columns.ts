import { unknownName } from '../../../src/core/shared/known-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { UsageError } from '../../command-line/failures.ts';
import { printable, printableJson } from '../../command-line/show.ts';
import type { ExportedToken } from '../service.ts';
import type { Shown } from '../shown.ts';

/** The text of a cell; `undefined` if the token has no such value. */
type ReadCell = (token: ExportedToken, shown: Shown) => string | undefined;

export interface Column {
  readonly name: string;
  readonly cell: ReadCell;
}

const jsonText = (value: Json): string => printableJson(JSON.stringify(value));

/** UTF-8 has no lone surrogates, so a text with one is written as JSON. */
const exactText = (text: string): string => (text.isWellFormed() ? text : jsonText(text));

/** A value in one cell: text as it is, anything else as JSON. */
function cellOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? exactText(value) : jsonText(value);
}

const member =
  (name: string): ReadCell =>
  ({ body }) =>
    cellOf(body[name]);

const asJson =
  (name: string): ReadCell =>
  ({ body }) => {
    const { [name]: value } = body;
    return value === undefined ? undefined : jsonText(value);
  };

/** Members of data that have columns of their own, by type. */
const SPREAD: Readonly<Record<string, readonly string[]>> = {
  card: ['number', 'expiration_month', 'expiration_year'],
  bank: ['routing_number', 'account_number'],
};

const isPlain = (value: Json): boolean =>
  value === null || typeof value === 'number' || (typeof value === 'string' && value.isWellFormed());

/** Puts data into columns that together have all of it: in those of its type, or else in `json`. */
function placed({ type, body }: ExportedToken): JsonObject {
  const { data } = body;
  if (data === undefined) return {};
  if (typeof data === 'string' && data.isWellFormed()) return { value: data };
  const { [type]: names = [] } = SPREAD;
  const isSpread =
    isJsonObject(data) &&
    Object.entries(data).every(([name, value]) => names.includes(name) && isPlain(value));
  return isSpread && names.length > 0 ? data : { json: jsonText(data) };
}

const placedIn =
  (name: string): ReadCell =>
  (token) =>
    cellOf(placed(token)[name]);

const CELLS: Readonly<Record<string, ReadCell>> = {
  id: member('id'),
  type: member('type'),
  number: placedIn('number'),
  expiration_month: placedIn('expiration_month'),
  expiration_year: placedIn('expiration_year'),
  routing_number: placedIn('routing_number'),
  account_number: placedIn('account_number'),
  value: placedIn('value'),
  json: placedIn('json'),
  containers: ({ containers }) => containers.join(';'),
  metadata: asJson('metadata'),
  expires_at: member('expires_at'),
  created_at: member('created_at'),
  created_by: member('created_by'),
  modified_at: member('modified_at'),
  modified_by: member('modified_by'),
  tenant_id: member('tenant_id'),
  fingerprint: member('fingerprint'),
  fingerprint_expression: member('fingerprint_expression'),
  mask: asJson('mask'),
  search_indexes: asJson('search_indexes'),
  data: asJson('data'),
  shown: (_token, shown) => shown,
};

const DEFAULT_NAMES = [
  ...['id', 'type', 'number', 'expiration_month', 'expiration_year', 'routing_number', 'account_number'],
  ...['value', 'json', 'containers', 'metadata', 'expires_at', 'created_at'],
];

/** Reads a member of an object of a token: `data.number`, `metadata.customer`. */
function inside(place: 'data' | 'metadata', name: string): ReadCell {
  return ({ body }) => {
    const { [place]: object = null } = body;
    // A name such as `constructor` is none that an object has by itself.
    return isJsonObject(object) && Object.hasOwn(object, name) ? cellOf(object[name]) : undefined;
  };
}

function columnOf(name: string): Column {
  if (Object.hasOwn(CELLS, name)) return { name, cell: CELLS[name] as ReadCell };
  const [, place, of = ''] = /^(data|metadata)\.(.+)$/s.exec(name) ?? [];
  if (place === 'data' && of === 'cvc') throw new UsageError('--columns: no export has a cvc');
  if (place === 'data' || place === 'metadata') return { name, cell: inside(place, of) };
  const known = [...Object.keys(CELLS), 'data.NAME', 'metadata.NAME'];
  throw new UsageError(`--columns: ${printable(name)} ${unknownName(name, known)}`);
}

/**
 * The columns of a list such as `id,data.number,metadata.customer`; without one, columns that have
 * the data of every type. Throws {@link UsageError} for a column that no token has, and for one
 * that is listed twice.
 */
export function columnsOf(list: string | undefined): readonly Column[] {
  const names = list === undefined ? DEFAULT_NAMES : list.split(',').map((name) => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`--columns: ${printable(twice)} appears twice`);
  return names.map(columnOf);
}
