import { losesPrecision } from '../core/shared/decimal.ts';
import type { FieldReporter } from '../core/shared/field-reporter.ts';
import { shownName } from '../core/shared/known-names.ts';
import { pathOf, type MemberPlace } from '../core/shared/member-path.ts';
import { parseJson } from '../core/shared/parse-json.ts';
import type { JsonVisitor } from '../core/shared/walk-json.ts';

/** An object or array that contains the current position. */
interface ParentValue {
  readonly parent: ParentValue | undefined;
  /** The names so far, to find duplicates; `undefined` for an array. */
  readonly names: Set<string> | undefined;
  /** The name or index of the current member, or of the next one. */
  member: string | number;
}

function placeOf(around: ParentValue | undefined): MemberPlace | undefined {
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

  #around: ParentValue | undefined;

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
