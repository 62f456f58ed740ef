import { validationFailure } from './failures.ts';
import { tableNameOf } from './requests.ts';

/** The verb of a PartiQL statement; IAM calls it `dynamodb:PartiQLInsert` and so on. */
export type Verb = 'Insert' | 'Select' | 'Update' | 'Delete';

/** IAM checks the verb and the table. */
export interface Statement {
  readonly verb: Verb;
  readonly tableName: string;
  readonly indexName?: string;
  /**
   * Set for an INSERT whose values are all `?`: the attributes, in the order of the parameters.
   * Undefined for every statement that does not run locally.
   */
  readonly attributes?: readonly string[];
}

const NAME = String.raw`(?:"(?:[^"]+)"|[A-Za-z_][A-Za-z0-9_]*)`;

/** Statements that do not run locally: only what IAM checks. */
const others: readonly (readonly [Verb, RegExp])[] = [
  [
    'Select',
    new RegExp(
      String.raw`^\s*SELECT\s.*?\bFROM\b\s*(?<table>${NAME})(?:\s*\.\s*(?<index>${NAME}))?(?<rest>.*)$`,
      'is',
    ),
  ],
  ['Update', new RegExp(String.raw`^\s*UPDATE\b\s*(?<table>${NAME})(?<rest>.*)$`, 'is')],
  ['Delete', new RegExp(String.raw`^\s*DELETE\s+FROM\b\s*(?<table>${NAME})(?<rest>.*)$`, 'is')],
];

interface Token {
  readonly kind: 'text' | 'name' | 'word' | 'number' | 'sign';
  /** Without its quotation marks; a word in upper case. */
  readonly value: string;
  /** A word as it is written. */
  readonly raw: string;
}

const BLANK = /(?:\s|--[^\n]*|\/\*[^]*?\*\/)+/y;
const TOKEN =
  /(?<text>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")*")|(?<word>[A-Za-z_$][\w$]*)|(?<number>[+-]?\d[\w.+-]*)|(?<sign><<|>>|[?{}[\],:;.*])/y;

function unquoted(raw: string): string {
  const quote = raw.slice(0, 1);
  return raw.slice(1, -1).replaceAll(quote + quote, quote);
}

const malformed = (why: string): Error =>
  validationFailure(`Statement wasn't well formed, can't be processed: ${why}`);

function tokenOf({ text, name, word, number, sign }: Readonly<Record<string, string | undefined>>): Token {
  if (text !== undefined) return { kind: 'text', value: unquoted(text), raw: text };
  if (name !== undefined) return { kind: 'name', value: unquoted(name), raw: name };
  if (word !== undefined) return { kind: 'word', value: word.toUpperCase(), raw: word };
  if (number !== undefined) return { kind: 'number', value: number, raw: number };
  return { kind: 'sign', value: sign ?? '', raw: sign ?? '' };
}

function tokensOf(statement: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    BLANK.lastIndex = at;
    at += BLANK.exec(statement)?.[0].length ?? 0;
    if (at === statement.length) return tokens;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(statement);
    if (match === null) throw malformed('unexpected character');
    at += match[0].length;
    tokens.push(tokenOf(match.groups ?? {}));
  }
}

/** Reads tokens in their order. */
class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Consumes the next token if it is this sign or word. */
  takes(value: string): boolean {
    const token = this.#tokens[this.#at];
    const isIt = token?.value === value && (token.kind === 'sign' || token.kind === 'word');
    if (isIt) this.#at += 1;
    return isIt;
  }

  require(value: string): void {
    if (!this.takes(value)) throw malformed(`expected ${value}`);
  }

  next(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw malformed('unexpected end');
    this.#at += 1;
    return token;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }
}

const LITERALS = ['TRUE', 'FALSE', 'NULL', 'MISSING'];
/** The signs that surround PartiQL's collections without keys. */
const COLLECTIONS = [
  ['[', ']'],
  ['<<', '>>'],
] as const;

/** Calls `element` for each element of a collection that begins before the reader. */
function eachUntil(reader: Reader, end: string, element: () => void): void {
  if (reader.takes(end)) return;
  do element();
  while (reader.takes(','));
  reader.require(end);
}

/** The attributes of a tuple, up to its end, and whether all of their values are `?`. */
function tupleIn(reader: Reader): { readonly attributes: readonly string[]; readonly isBound: boolean } {
  const attributes: string[] = [];
  let isBound = true;
  eachUntil(reader, '}', () => {
    const key = reader.next();
    if (key.kind === 'name' || key.kind === 'word')
      throw validationFailure('Tuple keys must be of type String.');
    if (key.kind !== 'text') throw malformed('expected an attribute');
    if (attributes.includes(key.value)) throw validationFailure(`Duplicate keys in tuple. Key: ${key.value}`);
    attributes.push(key.value);
    reader.require(':');
    if (!reader.takes('?')) {
      isBound = false;
      skipValue(reader);
    }
  });
  return { attributes, isBound };
}

/** Any value: it is checked and not read. */
function skipValue(reader: Reader): void {
  if (reader.takes('?')) return;
  if (reader.takes('{')) {
    tupleIn(reader);
    return;
  }
  for (const [begin, end] of COLLECTIONS)
    if (reader.takes(begin)) {
      eachUntil(reader, end, () => {
        skipValue(reader);
      });
      return;
    }
  const { kind, value } = reader.next();
  if (kind !== 'text' && kind !== 'number' && !(kind === 'word' && LITERALS.includes(value)))
    throw malformed('expected a value');
}

function tableIn(reader: Reader): string {
  const { kind, value, raw } = reader.next();
  if (kind !== 'name' && (kind !== 'word' || value === 'VALUE')) throw malformed('expected a table');
  return kind === 'name' ? value : raw;
}

/** What follows `INSERT`. */
function insertIn(reader: Reader): Statement {
  reader.require('INTO');
  const tableName = tableNameOf(tableIn(reader));
  if (reader.takes('.'))
    throw validationFailure(
      'FROM clause may only contain a single table name in data manipulation statements',
    );
  reader.require('VALUE');
  const tuple = reader.takes('{') ? tupleIn(reader) : undefined;
  if (tuple === undefined) skipValue(reader);
  // Clauses that do not run locally, and are not checked.
  const hasClause = reader.takes('ON') || reader.takes('RETURNING');
  if (!hasClause) {
    reader.takes(';');
    if (!reader.isAtEnd) throw malformed('unexpected text at the end');
  }
  const isInsert = tuple?.isBound === true && !hasClause;
  return { verb: 'Insert', tableName, ...(isInsert && { attributes: tuple.attributes }) };
}

/**
 * Parses verb and table, and the attributes of `INSERT INTO "table" VALUE {'a': ?, 'b': ?}`. Throws
 * AwsError ValidationException for an unknown verb, or an INSERT that is not PartiQL.
 */
export function parseStatement(text: string): Statement {
  for (const [verb, shape] of others) {
    const { table, index } = shape.exec(text)?.groups ?? {};
    if (table === undefined) continue;
    return {
      verb,
      tableName: tableNameOf(table.replaceAll('"', '')),
      ...(index !== undefined && { indexName: index.replaceAll('"', '') }),
    };
  }
  const reader = new Reader(tokensOf(text));
  reader.require('INSERT');
  return insertIn(reader);
}
