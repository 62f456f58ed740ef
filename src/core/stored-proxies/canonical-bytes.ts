import { SourcePositions } from './source-positions.ts';

/** UTF-8 without the escape sequences of JSON and of percent encoding, and where each byte was. */
export interface CanonicalBytes {
  /** The bytes, by {@link CLASSES}. */
  readonly bytes: Uint8Array;
  /** Returns the position in the source where a byte starts, with its escape sequence. */
  readonly startOf: (at: number) => number;
  /** Returns the position in the source after a byte. */
  readonly endOf: (at: number) => number;
}

/** The bytes of a source that has no escape sequences: each is where it was. */
export const unescapedBytes = (bytes: Uint8Array): CanonicalBytes => ({
  bytes,
  startOf: (at) => at,
  endOf: (at) => at + 1,
});

/** Memory for the result of one decoding, which the next one may use again. */
export interface DecodingRoom {
  readonly bytes: Uint8Array;
  readonly positions: SourcePositions;
}

/** Makes room for sources of at most so many bytes. */
export const decodingRoom = (length: number): DecodingRoom => ({
  bytes: new Uint8Array(length),
  positions: new SourcePositions(),
});

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const LETTER_U = 0x75;
const ESCAPE_LENGTH = 3;
const BYTE_VALUES = 256;
/** How many hexadecimal digits follow `\u`. */
const UNIT_DIGITS = 4;

/**
 * Bytes that count as the same one. Without its backslash, an escaped line feed is the letter n. A
 * form writes a space as `+`, and base64url writes `-` and `_` where base64 writes `+` and `/`.
 */
const CLASSES = Uint8Array.from({ length: BYTE_VALUES }, (_, byte) => byte);
for (const [from, to] of ['\nn', '\rr', '\tt', '\bb', '\ff', '+ ', '- ', '_/'])
  CLASSES[from?.charCodeAt(0) ?? 0] = to?.charCodeAt(0) ?? 0;

const NO_DIGIT = -1;
const DIGITS = Int8Array.from({ length: BYTE_VALUES }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? NO_DIGIT : digit;
});

/** The first six bits, by which the halves of a surrogate pair differ. */
const HIGH = 0x36;
const LOW = 0x37;
/** Code units from which UTF-8 has two bytes, and three. */
const TWO_BYTES = 0x80;
const THREE_BYTES = 0x800;
/** Encodes a code unit of two or three bytes, a half alone as UTF-8 does with other code units. */
const unitBytes = (unit: number): readonly number[] =>
  unit < THREE_BYTES
    ? [0xc0 | (unit >> 6), 0x80 | (unit & 0x3f)]
    : [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
/** Encodes two halves in the four bytes of their character. */
function pairBytes(high: number, low: number): readonly number[] {
  const point = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
  return [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f), ...unitTail(point)];
}
/** Encodes the end of a character that has three bytes or more. */
const unitTail = (point: number): readonly number[] => [0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)];
const halfOf = (one: number, two: number, three: number): number =>
  ((one & 0x0f) << 12) | ((two & 0x3f) << 6) | (three & 0x3f);

/** Bytes that UTF-8 has for one half of a surrogate pair, if it is encoded alone. */
const HALF_LENGTH = 3;

/** More backslashes before a byte count as so many. */
const SLASHES_MAX = 254;

class Decoder {
  readonly bytes: Uint8Array;

  readonly positions: SourcePositions;

  length = 0;

  /** Number of backslashes before the current position. */
  #slashes = 0;

  /** Where the last backslash starts, as an escape of a form writes it with three characters. */
  #slashStart = 0;

  constructor({ bytes, positions }: DecodingRoom) {
    this.bytes = bytes;
    this.positions = positions;
    positions.clear();
  }

  /** Decodes a whole source. Most bytes are no part of an escape sequence, and need no call. */
  pushAllOf(source: Uint8Array): void {
    const { bytes } = this;
    let { length } = this;
    for (let at = 0; at < source.length; at += 1) {
      const byte = source[at] ?? 0;
      // As in `push`, the byte may be the end of an escape sequence.
      const mayEnd = bytes[length - 2] === PERCENT || bytes[length - UNIT_DIGITS] === LETTER_U;
      if (length < UNIT_DIGITS || mayEnd || byte === BACKSLASH || this.#slashes !== 0) {
        this.length = length;
        this.push(byte, at, at + 1);
        ({ length } = this);
      } else {
        bytes[length] = CLASSES[byte] ?? 0;
        length += 1;
      }
    }
    this.length = length;
  }

