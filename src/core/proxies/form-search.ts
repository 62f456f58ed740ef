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

/** Bytes in the middle of a form that a search looks up. */
export const WINDOW = 8;
/** The shortest form that is searched without its escape sequences. */
const FORM_MIN_LENGTH = WINDOW;
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

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A form with the value that it is of. */
export interface OwnedForm extends Form {
  readonly owner: HiddenValue;
}

/** A stretch that has a value. */
export interface Match extends Stretch {
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

/** The steps that may still be taken. */
export class Allowance {
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

/** Finds all forms of all values in one pass, by the hash of eight bytes of each form. */
export class FormSearch {
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
