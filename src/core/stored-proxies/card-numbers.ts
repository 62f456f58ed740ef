import { encodeFormValue } from '../proxy-expressions/form-encoding.ts';
import { parseJson } from '../shared/parse-json.ts';
import { JsonSyntaxError, walkJson, type JsonVisitor } from '../shared/walk-json.ts';
import { passesLuhn } from '../tokens/types/passes-luhn.ts';
import {
  cardNumbers,
  CardSearch,
  DIGITS_MAX,
  DIGITS_MIN,
  kindsInForm,
  PREFIX_DIGITS,
  prefixLengths,
  type OnRead,
} from './card-search.ts';
import { replaceAt, replaceEach, type JsonEdit, type TextRange } from './json-places.ts';

/** Replaces every card number in the names and values of a form. */
export function maskCardNumbersInForm(form: string, replacement: string, onRead: OnRead): string {
  const json = encodeFormValue(replacement);
  const found = cardNumbers(
    new CardSearch(form, onRead),
    form,
    { start: 0, end: form.length },
    kindsInForm(),
  );
  return replaceEach(form, found, () => json);
}

const replaced = (text: string, found: readonly TextRange[], replacement: string): string =>
  replaceEach(text, found, () => replacement);

/**
 * Replaces every card number in a text: 12 to 19 digits that pass the Luhn check, with the first
 * digits and the length of a known network. Takes linear time.
 *
 * - Digits of any script count. Up to four characters of any kind except letters may be between two
 *   digits.
 * - A number begins and ends where a run of digits does, so that longer identifiers remain. Zeros
 *   may be before it. A number that other digits touch is not found.
 * - Numbers that overlap are replaced together, because each may be the real one.
 * - Percent encoding and references of HTML are decoded, in addition.
 * - A UUID remains. Any other digits that look like a card number are replaced: one in twenty
 *   random numbers of 16 digits, and more of a list of decimal numbers in a text that is not JSON.
 */
export function maskCardNumbers(text: string, replacement: string, onRead: OnRead = () => undefined): string {
  const found = cardNumbers(new CardSearch(text, onRead), text, { start: 0, end: text.length });
  return found.length === 0 ? text : replaced(text, found, replacement);
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Whether the whole part of a JSON number is a card number, however the number is written. */
function isCardNumber(literal: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
  const all = `${whole}${fraction}`;
  const significant = all.replace(/^0+/, '');
  const length = whole.length + Number(exponent) - (all.length - significant.length);
  if (!(length >= DIGITS_MIN && length <= DIGITS_MAX)) return false;
  const digits = significant.slice(0, length).padEnd(length, '0');
  const bits = prefixLengths()[Number(digits.slice(0, PREFIX_DIGITS))] ?? 0;
  return (bits & (1 << length)) !== 0 && passesLuhn(digits);
}

/** Collects the edits that mask the card numbers of a JSON text. */
class CardEdits implements JsonVisitor {
  readonly edits: JsonEdit[] = [];

  readonly #search: CardSearch;

  readonly #text: string;

  readonly #replacement: string;

  readonly #literal: string;

  /** How many strings of JSON this text is inside of. */
  readonly #depth: number;

  constructor(text: string, replacement: string, search: CardSearch, depth: number) {
    this.#search = search;
    this.#text = text;
    this.#replacement = replacement;
    this.#depth = depth;
    this.#literal = JSON.stringify(replacement);
  }

  open(): void {
    // Only names and scalars have numbers.
  }

  close(): void {
    // Only names and scalars have numbers.
  }

  name(start: number, end: number, isEscaped: boolean): void {
    if (isEscaped) {
      this.#escaped(start, end);
      return;
    }
    const json = this.#literal.slice(1, -1);
    for (const found of cardNumbers(this.#search, this.#text, { start: start + 1, end: end - 1 }))
      this.edits.push({ start: found.start, end: found.end, json });
  }

  scalar(start: number, end: number, isEscaped: boolean): void {
    if (this.#text[start] === '"') this.name(start, end, isEscaped);
    else if (isCardNumber(this.#text.slice(start, end))) this.edits.push({ start, end, json: this.#literal });
  }

  #escaped(start: number, end: number): void {
    // No escape sequence makes a text longer.
    if (end - start < DIGITS_MIN) return;
    const value = parseJson(this.#text.slice(start, end));
    if (typeof value !== 'string') return;
    const masked = this.#maskedValue(value);
    if (masked !== value) this.edits.push({ start, end, json: JSON.stringify(masked) });
  }

  /** The value of a string, which may be JSON itself. */
  #maskedValue(value: string): string {
    try {
      if (this.#depth < INNER_MAX && LIKE_RECORD.test(value)) {
        this.#search.onRead(RECORD_UNITS);
        return maskJson(value, this.#replacement, this.#search, this.#depth + 1);
      }
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.#search.onRead(NO_JSON_UNITS);
    }
    const found = cardNumbers(this.#search, value, { start: 0, end: value.length });
    return found.length === 0 ? value : replaced(value, found, this.#replacement);
  }
}

/** A text that can be an object or an array. */
const LIKE_RECORD = /^\s*(?:\{[^]*\}|\[[^]*\])\s*$/;

/** A text that looks like JSON and is none costs so many code units that are read. */
const NO_JSON_UNITS = 2_000;
/** A record of JSON costs so many code units besides its text. */
const RECORD_UNITS = 120;

/** How deep JSON inside strings of JSON is read as JSON. Each level doubles its backslashes. */
const INNER_MAX = 4;

const BYTE_ORDER_MARK = '\ufeff';

function maskJson(text: string, replacement: string, search: CardSearch, depth = 0): string {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const json = text.slice(mark.length);
  const edits = new CardEdits(json, replacement, search, depth);
  walkJson(json, edits);
  return edits.edits.length === 0 ? text : mark + replaceAt(json, edits.edits);
}

/**
 * Replaces every card number in the strings, member names and numbers of a JSON text, as
 * {@link maskCardNumbers} does, and changes nothing else. Strings that are JSON are read as such. A
 * number becomes a string if its whole part is a card number. Throws `JsonSyntaxError` for a text
 * that is not JSON.
 */
export const maskCardNumbersInJson = (
  text: string,
  replacement: string,
  onRead: OnRead = () => undefined,
): string => maskJson(text, replacement, new CardSearch(text, onRead));

/** A line, without the mark that begins a record in JSON text sequences (RFC 7464). */
const RECORD = /[^\n\u001e]+/g; // oxlint-disable-line no-control-regex -- it is part of the format.

/**
 * Replaces every card number in texts of JSON that follow each other; other lines are text.
 */
export function maskCardNumbersInRecords(text: string, replacement: string, onRead: OnRead): string {
  const search = new CardSearch(text, onRead);
  const edits: JsonEdit[] = [];
  for (const { index: start, 0: line } of text.matchAll(RECORD)) {
    const end = start + line.length;
    if (line.length < DIGITS_MIN) continue;
    const isLikely = LIKE_RECORD.test(line);
    if (isLikely) onRead(RECORD_UNITS);
    const masked = isLikely ? maskedRecord(line, replacement, search) : undefined;
    if (masked !== undefined) edits.push({ start, end, json: masked });
    else {
      if (isLikely) onRead(NO_JSON_UNITS);
      for (const found of cardNumbers(search, text, { start, end }))
        edits.push({ start: found.start, end: found.end, json: replacement });
    }
  }
  return replaceAt(text, edits);
}

/** A record without its card numbers; `undefined` for a line that is not JSON. */
function maskedRecord(line: string, replacement: string, search: CardSearch): string | undefined {
  try {
    return maskJson(line, replacement, search);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
