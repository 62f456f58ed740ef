import { SourcePositions } from './source-positions.ts';

/** A text without some escape sequences, and where each of its code units was. */
export interface DecodedText {
  readonly text: string;
  readonly positions: Pick<SourcePositions, 'startOf' | 'endOf'>;
}

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const SPACE = 0x20;
const LETTER_A = 0x61;
const LETTER_X = 0x78;
const LETTER_Z = 0x7a;
const ZERO = 0x30;
const NINE = 0x39;
/** Sets the bit that makes a letter of ASCII lower-case. */
const LOWER_CASE = 0x20;
/** Replaces all characters beyond the BMP, of which none counts as a digit. */
const REPLACEMENT = 0xfffd;
const BMP_MAX = 0xffff;

/** The references of HTML by name that browsers read without a semicolon, and separate digits. */
const OPEN_NAMES = ['nbsp', 'shy', 'middot', 'amp'] as const;
/** How many letters and digits a name of HTML has that is read here. */
const NAME_MAX_LENGTH = 10;

const isLetter = (unit: number): boolean =>
  (unit | LOWER_CASE) >= LETTER_A && (unit | LOWER_CASE) <= LETTER_Z;

/**
 * Where a reference by name ends whose name starts at a position; -1 if there is none. Whatever it
 * names counts as what stands between groups of digits.
 */
function endOfName(text: string, start: number): number {
  if (!isLetter(text.charCodeAt(start))) return NO_DIGIT;
  let at = start + 1;
  while (at - start <= NAME_MAX_LENGTH) {
    const unit = text.charCodeAt(at);
    if (unit === SEMICOLON) return at + 1;
    if (!isLetter(unit) && !(unit >= ZERO && unit <= NINE)) break;
    at += 1;
  }
  const open = OPEN_NAMES.find((name) => text.startsWith(name, start));
  return open === undefined ? NO_DIGIT : start + open.length;
}

const NO_DIGIT = -1;
/** A text is made in pieces of so many code units. */
const PIECE_UNITS = 65_536;

function digitAt(text: string, at: number, base: 10 | 16): number {
  const unit = text.charCodeAt(at);
  if (unit >= ZERO && unit <= NINE) return unit - ZERO;
  const letter = (unit | LOWER_CASE) - 0x61;
  return base === 16 && letter >= 0 && letter < 6 ? letter + 10 : NO_DIGIT;
}

/** The meaning of an escape sequence, and where it ends. */
interface Escape {
  readonly code: number;
  readonly end: number;
}

/** The byte of `%XX` at a position; -1 if there is none. */
function percentByte(text: string, at: number): number {
  if (text.charCodeAt(at) !== PERCENT) return NO_DIGIT;
  const high = digitAt(text, at + 1, 16);
  const low = digitAt(text, at + 2, 16);
  return high === NO_DIGIT || low === NO_DIGIT ? NO_DIGIT : high * 16 + low;
}

/** A character in percent encoding, of one byte or of several in UTF-8. */
function percentEscape(text: string, at: number): Escape | undefined {
  const first = percentByte(text, at);
  if (first === NO_DIGIT) return undefined;
  const more = first < 0xc2 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 0;
  let code = more === 0 ? first : first & (0x3f >> more);
  for (let index = 1; index <= more; index += 1) {
    const next = percentByte(text, at + index * 3);
    if (next >> 6 !== 2) return { code: first, end: at + 3 };
    code = (code << 6) | (next & 0x3f);
  }
  return { code, end: at + (more + 1) * 3 };
}

/** Reads a reference of HTML or XML. */
function reference(text: string, at: number): Escape | undefined {
  if (text.charCodeAt(at + 1) !== HASH) {
    const end = endOfName(text, at + 1);
    return end === NO_DIGIT ? undefined : { code: SPACE, end };
  }
  const isHexadecimal = (text.charCodeAt(at + 2) | LOWER_CASE) === LETTER_X;
  const [base, first] = isHexadecimal ? ([16, at + 3] as const) : ([10, at + 2] as const);
  let code = 0;
  let end = first;
  for (let digit = digitAt(text, end, base); digit !== NO_DIGIT; digit = digitAt(text, end, base)) {
    code = Math.min(code * base + digit, BMP_MAX + 1);
    end += 1;
  }
  if (end === first) return undefined;
  return { code, end: text.charCodeAt(end) === SEMICOLON ? end + 1 : end };
}

function escapeAt(text: string, at: number): Escape | undefined {
  const unit = text.charCodeAt(at);
  if (unit === PERCENT) return percentEscape(text, at);
  return unit === AMPERSAND ? reference(text, at) : undefined;
}

const bmpUnit = (code: number): number => (code > BMP_MAX ? REPLACEMENT : code);

/**
 * A separator of the values of a form ends a number, as a letter does; encoded it separates digits.
 */
const formUnit = (unit: number): number => (unit === AMPERSAND || unit === EQUALS ? LETTER_X : unit);

/**
 * Decodes the escape sequences by which digits, and what is between them, are written in addresses
 * and in markup: percent encoding, and references of HTML and XML. It is made once for a text, as
 * JSON can have a hundred thousand strings, and a result is valid until the next one.
 */
export class TextDecoding {
  readonly #units = new Uint16Array(PIECE_UNITS);

  readonly #positions = new SourcePositions();

  /** Decodes a part of a text, which may be a form. Takes linear time. */
  decode(text: string, start: number, end: number, isForm: boolean): DecodedText {
    const units = this.#units;
    const positions = this.#positions;
    positions.clear();
    const pieces: string[] = [];
    let done = 0;
    let length = 0;
    let all = 0;
    const flush = (): void => {
      // Most texts have one byte for each code unit, and cost half as much then.
      const piece = units.subarray(0, length);
      pieces.push(
        all < 256
          ? Buffer.from(piece).toString('latin1')
          : Buffer.from(piece.buffer, 0, length * 2).toString('utf16le'),
      );
      done += length;
      [length, all] = [0, 0];
    };
    // The first unit says where the text begins.
    if (start > 0) positions.add(-1, 0, start);
    for (let at = start; at < end; length += 1) {
      if (length === PIECE_UNITS) flush();
      const escape = isForm ? percentEscape(text, at) : escapeAt(text, at);
      const isWhole = escape !== undefined && escape.end <= end;
      const code = isWhole ? escape.code : text.charCodeAt(at);
      const unit = isForm && !isWhole ? formUnit(code) : bmpUnit(code);
      units[length] = unit;
      all |= unit;
      if (isWhole) {
        positions.add(done + length, at, escape.end);
        at = escape.end;
      } else at += 1;
    }
    flush();
    return { text: pieces.join(''), positions };
  }
}

/**
 * Whether a part of a text has an escape sequence, and so many digits, of which any escape sequence
 * may be one.
 */
export function hasEscapes(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  digits: number,
  isDigit: (unit: number) => boolean,
): boolean {
  let count = 0;
  let isEscaped = false;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (isDigit(unit)) count += 1;
    else if ((unit === PERCENT || unit === AMPERSAND) && escapeAt(text, at) !== undefined) {
      isEscaped = true;
      count += 1;
    }
    if (isEscaped && count >= digits) return true;
  }
  return false;
}
