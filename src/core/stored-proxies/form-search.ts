import type { CanonicalBytes } from './canonical-bytes.ts';
import type { TransformError } from './transform-failure.ts';
import type { Form } from './value-forms.ts';

/** A value that does not come back, such as a secret of a configuration. */
export interface HiddenValue {
  readonly name: string;
  readonly value: string;
  /** Whether a text that has it is refused in place of losing it. */
  readonly isRefused: boolean;
}

/**
 * Bytes of a form that a search looks up, of most forms and of short ones. A caller can see by time
 * whether an input has the window of a value very often, so that it must be long enough not to be
 * found: the window of base64 has twelve bytes of the value.
 */
const WINDOW = 16;
const SHORT_WINDOW = 8;
/**
 * Steps of comparing that a run takes altogether: some for each form whose window is found, and one
 * more for each byte where the hash of the whole form is too. An input of 6 MB has a window 375,000
 * times at most, so what uses up all steps has values, or what several forms have in common.
 */
const STEPS_MAX = 24_000_000;
/** A look at the hash of a form costs so much, and a comparison costs so much besides its bytes. */
const LOOK_STEPS = 3;
const COMPARISON_STEPS = 100;
/** How many places to each side of the middle of a form are looked at for its window. */
const WINDOWS_TRIED = 32;
/** A window is good that has so few equal bytes, and other forms with its hash. */
const GOOD_RANK = 2;

/** Multiplier of the rolling hash: odd, from Knuth's multiplicative hashing. */
const FACTOR = 0x9e3779b1;
const HASH_BITS = 32;
/** Bits of a hash that the table of hashes is indexed by. */
const INDEX_BITS = 16;
/** A word of the table has 32 of them. */
const WORD_BITS = 5;

