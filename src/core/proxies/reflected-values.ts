import {
  canonicalBytes,
  classBytes,
  decodingRoom,
  unescapedBytes,
  type CanonicalBytes,
} from './canonical-bytes.ts';
import { TransformError } from './transform-failure.ts';

/** What replaces a value. */
export const REMOVED = '[removed]';
/** Shortest value that is removed, in UTF-16 code units: shorter ones occur by chance. */
export const REMOVED_MIN_LENGTH = 16;

/** A value that does not come back, such as a secret of a configuration. */
export interface HiddenValue {
  readonly name: string;
  readonly value: string;
  /** Whether a text that has it is refused in place of losing it. */
  readonly isRefused: boolean;
}

/** Finds and removes values in what a caller sent, and in what a destination returned. */
export interface Remover {
  /** The text without the values; the same string if it has none. Throws {@link TransformError}. */
  text(text: string): string;
  /** UTF-8 without the values; the same buffer if it has none. Throws {@link TransformError}. */
  bytes(bytes: Buffer): Buffer;
  /** The names of the values that UTF-8 has, in a form that would be removed. */
  namesIn(bytes: Buffer): ReadonlySet<string>;
}

/** Bytes in the middle of a form that a search looks up. */
const WINDOW = 8;
/** The shortest form that is searched without its escape sequences. */
const FORM_MIN_LENGTH = WINDOW;
const BITS_OF_CHARACTER = 6;
/**
 * Steps of comparing that a remover takes altogether: some for each form whose window is found, and
 * one more for each byte where the hash of the whole form is too. An input of 6 MB has a window
 * 750,000 times at most, so what uses up all steps has values, or what several values have in
 * common: no guess at the window of one value does.
 */
const STEPS_MAX = 24_000_000;
/** What a look at the hash of a form costs, and what a comparison costs besides its bytes. */
const [LOOK_STEPS, COMPARISON_STEPS] = [3, 100] as const;
/** How many places to each side of the middle of a form are looked at for its window. */
const WINDOWS_TRIED = 32;
/** A window is good that has so few equal bytes, and other forms with its hash. */
const GOOD_RANK = 2;

const [PERCENT, BACKSLASH] = [0x25, 0x5c] as const;

/** Multiplier of the rolling hash: odd, from Knuth's multiplicative hashing. */
const FACTOR = 0x9e3779b1;
const HASH_BITS = 32;
/** Bits of a hash that the table of hashes is indexed by. */
const INDEX_BITS = 16;
/** A word of the table has 32 of them. */
const WORD_BITS = 5;

/** The factor of bytes that so many others follow. */
function powerOf(length: number): number {
  let [power, square] = [1, FACTOR];
  for (let left = length; left > 0; left >>>= 1) {
    if (left % 2 === 1) power = Math.imul(power, square);
    square = Math.imul(square, square);
  }
  return power;
}

function hashOf(bytes: Uint8Array): number {
  let hash = 0;
  for (const byte of bytes) hash = (Math.imul(hash, FACTOR) + byte) | 0;
  return hash;
}

/** Odd, so that the first four bytes of a window count otherwise than the last four. */
const FACTOR_OF_FIRST = 0x85ebca6b;

/** The hash of a window by its first and last four bytes, in the order of the bytes. */
const windowHash = (first: number, last: number): number =>
  Math.imul(last ^ Math.imul(first, FACTOR_OF_FIRST), FACTOR);

const hashOfWindow = (bytes: Uint8Array): number => {
  const [first, last] = [0, WINDOW / 2].map((at) =>
    bytes.subarray(at, at + WINDOW / 2).reduce((word, byte) => (word << 8) | byte, 0),
  );
  return windowHash(first ?? 0, last ?? 0);
};

