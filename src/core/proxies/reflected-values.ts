import { canonicalBytes, plainBytes, type CanonicalBytes } from './canonical-bytes.ts';

/** What replaces a value. */
export const REMOVED = '[removed]';
/** Shortest value that is removed, in UTF-16 code units: shorter ones occur by chance. */
export const REMOVED_MIN_LENGTH = 16;

/** Removes values from what a destination returned. */
export interface Remover {
  /** The text without the values; the same string if it has none. */
  text(text: string): string;
  /** UTF-8 without the values; the same buffer if it has none. */
  bytes(bytes: Buffer): Buffer;
}

/** Bytes in the middle of a form that a search looks up. */
const WINDOW = 8;
/** The shortest form that is searched without its escape sequences. */
const FORM_MIN_LENGTH = WINDOW;
const BITS_OF_CHARACTER = 6;
/**
 * Bytes that a remover compares altogether. Input that needs more was made for it: from there it
 * loses whatever could be around the middle of a value, without a comparison.
 */
const COMPARED_MAX = 24_000_000;

/** Multiplier of the rolling hash: odd, from Knuth's multiplicative hashing. */
const FACTOR = 0x9e3779b1;
/** The factor of a byte that leaves the window. */
const LEAVING = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, FACTOR), 1);
const HASH_BITS = 32;
/** Bits of a hash that the table of hashes is indexed by. */
const INDEX_BITS = 16;

/** A form of a value, without what its neighbours may change. */
interface Form {
  readonly bytes: Uint8Array;
  /** The bytes of the value before and after {@link bytes}, also as the value has them. */
  readonly before: readonly [canonical: Buffer, source: Buffer];
  readonly after: readonly [canonical: Buffer, source: Buffer];
  /** Whether the character before or after has bits of the value. */
  readonly sharesBefore: boolean;
  readonly sharesAfter: boolean;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

const NOTHING = Buffer.alloc(0);
const canonical = (text: string): Uint8Array => Uint8Array.from(canonicalBytes(Buffer.from(text)).bytes);

/** Up to four hexadecimal digits could end `%`, `%5` or `\\u00` of the text before the value. */
const COMPLETES = /^[\da-f]{1,4}/i;
/** The text after the value could complete it. */
const IS_COMPLETED = /(?:%[\da-f]?|u[\da-f]{0,3})$/i;

/** The value itself, without the characters that may have become part of an escape sequence. */
function textForm(source: Buffer): Form {
  const { bytes, starts, ends } = canonicalBytes(source);
  const latin = Buffer.from(bytes).toString('latin1');
  const from = COMPLETES.exec(latin)?.[0].length ?? 0;
  const to = IS_COMPLETED.exec(latin)?.index ?? latin.length;
  return {
    bytes: Uint8Array.from(bytes.subarray(from, Math.max(from, to))),
    before: [Buffer.from(bytes.subarray(0, from)), source.subarray(0, from === 0 ? 0 : ends[from - 1])],
    after: [Buffer.from(bytes.subarray(to)), to === latin.length ? NOTHING : source.subarray(starts[to])],
    sharesBefore: false,
    sharesAfter: false,
  };
}

/** The value exactly as it is, whatever its neighbours mean. */
const plainForm = (value: Buffer): Form => ({
  bytes: value,
  before: [NOTHING, NOTHING],
  after: [NOTHING, NOTHING],
  sharesBefore: false,
  sharesAfter: false,
});

/** The base64 of the value after so many bytes of other data, without characters that it shares. */
function base64Form(value: Buffer, otherBytes: number): Form {
  const bytes = Buffer.concat([Buffer.alloc(otherBytes), value]);
  const bits = bytes.length * 8;
  const whole = bytes
    .toString('base64')
    .slice(Math.ceil((otherBytes * 8) / BITS_OF_CHARACTER), Math.floor(bits / BITS_OF_CHARACTER));
  return {
    bytes: canonical(whole),
    before: [NOTHING, NOTHING],
    after: [NOTHING, NOTHING],
    sharesBefore: otherBytes > 0,
    sharesAfter: bits % BITS_OF_CHARACTER > 0,
  };
}

const sameBytes = (bytes: Uint8Array, other: Uint8Array): boolean => Buffer.compare(bytes, other) === 0;

/** Forms whose middle has the same hash. */
interface Alike {
  readonly forms: Form[];
  /** Most bytes that a value has before the window and after it. */
  before: number;
  after: number;
}

/** Bytes that {@link startBefore} and {@link endAfter} add at most, with some to spare. */
const BESIDE_FORM = 16;

/** Finds all forms of all values in one pass, by the hash of eight bytes of each form. */
class FormSearch {
  readonly #alike = new Map<number, Alike>();