/** The factor of bytes that so many others follow. */
function powerOf(length: number): number {
  let power = 1;
  let square = FACTOR;
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

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A form with the value that it is of. */
export interface OwnedForm extends Form {
  readonly owner: HiddenValue;
}

/** A range that has a value. */
export interface Match extends ByteRange {
  readonly owner: HiddenValue;
}

export const sameBytes = (bytes: Uint8Array, other: Uint8Array): boolean =>
  Buffer.compare(bytes, other) === 0;

/** The table of a search has a form with what finds it. */
interface Entry {
  readonly form: OwnedForm;
  readonly hash: number;
  /** The factor of what is before the form. */
  readonly power: number;
  /** Where the window is in the form. */
  readonly window: number;
}

/** The searches of several inputs share a run. */
export class SearchRun {
  #left = STEPS_MAX;

  readonly #error: TransformError;

  /** Whether values that are refused end it. */
  readonly #refuses: boolean;

  #isRefused = false;

  constructor(error: TransformError, refuses: boolean) {
    this.#error = error;
    this.#refuses = refuses;
  }

  /** Throws the error of the run where it has taken too many steps. */
  take(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw this.#error;
  }

  /**
   * Whether a refused value was found. What else an input has is not compared any more: time must
   * not show how many values it has, as one of them may be a guess at another.
   */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  see({ isRefused }: HiddenValue): void {
    this.#isRefused ||= this.#refuses && isRefused;
  }

  /** Throws the error of the run if a refused value was found. */
  end(): void {
    if (this.#isRefused) throw this.#error;
  }
}

/**
 * Chooses the window of a form: bytes that differ most from each other, and have the hash of few
 * other forms, close to the middle, as keys in PEM begin and end alike.
 */
function windowOf(
  bytes: Uint8Array,
  size: number,
  others: (hash: number) => number,
): { at: number; hash: number } {
  const last = bytes.length - size;
  const middle = last >> 1;
  let best = { at: middle, hash: 0, rank: Infinity };
  for (let tried = 0; tried < WINDOWS_TRIED && best.rank > GOOD_RANK; tried += 1) {
    const aside = Math.round((tried * (last - middle)) / (WINDOWS_TRIED - 1));
    for (const at of aside === 0 ? [middle] : [middle - aside, middle + aside]) {
      if (at < 0 || at > last) continue;
      const window = bytes.subarray(at, at + size);
      const hash = hashOf(window);
      const rank = Math.max(0, SHORT_WINDOW - new Set(window).size) + others(hash);
      if (rank < best.rank) best = { at, hash, rank };
    }
  }
  return best;
}

/** How many bytes are between two positions whose hash is stored, as a power of two. */
const STORED_BITS = 3;
const STORED_EVERY = 8;

/** Hashes the bytes before each position of an input. */
export class Prefixes {
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

/** A search reads these inputs, and shares the rest with others. */
interface Input {
  readonly source: Buffer;
  readonly units: CanonicalBytes;
  readonly run: SearchRun;
  readonly prefixes: Prefixes;
}

/** Finds all forms of all values in one pass, by the hash of the window of each form. */
class FormSearch {
  readonly #size: number;

  readonly #entries = new Map<number, Entry[]>();

  /** Which hashes exist, a bit for their first bits: most positions need no look at the forms. */
  readonly #mayExist = new Int32Array(2 ** (INDEX_BITS - WORD_BITS));

  /** `size` is the number of bytes of a window. No form is shorter. */
  constructor(forms: readonly OwnedForm[], size: number) {
    this.#size = size;
    for (const form of forms) {
      const { at: window, hash } = windowOf(form.bytes, size, (each) => this.#entries.get(each)?.length ?? 0);
      const index = hash >>> (HASH_BITS - INDEX_BITS);
      this.#mayExist[index >> WORD_BITS] = (this.#mayExist[index >> WORD_BITS] ?? 0) | (1 << index);
      const alike = this.#entries.get(hash) ?? [];
      alike.push({ form, hash: hashOf(form.bytes), power: powerOf(form.bytes.length), window });
      this.#entries.set(hash, alike);
    }
  }

  find(input: Input): readonly Match[] {
    const { bytes } = input.units;
    const mayExist = this.#mayExist;
    const size = this.#size;
    const leaving = powerOf(this.#size);
    const found: Match[] = [];
    let hash = 0;
    for (let end = 1; end <= bytes.length; end += 1) {
      // The first hashes are of less than a window, of which no form is.
      const left = end > size ? (bytes[end - 1 - size] ?? 0) : 0;
      hash = (Math.imul(hash, FACTOR) + (bytes[end - 1] ?? 0) - Math.imul(left, leaving)) | 0;
      const index = hash >>> (HASH_BITS - INDEX_BITS);
      if ((((mayExist[index >> WORD_BITS] ?? 0) >> index) & 1) === 0) continue;
      if (!input.run.isRefused) this.#addMatches(found, hash, end, input);
    }
    return found;
  }

  /** Adds the forms whose window has this hash and ends here. */
  #addMatches(found: Match[], hash: number, end: number, input: Input): void {
    const { units, run, prefixes } = input;
    for (const entry of this.#entries.get(hash) ?? []) {
      run.take(LOOK_STEPS);
      const first = end - this.#size - entry.window;
      if (first < 0 || first + entry.form.bytes.length > units.bytes.length) continue;
      const match = prefixes.haveHash(first, entry) ? matchAt(input, first, entry.form) : undefined;
      if (match === undefined) continue;
      found.push(match);
      run.see(match.owner);
    }
  }
}

/** Makes the searches for forms: one for most of them, and one for short ones if there are any. */
export function searchesFor(forms: readonly OwnedForm[]): readonly FormSearch[] {
  const bySize = Map.groupBy(forms, ({ bytes: { length } }) =>
    length >= WINDOW ? WINDOW : length >= SHORT_WINDOW ? SHORT_WINDOW : 0,
  );
  // The rest of a value that has hardly more than escape sequences is found as it is.
  bySize.delete(0);
  return [...bySize].map(([size, each]) => new FormSearch(each, size));
}

/** Finds all forms of all searches in an input. */
export function findForms(searches: readonly FormSearch[], input: Input): readonly Match[] {
  input.prefixes.write(input.units.bytes);
  return searches.flatMap((search) => search.find(input));
}

/** The range of a form whose bytes start at `first`; `undefined` where they differ. */
function matchAt({ source, units, run }: Input, first: number, form: OwnedForm): Match | undefined {
  const { bytes, owner, exactly } = form;
  const { length } = bytes;
  run.take(length + COMPARISON_STEPS);
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
