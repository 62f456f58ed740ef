import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { shownName } from '../core/shared/known-names.ts';
import { pathOf, type Place } from '../core/shared/member-path.ts';
import { parseJson } from '../core/shared/parse-json.ts';
import type { JsonVisitor } from '../core/shared/walk-json.ts';

/** Numbers this short are always exact unless they have an exponent. */
const EXACT_LENGTH = 15;
const NUMBER = /^-?\d/;

/** `/0+$/` would scan every run of zeros again from each of its zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/**
 * The digits of a decimal number without leading and trailing zeros, and its exponent. Equal values
 * have equal results.
 */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  return `${significant}e${String(Number(exponent) - fraction.length + digits.length - significant.length)}`;
}

/** Whether a double cannot represent a number of the text exactly (RFC 8259, section 6). */
function losesPrecision(text: string): boolean {
  const mayLose = text.length > EXACT_LENGTH || /e/i.test(text);
  if (!mayLose || !NUMBER.test(text)) return false;
  const value = Number(text);
  return !Number.isFinite(value) || decimal(String(value)) !== decimal(text);
}

/** An object or array that contains the current position. */
interface Around {
  readonly parent: Around | undefined;
  /** The names so far, to find duplicates; `undefined` for an array. */
  readonly names: Set<string> | undefined;
  /** The name or index of the current member, or of the next one. */
  member: string | number;
}

function placeOf(around: Around | undefined): Place | undefined {
  if (around === undefined) return undefined;
  const { parent, member } = around;
  const shown = typeof member === 'string' ? shownName(member) : member;
  return { parent: placeOf(parent), member: shown };
}

const QUOTE = 0x22;

/**
 * Checks a body before it is parsed, and reports what parsing would lose: numbers that a double
 * cannot represent, and duplicate members of an object.
 */
export class BodyCheck implements JsonVisitor {
  readonly #text: string;

  readonly #fields: FieldReporter;

  #around: Around | undefined;

  constructor(text: string, fields: FieldReporter) {
    this.#text = text;
    this.#fields = fields;
  }

  open(isObject: boolean): void {
    this.#count();
    this.#around = { parent: this.#around, names: isObject ? new Set() : undefined, member: -1 };
  }

  close(): void {
    this.#around = this.#around?.parent;
  }

  name(start: number, end: number, isEscaped: boolean): void {
    const around = this.#around;
    if (around?.names === undefined) return;
    const name = isEscaped
      ? (parseJson(this.#text.slice(start, end)) as string)
      : this.#text.slice(start + 1, end - 1);
    around.member = name;
    const { size } = around.names;
    if (around.names.add(name).size === size) this.#report('appears twice');
  }

  scalar(start: number, end: number): void {
    this.#count();
    if (this.#text.charCodeAt(start) === QUOTE) return;
    if (losesPrecision(this.#text.slice(start, end)))
      this.#report('is a number that cannot be stored exactly; send it as a string');
  }

  #count(): void {
    if (this.#around?.names === undefined && typeof this.#around?.member === 'number')
      this.#around.member += 1;
  }

  #report(message: string): void {
    if (!this.#fields.isFull) this.#fields.report(pathOf(placeOf(this.#around)) || 'body', message);
  }
}