  /** Which hashes exist, by their first bits: most positions need no look at the forms. */
  readonly #mayExist = new Uint8Array(2 ** INDEX_BITS);

  constructor(forms: readonly Form[]) {
    for (const form of forms) {
      const at = FormSearch.#windowOf(form);
      let hash = 0;
      for (const byte of form.bytes.subarray(at, at + WINDOW)) hash = (Math.imul(hash, FACTOR) + byte) | 0;
      this.#mayExist[hash >>> (HASH_BITS - INDEX_BITS)] = 1;
      const alike = this.#alike.get(hash) ?? { forms: [], before: 0, after: 0 };
      alike.forms.push(form);
      alike.before = Math.max(alike.before, at + BESIDE_FORM);
      alike.after = Math.max(alike.after, form.bytes.length - at - WINDOW + BESIDE_FORM);
      this.#alike.set(hash, alike);
    }
  }

  /** The middle of a form, because keys in PEM have the same beginning and end. */
  static #windowOf({ bytes }: Form): number {
    return (bytes.length - WINDOW) >> 1;
  }

  find(source: Buffer, units: CanonicalBytes, comparing: { left: number }): readonly Stretch[] {
    const { bytes } = units;
    const found: { start: number; end: number }[] = [];
    const compare = (form: Form, first: number): void => {
      const { length } = form.bytes;
      if (first < 0 || first + length > bytes.length) return;
      const common = commonLength(bytes, first, form.bytes);
      comparing.left -= common + 1;
      if (common < length) return;
      const start = startBefore(source, units, first, form);
      add(found, { start, end: endAfter(source, units, first + length - 1, form) });
    };
    let hash = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const leaving = at < WINDOW ? 0 : Math.imul(bytes[at - WINDOW] ?? 0, LEAVING);
      hash = (Math.imul(hash, FACTOR) + (bytes[at] ?? 0) - leaving) | 0;
      if (this.#mayExist[hash >>> (HASH_BITS - INDEX_BITS)] === 0) continue;
      const alike = this.#alike.get(hash);
      if (alike === undefined) continue;
      const window = at + 1 - WINDOW;
      if (comparing.left > 0)
        for (const form of alike.forms) compare(form, window - FormSearch.#windowOf(form));
      else add(found, aroundWindow(units, window, alike));
    }
    return found;
  }
}

/** What a value could take up whose middle starts at a byte. */
function aroundWindow({ bytes, starts, ends }: CanonicalBytes, window: number, alike: Alike): Stretch {
  const last = Math.min(bytes.length, window + WINDOW + alike.after) - 1;
  return { start: starts[Math.max(0, window - alike.before)] ?? 0, end: ends[last] ?? 0 };
}

/** Adds a stretch, as a part of the last one if they overlap. */
function add(found: { start: number; end: number }[], { start, end }: Stretch): void {
  const last = found.at(-1);
  if (last !== undefined && start >= last.start && start < last.end) last.end = Math.max(end, last.end);
  else found.push({ start, end });
}

/** The number of bytes of a form that are equal, from its first one. */
function commonLength(bytes: Uint8Array, first: number, form: Uint8Array): number {
  let length = 0;
  while (length < form.length && bytes[first + length] === form[length]) length += 1;
  return length;
}

const BASE64 = /[\w+/ -]/;

/** Where the value of a form starts whose bytes start at `first`. */
function startBefore(
  source: Buffer,
  { bytes, starts }: CanonicalBytes,
  first: number,
  { before, sharesBefore }: Form,
): number {
  const start = starts[first] ?? 0;
  if (sharesBefore && first > 0 && BASE64.test(String.fromCharCode(bytes[first - 1] ?? 0)))
    return starts[first - 1] ?? 0;
  const [{ length }, plain] = before;
  if (length > 0 && first >= length && sameBytes(bytes.subarray(first - length, first), before[0]))
    return starts[first - length] ?? 0;
  return source.subarray(0, start).subarray(-plain.length).equals(plain) ? start - plain.length : start;
}

/** Where the value of a form ends whose last byte is at `last`. */
function endAfter(
  source: Buffer,
  { bytes, ends }: CanonicalBytes,
  last: number,
  { after, sharesAfter }: Form,
): number {
  const end = ends[last] ?? 0;
  if (sharesAfter && last + 1 < bytes.length && BASE64.test(String.fromCharCode(bytes[last + 1] ?? 0)))
    return ends[last + 1] ?? 0;
  const [{ length }, plain] = after;
  if (length > 0 && sameBytes(bytes.subarray(last + 1, last + 1 + length), after[0]))
    return ends[last + length] ?? 0;
  return source.subarray(end, end + plain.length).equals(plain) ? end + plain.length : end;
}

/**
 * The bytes of a value in UTF-8, in Latin-1, and in UTF-8 that was read as Latin-1, as servers read
 * headers.
 */
function encodingsOf(value: string): readonly Buffer[] {
  const utf8 = Buffer.from(value);
  if (utf8.length === value.length) return [utf8];
  const misread = Buffer.from(utf8.toString('latin1'));
  return LATIN_1.test(value) ? [utf8, misread, Buffer.from(value, 'latin1')] : [utf8, misread];
}

const LATIN_1 = /^[\u0000-\u00ff]*$/; // oxlint-disable-line no-control-regex -- they are part of it.

function withoutStretches(source: Buffer, found: readonly Stretch[]): Buffer {
  const pieces: Buffer[] = [];
  const removed = Buffer.from(REMOVED);
  let at = 0;
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
    // Two values that overlap are one gap.
    if (pieces.length === 0 || start >= at) pieces.push(source.subarray(at, start), removed);
    at = Math.max(at, end);
  }
  pieces.push(source.subarray(at));
  return Buffer.concat(pieces);
}

