import { endOfString, isMemberName } from './json-strings.ts';
import type { Json } from './json.ts';
import { walkJson, type JsonVisitor } from './walk-json.ts';

/** Whether a JSON text has a member name with an escape in it. */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1;) {
    // To the end of the string whose first backslash this is.
    const close = endOfString(text, at - 1);
    if (isMemberName(text, close)) return true;
    at = text.indexOf('\\', close);
  }
  return false;
}

type Members = Record<string, unknown>;

const QUOTE = '"';
const LITERALS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['t', true],
  ['f', false],
  ['n', null],
]);
/** V8 makes a view of a longer piece of a text, which would keep the whole text in memory. */
const COPIED_LENGTH = 12;

/** Makes the value of a text while it is walked. */
class Builder implements JsonVisitor {
  readonly #text: string;

  readonly #around: (Members | unknown[])[] = [];

  #inside: Members | unknown[] | undefined;

  #name = '';

  value: unknown = null;

  constructor(text: string) {
    this.#text = text;
  }

  open(isObject: boolean): void {
    const container = isObject ? {} : [];
    this.#put(container);
    if (this.#inside !== undefined) this.#around.push(this.#inside);
    this.#inside = container;
  }

  close(): void {
    this.#inside = this.#around.pop();
  }

  name(start: number, end: number, isEscaped: boolean): void {
    this.#name = this.#string(start, end, isEscaped);
  }

  scalar(start: number, end: number, isEscaped: boolean): void {
    const first = this.#text.charAt(start);
    const literal = LITERALS.get(first);
    if (literal !== undefined) this.#put(literal);
    else if (first === QUOTE) this.#put(this.#string(start, end, isEscaped || end - start > COPIED_LENGTH));
    else this.#put(Number(this.#text.slice(start, end)));
  }

  #string(start: number, end: number, isParsed: boolean): string {
    return isParsed
      ? (JSON.parse(this.#text.slice(start, end)) as string)
      : this.#text.slice(start + 1, end - 1);
  }

  #put(value: unknown): void {
    const inside = this.#inside;
    if (inside === undefined) this.value = value;
    else if (Array.isArray(inside)) inside.push(value);
    // Any other way would set the prototype.
    else if (this.#name === '__proto__')
      Object.defineProperty(inside, '__proto__', {
        ...{ value, configurable: true, enumerable: true, writable: true },
      });
    else inside[this.#name] = value;
  }
}

/**
 * The value of a JSON text that somebody else wrote: `JSON.parse`, without a defect of the V8 in
 * Node.js 24 (nodejs/node#63785). After any object with a member `\`, that V8 may read `{"\"":1}`
 * as `{"\\":1}`: it compares a name's beginning as it was written with names that it has seen, so
 * that one tenant's data changes what another's are called. Names without escapes are always read
 * right; a text that has others is walked, and only its strings are left to `JSON.parse`. Throws a
 * `SyntaxError` where `JSON.parse` does, with another message.
 */
export function parseJson(text: string): Json {
  if (!hasEscapedName(text)) return JSON.parse(text) as Json;
  const builder = new Builder(text);
  walkJson(text, builder);
  return builder.value as Json;
}