  push(byte: number, start: number, end: number): void {
    if (byte === BACKSLASH) {
      this.#slashes += 1;
      this.#slashStart = start;
      return;
    }
    const { length } = this;
    this.bytes[length] = CLASSES[byte] ?? 0;
    if (this.#slashes > 0 || end - start > 1) {
      // A pair of backslashes is a backslash, and no part of what follows.
      const from = this.#slashes % 2 === 1 ? this.#slashStart : start;
      this.positions.add(length, from, end, Math.min(this.#slashes, SLASHES_MAX));
    }
    this.length = length + 1;
    this.#slashes = 0;
    if (this.bytes[length - 2] === PERCENT) this.#percent();
    else if (
      this.bytes[length - UNIT_DIGITS] === LETTER_U &&
      this.positions.slashesBefore(length - UNIT_DIGITS) !== 0
    )
      this.#unit();
  }

  /**
   * Decodes an escape sequence at the end of the bytes. It may be part of another one, so that
   * `%2541` becomes `A` like `%41`: a value may contain a text that looks like an escape sequence.
   */
  #percent(): void {
    const value = this.#hexadecimal(2);
    if (value === NO_DIGIT) return;
    const slashes = this.positions.slashesBefore(this.length - ESCAPE_LENGTH);
    const [start, end] = this.#drop(ESCAPE_LENGTH);
    this.#slashes = slashes;
    this.#slashStart = start;
    this.push(value, start, end);
  }

  /** Decodes `\uXXXX` at the end of the bytes, alone or as the second half of a surrogate pair. */
  #unit(): void {
    const unit = this.#hexadecimal(UNIT_DIGITS);
    if (unit === NO_DIGIT) return;
    // The other backslashes are text, which may begin another escape sequence.
    const slashes = this.positions.slashesBefore(this.length - 1 - UNIT_DIGITS) - 1;
    const [start, end] = this.#drop(1 + UNIT_DIGITS);
    this.#slashes = slashes;
    this.#slashStart = start;
    if (unit < TWO_BYTES) this.push(unit, start, end);
    else if (unit >> 10 === LOW) this.#lowHalf(unit, start, end);
    else this.#pushAll(unitBytes(unit), start, end);
  }

  #lowHalf(low: number, start: number, end: number): void {
    const at = this.length - HALF_LENGTH;
    const high = at < 0 ? 0 : halfOf(this.bytes[at] ?? 0, this.bytes[at + 1] ?? 0, this.bytes[at + 2] ?? 0);
    if (high >> 10 === HIGH) {
      const [highStart] = this.#drop(HALF_LENGTH);
      this.#pushAll(pairBytes(high, low), highStart, end);
    } else this.#pushAll(unitBytes(low), start, end);
  }

  #pushAll(bytes: readonly number[], start: number, end: number): void {
    for (const byte of bytes) this.push(byte, start, end);
  }

  /** The value of the last so many digits; -1 if they are none. */
  #hexadecimal(digits: number): number {
    let value = 0;
    for (let at = this.length - digits; at < this.length; at += 1) {
      const digit = DIGITS[this.bytes[at] ?? 0] ?? NO_DIGIT;
      if (digit === NO_DIGIT) return NO_DIGIT;
      value = value * 16 + digit;
    }
    return value;
  }

  /** Removes the last bytes, and returns where they were. */
  #drop(count: number): readonly [start: number, end: number] {
    const end = this.positions.endOf(this.length - 1);
    this.length -= count;
    const start = this.positions.startOf(this.length);
    this.positions.cut(this.length);
    return [start, end];
  }
}

/**
 * Decodes the escape sequences of JSON and percent encoding in UTF-8, in any mix and nested in each
 * other, and removes backslashes. Takes linear time. Two texts that are equal after decoding have
 * equal bytes here, except that a text before a value may complete an escape sequence with its
 * first characters, and the value with the text after it. The result is valid until the room is
 * used again.
 */
export function canonicalBytes(source: Uint8Array, room = decodingRoom(source.length)): CanonicalBytes {
  const decoder = new Decoder(room);
  decoder.pushAllOf(source);
  const { bytes, positions, length } = decoder;
  return {
    bytes: bytes.subarray(0, length),
    startOf: (at) => positions.startOf(at),
    endOf: (at) => positions.endOf(at),
  };
}

/**
 * The bytes of a source by {@link CLASSES}, with their escape sequences. They are valid until the
 * room is used again.
 */
export function classBytes(source: Uint8Array, room: Uint8Array = new Uint8Array(source.length)): Uint8Array {
  for (let at = 0; at < source.length; at += 1) room[at] = CLASSES[source[at] ?? 0] ?? 0;
  return room.subarray(0, source.length);
}
