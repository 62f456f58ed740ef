import { validationError } from './dynamodb-error.ts';

/** Names a value of the request (`:name`), a place in the item, or the number of elements there. */
export type Operand =
  | { readonly placeholder: string }
  | { readonly path: readonly string[] }
  | { readonly sizeOf: readonly string[] };
export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A condition of DynamoDB, as far as the adapters of the service write them. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'compare'; readonly by: Comparator; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'between'; readonly value: Operand; readonly from: Operand; readonly to: Operand }
  | { readonly kind: 'in'; readonly value: Operand; readonly list: readonly Operand[] }
  | { readonly kind: 'exists' | 'missing'; readonly path: readonly string[] }
  | { readonly kind: 'begins'; readonly value: Operand; readonly prefix: Operand };

/**
 * The new value that an attribute gets: `otherwise` if the item does not have it at `path` already.
 */
export type Assigned = Operand | { readonly path: readonly string[]; readonly otherwise: Operand };

export interface Update {
  readonly set: readonly { readonly name: string; readonly value: Assigned }[];
  readonly removed: readonly string[];
}

export interface Parsed<T> {
  readonly parsed: T;
  /** The names (`#x`) and values (`:x`) of the request that the expression uses. */
  readonly uses: ReadonlySet<string>;
}

const TOKEN = /\s*(?:([A-Za-z_#:][\w#:]*)|(<>|<=|>=|[=<>(),.]))/y;
/** An expression has at most so many bytes. */
const EXPRESSION_MAX_BYTES = 4_096;
const COMPARATORS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const [, word, sign] = TOKEN.exec(text) ?? [];
    if (word === undefined && sign === undefined)
      throw validationError(`cannot read the expression: ${text}`);
    tokens.push(word ?? sign ?? '');
  }
  return tokens;
}

/** Reads the tokens of one expression, from left to right. */
class Reader {
  readonly uses = new Set<string>();
  readonly #tokens: readonly string[];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  isDone = (): boolean => this.#at === this.#tokens.length;

  /** Compares with the next token, whatever its case. */
  isNext = (token: string): boolean => this.#tokens[this.#at]?.toUpperCase() === token;

  /** Goes on if the next token is this one. */
  accept(token: string): boolean {
    const isNext = this.isNext(token);
    if (isNext) this.#at += 1;
    return isNext;
  }

  expect(token: string): void {
    if (!this.accept(token)) this.fail();
  }

  /** Reads the end of parentheses. DynamoDB refuses those that contain only parentheses. */
  close(): void {
    const end = this.#at;
    this.expect(')');
    const isDoubled = this.#tokens[end - 1] === ')' && this.#openingOf(end - 1) === this.#openingOf(end) + 1;
    if (isDoubled) throw validationError(`the expression has redundant parentheses: ${this.#text}`);
  }

  #openingOf(end: number): number {
    let depth = 0;
    for (let at = end; at >= 0; at -= 1) {
      if (this.#tokens[at] === ')') depth += 1;
      if (this.#tokens[at] === '(') depth -= 1;
      if (depth === 0) return at;
    }
    return this.fail();
  }

  next(): string {
    const token = this.#tokens[this.#at] ?? this.fail();
    this.#at += 1;
    return token;
  }

  /** Whether a function's name is next, that is, a word before a parenthesis. */
  isCall = (): boolean => this.#tokens[this.#at + 1] === '(' && /^[a-z]/.test(this.#tokens[this.#at] ?? '');

  path(): readonly string[] {
    const path = [this.#name()];
    while (this.accept('.')) path.push(this.#name());
    return path;
  }

  #name(): string {
    const name = this.next();
    if (!/^#?\w+$/.test(name)) this.fail();
    if (name.startsWith('#')) this.uses.add(name);
    return name;
  }

  operand(): Operand {
    if (this.isCall()) return this.#size();
    if (this.#tokens[this.#at]?.startsWith(':') !== true) return { path: this.path() };
    const placeholder = this.next();
    this.uses.add(placeholder);
    return { placeholder };
  }

  #size(): Operand {
    this.expect('SIZE');
    this.expect('(');
    const sizeOf = this.path();
    this.expect(')');
    return { sizeOf };
  }

  fail(): never {
    throw validationError(`the stores in memory do not know this expression: ${this.#text}`);
  }
}

function call(reader: Reader): Condition {
  const name = reader.next();
  reader.expect('(');
  const condition = argumentsOf(reader, name);
  reader.expect(')');
  return condition;
}

function argumentsOf(reader: Reader, name: string): Condition {
  if (name === 'attribute_exists') return { kind: 'exists', path: reader.path() };
  if (name === 'attribute_not_exists') return { kind: 'missing', path: reader.path() };
  if (name !== 'begins_with') return reader.fail();
  const value = reader.operand();
  reader.expect(',');
  return { kind: 'begins', value, prefix: reader.operand() };
}

function comparison(reader: Reader): Condition {
  const left = reader.operand();
  if (reader.accept('BETWEEN')) {
    const from = reader.operand();
    reader.expect('AND');
    return { kind: 'between', value: left, from, to: reader.operand() };
  }
  if (reader.accept('IN')) {
    reader.expect('(');
    const list = [reader.operand()];
    while (reader.accept(',')) list.push(reader.operand());
    reader.expect(')');
    return { kind: 'in', value: left, list };
  }
  const by = reader.next();
  if (!COMPARATORS.has(by)) return reader.fail();
  return { kind: 'compare', by: by as Comparator, left, right: reader.operand() };
}

function single(reader: Reader): Condition {
  if (reader.accept('NOT')) return { kind: 'not', part: single(reader) };
  if (reader.isCall() && !reader.isNext('SIZE')) return call(reader);
  if (!reader.accept('(')) return comparison(reader);
  const inner = alternatives(reader);
  reader.close();
  return inner;
}

function conjunction(reader: Reader): Condition {
  const first = single(reader);
  const parts = [first];
  while (reader.accept('AND')) parts.push(single(reader));
  return parts.length === 1 ? first : { kind: 'and', parts };
}

function alternatives(reader: Reader): Condition {
  const first = conjunction(reader);
  const parts = [first];
  while (reader.accept('OR')) parts.push(conjunction(reader));
  return parts.length === 1 ? first : { kind: 'or', parts };
}

function assigned(reader: Reader): Assigned {
  if (!reader.accept('IF_NOT_EXISTS')) return reader.operand();
  reader.expect('(');
  const path = reader.path();
  reader.expect(',');
  const otherwise = reader.operand();
  reader.expect(')');
  return { path, otherwise };
}

function update(reader: Reader): Update {
  const set: Update['set'][number][] = [];
  const removed: string[] = [];
  const name = (): string => {
    const [first = '', second] = reader.path();
    return second === undefined ? first : reader.fail();
  };
  if (reader.accept('SET'))
    do {
      const changed = name();
      reader.expect('=');
      set.push({ name: changed, value: assigned(reader) });
    } while (reader.accept(','));
  if (reader.accept('REMOVE'))
    do removed.push(name());
    while (reader.accept(','));
  if (set.length + removed.length === 0) reader.fail();
  return { set, removed };
}

/** The adapters write a few dozen texts, and some more with as many values as a call has. */
const REMEMBERED_MAX = 1_000;

function remembering<T>(parse: (reader: Reader) => T): (text: string) => Parsed<T> {
  const known = new Map<string, Parsed<T>>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (Buffer.byteLength(text) > EXPRESSION_MAX_BYTES) throw validationError('the expression is too long');
    const reader = new Reader(text);
    const parsed = { parsed: parse(reader), uses: reader.uses };
    if (!reader.isDone()) reader.fail();
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(text, parsed);
    return parsed;
  };
}

/** Throws for what the adapters do not write: the stores in memory would guess what it means. */
export const parseCondition = remembering(alternatives);
export const parseUpdate = remembering(update);
