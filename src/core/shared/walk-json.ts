/**
 * Receives the parts of a JSON text during a walk. Positions are in UTF-16 code units; those of a
 * string include its quotes.
 */
export interface JsonVisitor {
  /** Called at the start of an object or array, with the position of its bracket. */
  open(isObject: boolean, start: number): void;
  /** Called for the name of the member whose value comes next. */
  name(start: number, end: number, isEscaped: boolean): void;
  /** Called for a string, number, `true`, `false` or `null`. */
  scalar(start: number, end: number, isEscaped: boolean): void;
  /** Called at the end of the innermost object or array, with the position after its bracket. */
  close(end: number): void;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Added to an opening bracket it is the closing one. */
const TO_CLOSE = 2;
const SPACE = 0x20;
const LETTER_A = 0x61;
const LETTER_E = 0x65;
const LETTER_F = 0x66;
const LETTER_T = 0x74;
const LETTER_U = 0x75;
/** Follows the last unit of a text. */
const END = 0;
/** The bit by which a capital letter of ASCII differs from the small one. */
const CASE = 0x20;
/**
 * White space that may separate the tokens of JSON, in addition to spaces (RFC 8259, section 2).
 */
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reports a text that is not JSON, at a position in UTF-16 code units. The message does not quote
 * it, since it may be sensitive data.
 */
export class JsonSyntaxError extends SyntaxError {
  readonly at: number;

