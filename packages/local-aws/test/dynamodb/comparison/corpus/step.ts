import type { AttributeValue, Item } from '../../../../src/dynamodb/item.ts';
import { n, s } from '../../a-dynamodb.ts';

/** One request of the comparison. Steps run in order against one state. */
export interface Step {
  /** Unique: the key of the recorded response. */
  readonly name: string;
  /** The operation, as `X-Amz-Target` names it. */
  readonly call: string;
  /** A text is sent unchanged. */
  readonly input: object | string;
  /** The request is repeated from LastEvaluatedKey to the end; all pages are one response. */
  readonly allPages?: true;
  /** DynamoDB defines no order of these items: they are sorted before they are compared. */
  readonly anyOrder?: true;
}

type Rest = Pick<Step, 'allPages' | 'anyOrder'>;
type Row = readonly [title: string, call: string, input: object | string, rest?: Rest];

/** Steps whose names begin with the one of their section. */
export function section(name: string, rows: readonly Row[]): readonly Step[] {
  return rows.map(([title, call, input, rest = {}]) => ({ name: `${name}: ${title}`, call, input, ...rest }));
}

export const TO_THE_END = { allPages: true } as const;
export const ANY_ORDER = { anyOrder: true } as const;

export const list = (...elements: readonly AttributeValue[]): AttributeValue => ({ L: elements });
export const map = (members: Item): AttributeValue => ({ M: members });

/** The expressions of all steps share these placeholders. */
const values: Readonly<Record<string, object>> = {
  minusOne: n(-1),
  zero: n(0),
  one: n(1),
  two: n(2),
  three: n(3),
  five: n(5),
  fiveAgain: { N: '5.00' },
  ten: n(10),
  huge: { N: '9.9999999999999999999999999999999999999E+125' },
  empty: s(''),
  true: { BOOL: true },
  false: { BOOL: false },
  null: { NULL: true },
  byte: { B: 'AQ==' },
  bytes: { B: 'AQID' },
  higher: { B: '/g==' },
  emptyBytes: { B: '' },
  words: { SS: ['b', 'a'] },
  otherWords: { SS: ['b', 'z'] },
  digits: { NS: ['2', '1'] },
  blobs: { BS: ['Ag==', 'AQ=='] },
  list: list(n(1), s('a'), map({ deep: s('x') })),
  emptyList: list(),
  map: map({ a: n(1), inner: map({ b: s('x') }) }),
  emptyMap: map({}),
  ...Object.fromEntries(
    ['S', 'N', 'BOOL', 'NULL', 'B', 'SS', 'L', 'M', 'X'].map((type) => [`type${type}`, s(type)]),
  ),
};

/**
 * The ExpressionAttributeNames and -Values of expressions: `#x` names x, and `:x` is one of
 * `values`, or the text x.
 */
export function placeholders(...expressions: readonly string[]): object {
  const used = new Set(expressions.flatMap((expression) => expression.match(/[#:]\w+/g) ?? []));
  const names = [...used].filter((name) => name.startsWith('#')).map((name) => [name, name.slice(1)]);
  const literals = [...used]
    .filter((name) => name.startsWith(':'))
    .map((name) => [name, values[name.slice(1)] ?? s(name.slice(1))]);
  return {
    ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) as object }),
    ...(literals.length > 0 && { ExpressionAttributeValues: Object.fromEntries(literals) as object }),
  };
}

/** BatchWriteItem requests that put items, 25 at a time. */
export function putAll(name: string, TableName: string, items: readonly Item[]): readonly Step[] {
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, index) =>
    items.slice(index * 25, index * 25 + 25),
  );
  return section(
    name,
    batches.map((batch, index) => [
      `batch ${String(index + 1)} of items to begin with`,
      'BatchWriteItem',
      { RequestItems: { [TableName]: batch.map((Item) => ({ PutRequest: { Item } })) } },
    ]),
  );
}
