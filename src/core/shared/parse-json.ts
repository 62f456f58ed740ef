import { endOfString, isMemberName } from './json-strings.ts';
import type { Json } from './json.ts';
import { walkJson, type JsonVisitor } from './walk-json.ts';

function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1;) {
    // Skips to the end of the string that contains this backslash, which is its first.
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
/** V8 makes a longer substring a view, which would keep the whole text in memory. */
const COPIED_LENGTH = 12;

/** Builds the value of a text during a walk. */
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
    // An assignment would set the prototype.
    else if (this.#name === '__proto__')
      Object.defineProperty(inside, '__proto__', {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
    else inside[this.#name] = value;
  }
}

/**
 * `JSON.parse` without a defect of V8 in Node.js 24 (nodejs/node#63785), by which data of one
 * tenant would rename members of another's (docs/decisions/0014). The messages of its
 * `SyntaxError`s differ.
 */
export function parseJson(text: string): Json {
  // V8 reads names without an escape correctly.
  if (!hasEscapedName(text)) return JSON.parse(text) as Json;
  const builder = new Builder(text);
  walkJson(text, builder);
  return builder.value as Json;
}
