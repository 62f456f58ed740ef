import { cardRanges, type CardBrand } from '../tokens/types/card-brand.ts';
import { hasEscapes, TextDecoding } from './decoded-text.ts';
import type { TextRange } from './json-places.ts';

/** The fewest digits that a card number can have (ISO/IEC 7812-1). */
export const DIGITS_MIN = 12;
export const DIGITS_MAX = 19;
/** How many characters may be between two digits of a number. */
const SEPARATORS_MAX = 4;
/** How many digits of a number decide which lengths it may have. */
export const PREFIX_DIGITS = 4;

/** How many digits the numbers of a network have or had. Other lengths are no cards. */
const LENGTHS: Readonly<Record<CardBrand, readonly number[]>> = {
  visa: [13, 16, 18, 19],
  mastercard: [16],
  'american-express': [15],
  'diners-club': [14, 15, 16, 17, 18, 19],
  discover: [16, 17, 18, 19],
  troy: [16],
  jcb: [15, 16, 17, 18, 19],
  unionpay: [13, 14, 15, 16, 17, 18, 19],
  naranja: [16],
  verve: [16, 18, 19],
  maestro: [12, 13, 14, 15, 16, 17, 18, 19],
  elo: [16],
  mir: [16, 17, 18, 19],
  hiper: [16],
  hipercard: [13, 16, 19],
  rupay: [16],
};

let lengthsByPrefix: Int32Array | undefined;

/** Returns the possible lengths by the first four digits, each as a bit. */
export function prefixLengths(): Int32Array {
  if (lengthsByPrefix !== undefined) return lengthsByPrefix;
  const lengths = new Int32Array(10 ** PREFIX_DIGITS);
  for (const { brand, from, to } of cardRanges().toReversed()) {
    const bits = LENGTHS[brand].reduce((sum, length) => sum | (1 << length), 0);
    const isExact = from.length <= PREFIX_DIGITS;
    const first = Number(from.slice(0, PREFIX_DIGITS).padEnd(PREFIX_DIGITS, '0'));
    const last = Number(to.slice(0, PREFIX_DIGITS).padEnd(PREFIX_DIGITS, '9'));
    // The shortest prefixes come first, so that longer ones replace what these say.
    for (let prefix = first; prefix <= last; prefix += 1)
      lengths[prefix] = isExact ? bits : (lengths[prefix] ?? 0) | bits;
  }
  lengthsByPrefix = lengths;
  return lengths;
}

/**
 * The role that a UTF-16 code unit has in a number; digits are smaller. Digits beyond the BMP, such
 * as the bold ones of mathematics, are two units and not found.
 */
const SEPARATOR = 10;
const OTHER = 11;
const CODE_UNITS = 0x10000;

let kindsByUnit: Uint8Array | undefined;

function unitKinds(): Uint8Array {
  if (kindsByUnit !== undefined) return kindsByUnit;
  const kinds = new Uint8Array(CODE_UNITS).fill(SEPARATOR);
  let digits = 0;
  for (let unit = 0; unit < CODE_UNITS; unit += 1) {
    const character = String.fromCharCode(unit);
    if (/\p{Nd}/u.test(character)) {
      // Unicode has the digits of each script together, from zero to nine.
      kinds[unit] = digits % 10;
      digits += 1;
    } else if (/[\p{L}\p{N}]/u.test(character)) kinds[unit] = OTHER;
  }
  kindsByUnit = kinds;
  return kinds;
}

/** How many digits are remembered: a power of two above the longest number. */
const REMEMBERED = 32;
const SLOT = REMEMBERED - 1;

const doubled = (digit: number): number => (digit > 4 ? digit * 2 - 9 : digit * 2);

const NONE: readonly TextRange[] = [];

/**
 * Called before so many code units are searched once more, without escape sequences, and with what
 * else costs as much.
 */
export type OnRead = (units: number) => void;

/**
 * Finds card numbers digit by digit; it remembers only as many digits as a number can have. It is
 * made once for a text, as JSON can have a hundred thousand strings.
 */
export class CardSearch {
  readonly decoding = new TextDecoding();

  readonly onRead: OnRead;

  /** The body that is searched, of which all other texts are parts. */
  readonly #body: string;

  readonly #hasSigns: boolean;

  constructor(body: string, onRead: OnRead) {
    this.onRead = onRead;
    this.#body = body;
    this.#hasSigns = body.includes('%') || body.includes('&');
  }

  #found: TextRange[] = [];

  readonly #lengths = prefixLengths();

  readonly #digits = new Uint8Array(REMEMBERED);

  readonly #positions = new Int32Array(REMEMBERED);

  /** Whether a number may start at a digit. */
  readonly #isStart = new Uint8Array(REMEMBERED);

  /**
   * Sums before each digit: those with every even digit doubled, and those with every odd one. The
   * Luhn check of a number is a difference of two of them.
   */
  readonly #sums = [new Int32Array(REMEMBERED), new Int32Array(REMEMBERED)] as const;

  #count = 0;

  #hasOnlyZeros = false;

  /** False for a text without any character that begins an escape sequence: the whole body. */
  mayHaveEscapes(text: string): boolean {
    return text !== this.#body || this.#hasSigns;
  }

  /** Returns the numbers since the last call, in order, and forgets all digits. */
  take(): readonly TextRange[] {
    this.reset();
    const found = this.#found;
    if (found.length === 0) return NONE;
    this.#found = [];
    return found;
  }

  /** Forgets all digits: a number cannot continue. */
  reset(): void {
    this.#count = 0;
  }