  constructor(at: number) {
    super('The text is not JSON.');
    this.at = at;
  }
}

/*
 * The functions below read the code units of a text. They take the position of a part, return the
 * one after it, and throw where it is wrong. After the last unit is a 0, which no rule of JSON
 * allows, so no function reads further.
 */

type Units = Uint16Array;

const UTF_8 = new TextEncoder();
/** The length from which an encoder is faster than a loop. */
const LONG = 512;

/**
 * Copies a text, because a string looks up its kind each time that it returns a unit, which takes
 * several times as long. The bytes of a text in UTF-8 are its units if it is ASCII alone. Browsers
 * run this too, and have no `Buffer`.
 */
function unitsOf(text: string): Units {
  const { length } = text;
  const units = new Uint16Array(length + 1);
  const bytes = length < LONG ? undefined : UTF_8.encode(text);
  if (bytes?.length === length) units.set(bytes);
  else for (let at = 0; at < length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE;

function isHexDigit(unit: number): boolean {
  const letter = unit | CASE;
  return isDigit(unit) || (letter >= LETTER_A && letter <= LETTER_F);
}

function afterSpace(units: Units, start: number): number {
  let at = start;
  for (;;) {
    const unit = units[at];
    if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) return at;
    at += 1;
  }
}

/** Has a 1 at each unit that may follow a backslash alone. */
const SHORT_ESCAPES = new Uint8Array(LETTER_U);
for (const character of '"\\/bfnrt') SHORT_ESCAPES[character.charCodeAt(0)] = 1;

function afterEscape(units: Units, start: number): number {
  const unit = units[start] ?? END;
  if (SHORT_ESCAPES[unit] === 1) return start + 1;
  if (unit !== LETTER_U) throw new JsonSyntaxError(start);
  for (let at = start + 1; at <= start + 4; at += 1)
    if (!isHexDigit(units[at] ?? END)) throw new JsonSyntaxError(start);
  return start + 5;
}

/** A plain run ends at a quote, a backslash or a control character. */
function afterPlain(units: Units, start: number): number {
  let at = start;
  for (;;) {
    const unit = units[at] ?? END;
    if (unit < SPACE || unit === QUOTE || unit === BACKSLASH) return at;
    at += 1;
  }
}

/** Reads the rest of a string in which an escape sequence may be next. */
function afterString(units: Units, start: number): number {
  let at = start;
  for (;;) {
    at = afterPlain(units, at);
    const unit = units[at];
    if (unit === QUOTE) return at + 1;
    // The text ends here, or has a control character.
    if (unit !== BACKSLASH) throw new JsonSyntaxError(at);
    at = afterEscape(units, at + 1);
  }
}

function afterDigits(units: Units, start: number): number {
  let at = start;
  while (isDigit(units[at] ?? END)) at += 1;
  if (at === start) throw new JsonSyntaxError(at);
  return at;
}

function afterNumber(units: Units, start: number): number {
  let at = units[start] === MINUS ? start + 1 : start;
  at = units[at] === ZERO ? at + 1 : afterDigits(units, at);
  if (units[at] === POINT) at = afterDigits(units, at + 1);
  if (((units[at] ?? END) | CASE) !== LETTER_E) return at;
  const sign = units[at + 1];
  return afterDigits(units, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
}

const TRUE = unitsOf('true');
const FALSE = unitsOf('false');
const NULL = unitsOf('null');

function afterLiteral(units: Units, start: number, literal: Units): number {
  const { length } = literal;
  for (let index = 0; index < length - 1; index += 1)
    if (units[start + index] !== literal[index]) throw new JsonSyntaxError(start);
  return start + length - 1;
}

function afterWord(units: Units, start: number): number {
  const unit = units[start];
  if (unit === LETTER_T) return afterLiteral(units, start, TRUE);
  return afterLiteral(units, start, unit === LETTER_F ? FALSE : NULL);
}

/** Walks over one text. */
class JsonWalk {
  readonly #units: Units;

  readonly #visitor: JsonVisitor | undefined;

  /** The objects (`true`) and arrays (`false`) that have begun. */
  readonly #begun: boolean[] = [];

  /** Says which is the innermost of them. */
  #inside: boolean | undefined;

  constructor(text: string, visitor: JsonVisitor | undefined) {
    this.#units = unitsOf(text);
    this.#visitor = visitor;
  }

  /**
   * Walks the whole text. It does not recurse, so that a hostile depth cannot exhaust the stack.
   */
  whole(): void {
    let at: number | undefined = 0;
    while (at !== undefined) at = this.#end(this.#begin(at));
  }

  /** Reads the beginnings of values, up to one that has no members. */
  #begin(start: number): number {
    const units = this.#units;
    let at = start;
    for (;;) {
      if (this.#inside === true) at = this.#name(at);
      at = afterSpace(units, at);
      const unit = units[at] ?? END;
      if (unit !== OPEN_OBJECT && unit !== OPEN_LIST) return this.#scalar(at, unit);
      this.#visitor?.open(unit === OPEN_OBJECT, at);
      at = afterSpace(units, at + 1);
      if (units[at] === unit + TO_CLOSE) {
        at += 1;
        this.#visitor?.close(at);
        return at;
      }
      this.#inside = unit === OPEN_OBJECT;
      this.#begun.push(this.#inside);
    }
  }

  /** Reads the ends of values, up to a comma, or `undefined` at the end of the text. */
  #end(start: number): number | undefined {
    const units = this.#units;
    let at = start;
    for (;;) {
      at = afterSpace(units, at);
      if (this.#inside === undefined) {
        if (at < units.length - 1) throw new JsonSyntaxError(at);
        return undefined;
      }
      const unit = units[at];
      at += 1;
      if (unit === COMMA) return at;
      if (unit !== (this.#inside ? CLOSE_OBJECT : CLOSE_LIST)) throw new JsonSyntaxError(at);
      this.#begun.pop();
      this.#inside = this.#begun[this.#begun.length - 1];
      this.#visitor?.close(at);
    }
  }

  #name(from: number): number {
    const units = this.#units;
    const start = afterSpace(units, from);
    if (units[start] !== QUOTE) throw new JsonSyntaxError(start);
    const end = this.#string(start, false);
    const colon = afterSpace(units, end);
    if (units[colon] !== COLON) throw new JsonSyntaxError(colon);
    return colon + 1;
  }

  #scalar(start: number, unit: number): number {
    if (unit === QUOTE) return this.#string(start, true);
    const units = this.#units;
    const end = unit === MINUS || isDigit(unit) ? afterNumber(units, start) : afterWord(units, start);
    this.#visitor?.scalar(start, end, false);
    return end;
  }

  /** Reads a string whose opening quote is at `start`, and reports it as a scalar or a name. */
  #string(start: number, isScalar: boolean): number {
    const units = this.#units;
    const plain = afterPlain(units, start + 1);
    const isEscaped = units[plain] !== QUOTE;
    const end = isEscaped ? afterString(units, plain) : plain + 1;
    if (isScalar) this.#visitor?.scalar(start, end, isEscaped);
    else this.#visitor?.name(start, end, isEscaped);
    return end;
  }
}

/**
 * Reports the parts of a JSON text in order, and builds no value. Throws {@link JsonSyntaxError}
 * where `JSON.parse` throws (RFC 8259), after the parts before the error. Passes on the visitor's
 * errors. Without a visitor it only checks the text.
 */
export function walkJson(text: string, visitor?: JsonVisitor): void {
  new JsonWalk(text, visitor).whole();
}