/**
 * Removes values in all these forms: as text in UTF-8 or Latin-1, with any mix of the escape
 * sequences of JSON and of percent encoding, and in base64 and base64url as a part of any data,
 * which may have such escape sequences too. Characters of base64 that also have bits of other data
 * are removed as a whole. The other forms of a value are not found, such as hexadecimal digits,
 * compressed data or base64 with line breaks.
 *
 * White space around a value is ignored, and so are values of less than 16 characters. A text that
 * differs from a value only by what escape sequences make equal is removed too: backslashes, `n`
 * for a line feed, `+` and `-` for a space, `_` for `/`, and up to four hexadecimal digits at the
 * start. A backslash at an end of a value may remain. A value that has hardly more than escape
 * sequences itself is only removed where it is exactly equal, and so may be one that begins or ends
 * with a part of an escape sequence that its neighbours complete. Takes linear time.
 */
export function createRemover(values: readonly string[]): Remover {
  const trimmed = new Set(values.map((value) => value.trim()));
  const long = [...trimmed].filter(({ length }) => length >= REMOVED_MIN_LENGTH).flatMap(encodingsOf);
  const exact = new FormSearch(long.map(plainForm));
  const forms = long.flatMap((value) => [textForm(value), ...[0, 1, 2].map((at) => base64Form(value, at))]);
  const search = new FormSearch(forms.filter(({ bytes }) => bytes.length >= FORM_MIN_LENGTH));
  const comparing = { left: COMPARED_MAX };
  const clean = (source: Buffer): Buffer => {
    if (long.length === 0) return source;
    const found = [
      ...exact.find(source, plainBytes(source), comparing),
      ...search.find(source, canonicalBytes(source), comparing),
    ];
    return found.length === 0 ? source : withoutStretches(source, found);
  };
  return {
    text: (text) => {
      const source = Buffer.from(text);
      const cleaned = clean(source);
      return cleaned === source ? text : cleaned.toString();
    },
    bytes: clean,
  };
}