  digit(digit: number, at: number): void {
    const slot = this.#count & SLOT;
    const isNext = this.#count > 0 && this.#positions[(this.#count - 1) & SLOT] === at - 1;
    if (!isNext) this.#hasOnlyZeros = true;
    this.#isStart[slot] = this.#hasOnlyZeros ? 1 : 0;
    this.#hasOnlyZeros &&= digit === 0;
    this.#digits[slot] = digit;
    this.#positions[slot] = at;
    const isOdd = this.#count % 2;
    const next = (this.#count + 1) & SLOT;
    for (const parity of [0, 1] as const) {
      const sums = this.#sums[parity];
      // The first sum may be any, as only differences count.
      sums[next] = (sums[slot] ?? 0) + (isOdd === parity ? doubled(digit) : digit);
    }
    this.#count += 1;
  }

  /** Looks for numbers that end with the last digit, which no other digit follows. */
  end(): void {
    const end = this.#count;
    const sums = this.#sums[(end % 2) as 0 | 1];
    for (let length = Math.min(DIGITS_MAX, end); length >= DIGITS_MIN; length -= 1) {
      const start = (end - length) & SLOT;
      const sum = (sums[end & SLOT] ?? 0) - (sums[start] ?? 0);
      if (this.#isStart[start] === 0 || sum % 10 !== 0 || !this.#isIssued(end - length, length)) continue;
      this.#add(this.#positions[start] ?? 0, (this.#positions[(end - 1) & SLOT] ?? 0) + 1);
    }
  }

  #isIssued(start: number, length: number): boolean {
    let prefix = 0;
    for (let at = start; at < start + PREFIX_DIGITS; at += 1)
      prefix = prefix * 10 + (this.#digits[at & SLOT] ?? 0);
    return ((this.#lengths[prefix] ?? 0) & (1 << length)) !== 0;
  }

  /** Adds a number. With those that overlap it is one, because each may be the real one. */
  #add(from: number, end: number): void {
    let start = from;
    for (let last = this.#found.at(-1); last !== undefined && last.end > start; last = this.#found.at(-1)) {
      start = Math.min(start, last.start);
      this.#found.pop();
    }
    this.#found.push({ start, end });
  }
}

/** A UUID is no card number, though one in a thousand has digits that could be one. */
const UUID = /(?:(?<![\da-z])|(?<=%[\da-f]{2}))[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\da-z])/iy;
const UUID_LENGTH = 36;

const DASH = 0x2d;
/** Where a UUID has its first dash. Few texts have one there, and need the expression. */
const FIRST_DASH = 8;

/** Whether a UUID contains a range of a text. */
function isInUuid(text: string, { start, end }: TextRange): boolean {
  for (let at = Math.max(0, end - UUID_LENGTH); at <= start; at += 1) {
    if (text.charCodeAt(at + FIRST_DASH) !== DASH) continue;
    UUID.lastIndex = at;
    if (UUID.test(text)) return true;
  }
  return false;
}

/** Finds the card numbers in a part of a text as it stands, in order. */
function writtenNumbers(
  search: CardSearch,
  text: string,
  { start, end }: TextRange,
  kinds: Uint8Array,
): readonly TextRange[] {
  let separators = 0;
  let wasDigit = false;
  for (let at = start; at < end; at += 1) {
    const kind = kinds[text.charCodeAt(at)] ?? OTHER;
    const isDigit = kind < SEPARATOR;
    if (wasDigit && !isDigit) search.end();
    wasDigit = isDigit;
    if (isDigit) {
      search.digit(kind, at);
      separators = 0;
    } else {
      separators += 1;
      if (kind === OTHER || separators > SEPARATORS_MAX) search.reset();
    }
  }
  if (wasDigit) search.end();
  const all = search.take();
  return all.some((found) => isInUuid(text, found)) ? all.filter((found) => !isInUuid(text, found)) : all;
}

/** Ranges in order, of which those that overlap are one. */
function joined(one: readonly TextRange[], other: readonly TextRange[]): readonly TextRange[] {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one;
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of [...one, ...other].toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/**
 * Finds the card numbers in a part of a text, in order: as it stands, and without the escape
 * sequences of addresses and of markup.
 */
export function cardNumbers(
  search: CardSearch,
  text: string,
  { start, end }: TextRange,
  kinds: Uint8Array = unitKinds(),
): readonly TextRange[] {
  if (end - start < DIGITS_MIN) return [];
  const found = writtenNumbers(search, text, { start, end }, kinds);
  const isDigit = (unit: number): boolean => (kinds[unit] ?? OTHER) < SEPARATOR;
  if (!search.mayHaveEscapes(text) || !hasEscapes(text, { start, end }, DIGITS_MIN, isDigit)) return found;
  search.onRead(end - start);
  const isForm = kinds === formKinds;
  const { text: decoded, positions } = search.decoding.decode(text, start, end, isForm);
  const more = writtenNumbers(search, decoded, { start: 0, end: decoded.length }, unitKinds());
  return joined(
    found,
    more.map((each) => ({ start: positions.startOf(each.start), end: positions.endOf(each.end - 1) })),
  );
}

let formKinds: Uint8Array | undefined;

/** The role of each code unit in a form: a separator of its names and values ends a number. */
export function kindsInForm(): Uint8Array {
  if (formKinds !== undefined) return formKinds;
  const kinds = Uint8Array.from(unitKinds());
  for (const separator of '&=') kinds[separator.charCodeAt(0)] = OTHER;
  formKinds = kinds;
  return kinds;
}