/** A form of a value, without what its neighbours may change. */
interface Form {
  readonly bytes: Uint8Array;
  /** The exact bytes of the source; absent where its spelling does not matter. */
  readonly exactly?: Uint8Array;
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

/** A form with the value that it is of. */
interface OwnedForm extends Form {
  readonly owner: HiddenValue;
}

/** A stretch that has a value. */
interface Match extends Stretch {
  readonly owner: HiddenValue;
}

const NOTHING = Buffer.alloc(0);
const canonical = (text: string): Uint8Array => Uint8Array.from(canonicalBytes(Buffer.from(text)).bytes);

/** Up to four hexadecimal digits could end `%`, `%5` or `\\u00` of the text before the value. */
const COMPLETES = /^[\da-f]{1,4}/i;
/** The text after the value could complete it. */
const IS_COMPLETED = /(?:%[\da-f]?|u[\da-f]{0,3})$/i;

/** The value itself, without the characters that may have become part of an escape sequence. */
function textForm(source: Buffer): Form {
  const { bytes, startOf, endOf } = canonicalBytes(source);
  const latin = Buffer.from(bytes).toString('latin1');
  const from = COMPLETES.exec(latin)?.[0].length ?? 0;
  const to = IS_COMPLETED.exec(latin)?.index ?? latin.length;
  return {
    bytes: Uint8Array.from(bytes.subarray(from, Math.max(from, to))),
    before: [Buffer.from(bytes.subarray(0, from)), source.subarray(0, from === 0 ? 0 : endOf(from - 1))],
    after: [Buffer.from(bytes.subarray(to)), to === latin.length ? NOTHING : source.subarray(startOf(to))],
    sharesBefore: false,
    sharesAfter: false,
  };
}

/** The value exactly as it is, whatever its neighbours mean. */
const plainForm = (value: Buffer): Form => ({
  bytes: classBytes(value),
  exactly: value,
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

/** The table of a search has a form with what finds it. */
interface Entry {
  readonly form: OwnedForm;
  readonly hash: number;
  /** The factor of what is before the form. */
  readonly power: number;
  /** Where the window is in the form. */
  readonly window: number;
}

/** The steps that may still be taken. */
class Allowance {
  #left = STEPS_MAX;

  readonly #error: TransformError;

  constructor(error: TransformError) {
    this.#error = error;
  }

  take(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw this.#error;
  }
}

/**
 * Chooses the window of a form: eight bytes that differ most from each other, and have the hash of
 * few other forms, close to the middle, as keys in PEM begin and end alike.
 */
function windowOf(bytes: Uint8Array, others: (hash: number) => number): { at: number; hash: number } {
  const last = bytes.length - WINDOW;
  const middle = last >> 1;
  let best = { at: middle, hash: 0, rank: Infinity };
  for (let tried = 0; tried < WINDOWS_TRIED && best.rank > GOOD_RANK; tried += 1) {
    const aside = Math.round((tried * (last - middle)) / (WINDOWS_TRIED - 1));
    for (const at of aside === 0 ? [middle] : [middle - aside, middle + aside]) {
      if (at < 0 || at > last) continue;
      const window = bytes.subarray(at, at + WINDOW);
      const hash = hashOfWindow(window);
      const rank = WINDOW - new Set(window).size + others(hash);
      if (rank < best.rank) best = { at, hash, rank };
    }
  }
  return best;
}

/** How many bytes are between two positions whose hash is stored, as a power of two. */
const STORED_BITS = 3;
const STORED_EVERY = 8;

/** Hashes the bytes before each position of an input. */
class Prefixes {
  #stored = new Int32Array(0);

  #bytes: Uint8Array = new Uint8Array(0);

  /** Hashes an input. The hashes of the one before are gone. */
  write(bytes: Uint8Array): void {
    const count = (bytes.length >> STORED_BITS) + 1;
    if (this.#stored.length < count) this.#stored = new Int32Array(count);
    this.#bytes = bytes;
    const stored = this.#stored;
    let hash = 0;
    for (let block = 0; block < count; block += 1) {
      stored[block] = hash;
      const end = Math.min((block + 1) * STORED_EVERY, bytes.length);
      for (let at = block * STORED_EVERY; at < end; at += 1)
        hash = (Math.imul(hash, FACTOR) + (bytes[at] ?? 0)) | 0;
    }
  }

  /** Whether the bytes from a position have the hash of a whole form. */
  haveHash(first: number, { form, hash, power }: Entry): boolean {
    const end = first + form.bytes.length;
    return ((this.#before(end) - Math.imul(this.#before(first), power)) | 0) === hash;
  }

  #before(position: number): number {
    let hash = this.#stored[position >> STORED_BITS] ?? 0;
    for (let at = position & -STORED_EVERY; at < position; at += 1)
      hash = (Math.imul(hash, FACTOR) + (this.#bytes[at] ?? 0)) | 0;
    return hash;
  }
}

/** Finds all forms of all values in one pass, by the hash of eight bytes of each form. */
class FormSearch {
  readonly #entries = new Map<number, Entry[]>();

  /** Which hashes exist, a bit for their first bits: most positions need no look at the forms. */
  readonly #mayExist = new Int32Array(2 ** (INDEX_BITS - WORD_BITS));

  constructor(forms: readonly OwnedForm[]) {
    for (const form of forms) {
      if (form.bytes.length < FORM_MIN_LENGTH) continue;
      const { at: window, hash } = windowOf(form.bytes, (each) => this.#entries.get(each)?.length ?? 0);
      const index = hash >>> (HASH_BITS - INDEX_BITS);
      this.#mayExist[index >> WORD_BITS] = (this.#mayExist[index >> WORD_BITS] ?? 0) | (1 << index);
      const alike = this.#entries.get(hash) ?? [];
      alike.push({ form, hash: hashOf(form.bytes), power: powerOf(form.bytes.length), window });
      this.#entries.set(hash, alike);
    }
  }

  find(source: Buffer, units: CanonicalBytes, allowance: Allowance, prefixes: Prefixes): readonly Match[] {
    const { bytes } = units;
    const mayExist = this.#mayExist;
    const found: Match[] = [];
    prefixes.write(bytes);
    // The first words are shorter than a window, and so are those of no form.
    let [first4, last4] = [0, 0];
    for (let end = 1; end <= bytes.length; end += 1) {
      first4 = (first4 << 8) | (last4 >>> 24);
      last4 = (last4 << 8) | (bytes[end - 1] ?? 0);
      const hash = windowHash(first4, last4);
      const index = hash >>> (HASH_BITS - INDEX_BITS);
      if ((((mayExist[index >> WORD_BITS] ?? 0) >> index) & 1) === 0) continue;
      for (const entry of this.#entries.get(hash) ?? []) {
        allowance.take(LOOK_STEPS);
        const first = end - WINDOW - entry.window;
        if (first < 0 || first + entry.form.bytes.length > bytes.length) continue;
        if (!prefixes.haveHash(first, entry)) continue;
        const match = matchAt(source, units, first, entry.form, allowance);
        if (match !== undefined) found.push(match);
      }
    }
    return found;
  }
}

/** The stretch of a form whose bytes start at `first`; `undefined` where they differ. */
function matchAt(
  source: Buffer,
  units: CanonicalBytes,
  first: number,
  form: OwnedForm,
  allowance: Allowance,
): Match | undefined {
  const { bytes, owner, exactly } = form;
  const { length } = bytes;
  allowance.take(length + COMPARISON_STEPS);
  const last = first + length - 1;
  const isSame =
    exactly === undefined
      ? sameBytes(units.bytes.subarray(first, first + length), bytes)
      : sameBytes(source.subarray(units.startOf(first), units.endOf(last)), exactly);
  if (!isSame) return undefined;
  return {
    start: startBefore(source, units, first, form),
    end: endAfter(source, units, last, form),
    owner,
  };
}

/** Stretches in order, of which those that overlap are one. */
function mergedStretches(stretches: readonly Stretch[]): readonly Stretch[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of stretches.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(end, last.end);
    else merged.push({ start, end });
  }
  return merged;
}

const BASE64 = /[\w+/ -]/;

/** Where the value of a form starts whose bytes start at `first`. */
function startBefore(
  source: Buffer,
  units: CanonicalBytes,
  first: number,
  { before, sharesBefore }: Form,
): number {
  const { bytes } = units;
  const start = units.startOf(first);
  if (sharesBefore && first > 0 && BASE64.test(String.fromCharCode(bytes[first - 1] ?? 0)))
    return units.startOf(first - 1);
  const [{ length }, plain] = before;
  if (length > 0 && first >= length && sameBytes(bytes.subarray(first - length, first), before[0]))
    return units.startOf(first - length);
  return source.subarray(0, start).subarray(-plain.length).equals(plain) ? start - plain.length : start;
}

/** Where the value of a form ends whose last byte is at `last`. */
function endAfter(source: Buffer, units: CanonicalBytes, last: number, { after, sharesAfter }: Form): number {
  const { bytes } = units;
  const end = units.endOf(last);
  if (sharesAfter && last + 1 < bytes.length && BASE64.test(String.fromCharCode(bytes[last + 1] ?? 0)))
    return units.endOf(last + 1);
  const [{ length }, plain] = after;
  if (length > 0 && sameBytes(bytes.subarray(last + 1, last + 1 + length), after[0]))
    return units.endOf(last + length);
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
  const removed = Buffer.from(REMOVED);
  const length = found.reduce((sum, { start, end }) => sum + removed.length - (end - start), source.length);
  const rest = Buffer.allocUnsafe(length);
  let [at, to] = [0, 0];
  for (const { start, end } of found) {
    to += source.copy(rest, to, at, start);
    to += removed.copy(rest, to);
    at = end;
  }
  source.copy(rest, to, at);
  return rest;
}

/** Why a text is refused. */
const TOO_OFTEN = 'the body has values of the configuration too often';
const REFUSED =
  'the answer has a secret that not every application knows whose secrets the proxy had in the last 30 days';

/** The searches of a remover. Each is made when it is needed first. */
class Searches {
  readonly #base64: readonly OwnedForm[];

  readonly #plain: readonly OwnedForm[];

  readonly #text: readonly OwnedForm[];

  #made: { plain?: FormSearch; decoded?: FormSearch; both?: FormSearch } = {};

  constructor(values: readonly HiddenValue[]) {
    const encodings = values.flatMap((owner) =>
      encodingsOf(owner.value.trim()).map((bytes) => ({ owner, bytes })),
    );
    const formsBy = (form: (bytes: Buffer) => Form): readonly OwnedForm[] =>
      encodings.map(({ owner, bytes }) => ({ ...form(bytes), owner }));
    this.#plain = formsBy(plainForm);
    this.#text = formsBy(textForm);
    this.#base64 = [0, 1, 2].flatMap((at) => formsBy((bytes) => base64Form(bytes, at)));
  }

  /** Searches the bytes as they are. */
  get plain(): FormSearch {
    // A percent sign before base64 can take its first characters for an escape sequence.
    return (this.#made.plain ??= new FormSearch([...this.#plain, ...this.#base64]));
  }

  /** Searches the bytes without escape sequences. */
  get decoded(): FormSearch {
    return (this.#made.decoded ??= new FormSearch([...this.#text, ...this.#base64]));
  }

  /** Does both for bytes that have none. */
  get both(): FormSearch {
    // Without escape sequences most texts are found as they are, and need no second look.
    const plain = this.#plain.filter(({ bytes }, at) => !sameBytes(bytes, this.#text[at]?.bytes ?? NOTHING));
    return (this.#made.both ??= new FormSearch([...plain, ...this.#text, ...this.#base64]));
  }
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
 * with a part of an escape sequence that its neighbours complete. Takes linear time. Each function
 * throws {@link TransformError} for bytes that have values too often, or one that is refused: the
 * same error, because it must not show which.
 */
export function createRemover(values: readonly HiddenValue[]): Remover {
  const long = values.filter(({ value }) => value.trim().length >= REMOVED_MIN_LENGTH);
  const searches = new Searches(long);
  const error = new TransformError(long.some(({ isRefused }) => isRefused) ? REFUSED : TOO_OFTEN);
  // What a request has must not decide what becomes of the answer.
  const [removing, naming] = [new Allowance(error), new Allowance(error)];
  // A call searches several bodies: new memory for each would cost as much as the search.
  let classes: Uint8Array = new Uint8Array(0);
  let room = decodingRoom(0);
  const prefixes = new Prefixes();
  const find = (source: Buffer, allowance: Allowance): readonly Match[] => {
    if (long.length === 0 || source.length < WINDOW) return [];
    if (source.length > classes.length) classes = new Uint8Array(source.length);
    const unescaped = unescapedBytes(classBytes(source, classes));
    // Without escape sequences the decoded bytes are the same ones.
    if (!source.includes(PERCENT) && !source.includes(BACKSLASH))
      return searches.both.find(source, unescaped, allowance, prefixes);
    const found = searches.plain.find(source, unescaped, allowance, prefixes);
    if (source.length > room.bytes.length) room = decodingRoom(source.length);
    const units = canonicalBytes(source, room);
    return [...found, ...searches.decoded.find(source, units, allowance, prefixes)];
  };
  const clean = (source: Buffer): Buffer => {
    const matches = find(source, removing);
    if (matches.some(({ owner }) => owner.isRefused)) throw error;
    const found = mergedStretches(matches);
    return found.length === 0 ? source : withoutStretches(source, found);
  };
  return {
    text: (text) => {
      const source = Buffer.from(text);
      const cleaned = clean(source);
      return cleaned === source ? text : cleaned.toString();
    },
    bytes: clean,
    namesIn: (source) => new Set(find(source, naming).map(({ owner }) => owner.name)),
  };
}
