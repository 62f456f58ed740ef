import { canonicalBytes, classBytes, decodingRoom, type CanonicalBytes } from './canonical-bytes.ts';
import { TransformError } from './transform-failure.ts';

/** What replaces a value. */
export const REMOVED = '[removed]';
/** Shortest value that is removed, in UTF-16 code units: shorter ones occur by chance. */
export const REMOVED_MIN_LENGTH = 16;

/** A value that does not come back, such as a secret of a configuration. */
export interface HiddenValue {
  readonly name: string;
  readonly value: string;
  /** Values with the same number were set together; one with a higher number was set later. */
  readonly generation: number;
}

/** Finds and removes values in what a caller sent, and in what a destination returned. */
export interface Remover {
  /** The text without the values; the same string if it has none. */
  text(text: string): string;
  /** UTF-8 without the values; the same buffer if it has none. */
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
 * Bytes that a remover compares altogether, in equal shares for each generation: what the values of
 * one generation cost must not decide what becomes of another. Only bytes whose hash is that of a
 * whole value are compared, so input that needs more has a value very often.
 */
const COMPARED_MAX = 24_000_000;
/** What a comparison costs besides its bytes, in bytes. */
const COMPARISON_BYTES = 32;

const [PERCENT, BACKSLASH] = [0x25, 0x5c] as const;

/** Multiplier of the rolling hash: odd, from Knuth's multiplicative hashing. */
const FACTOR = 0x9e3779b1;
const HASH_BITS = 32;
/** Bits of a hash that the table of hashes is indexed by. */
const INDEX_BITS = 16;

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

/** The factor of a byte that leaves the window. */
const LEAVING = powerOf(WINDOW);

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
  /** Where the window is in the form: in the middle, as keys in PEM begin and end alike. */
  readonly window: number;
}

/** The bytes that may still be compared, by generation. */
type Allowance = Map<number, number>;

/** Finds all forms of all values in one pass, by the hash of eight bytes of each form. */
class FormSearch {
  readonly #entries = new Map<number, Entry[]>();

  /** Which hashes exist, by their first bits: most positions need no look at the forms. */
  readonly #mayExist = new Uint8Array(2 ** INDEX_BITS);

  constructor(forms: readonly OwnedForm[]) {
    for (const form of forms) {
      const { length } = form.bytes;
      const window = (length - WINDOW) >> 1;
      const middle = hashOf(form.bytes.subarray(window, window + WINDOW));
      this.#mayExist[middle >>> (HASH_BITS - INDEX_BITS)] = 1;
      const alike = this.#entries.get(middle) ?? [];
      alike.push({ form, hash: hashOf(form.bytes), power: powerOf(length), window });
      this.#entries.set(middle, alike);
    }
  }

  /**
   * Throws {@link TransformError} where a generation has used up its share of comparisons. `hashes`
   * are those of the units.
   */
  find(source: Buffer, units: CanonicalBytes, allowance: Allowance, hashes: Int32Array): readonly Match[] {
    const { bytes } = units;
    const found: Match[] = [];
    for (let end = WINDOW; end <= bytes.length; end += 1) {
      const hash = ((hashes[end] ?? 0) - Math.imul(hashes[end - WINDOW] ?? 0, LEAVING)) | 0;
      if (this.#mayExist[hash >>> (HASH_BITS - INDEX_BITS)] === 0) continue;
      for (const entry of this.#entries.get(hash) ?? []) {
        const first = end - WINDOW - entry.window;
        if (first < 0 || first + entry.form.bytes.length > bytes.length) continue;
        if (!hasHash(hashes, first, entry)) continue;
        const match = matchAt(source, units, first, entry.form, allowance);
        if (match !== undefined) found.push(match);
      }
    }
    return found;
  }
}

/** Hashes the bytes before each position. There is room for one more than the bytes. */
function writeHashes(bytes: Uint8Array, hashes: Int32Array): void {
  let hash = 0;
  hashes[0] = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    hash = (Math.imul(hash, FACTOR) + (bytes[at] ?? 0)) | 0;
    hashes[at + 1] = hash;
  }
}

const startOf = ({ starts }: CanonicalBytes, at: number): number =>
  starts === undefined ? at : (starts[at] ?? 0);
const endOf = ({ ends }: CanonicalBytes, at: number): number =>
  ends === undefined ? at + 1 : (ends[at] ?? 0);

/** Whether the bytes from a position have the hash of a whole form. */
function hasHash(hashes: Int32Array, first: number, { form, hash, power }: Entry): boolean {
  const end = first + form.bytes.length;
  return (((hashes[end] ?? 0) - Math.imul(hashes[first] ?? 0, power)) | 0) === hash;
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
  const left = (allowance.get(owner.generation) ?? 0) - length - COMPARISON_BYTES;
  allowance.set(owner.generation, left);
  if (left < 0) throw new TransformError('the body has values of the configuration too often');
  const last = first + length - 1;
  const isSame =
    exactly === undefined
      ? sameBytes(units.bytes.subarray(first, first + length), bytes)
      : sameBytes(source.subarray(startOf(units, first), endOf(units, last)), exactly);
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

/** Whether a position is inside of one of the stretches, which are in order. */
function isInside(stretches: readonly Stretch[], position: number): boolean {
  let [low, high] = [0, stretches.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle]?.start ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return position < (stretches[low - 1]?.end ?? 0);
}

/**
 * The stretches to remove. A value that was set later may be a guess at an older one: where it
 * overlaps that without containing it whole it is ignored, because one gap for both would confirm
 * it.
 */
function stretchesOf(matches: readonly Match[]): readonly Stretch[] {
  const byGeneration = Map.groupBy(matches, ({ owner }) => owner.generation);
  let removed: readonly Stretch[] = [];
  for (const generation of [...byGeneration.keys()].sort((one, other) => one - other)) {
    const older = removed;
    const added = (byGeneration.get(generation) ?? []).filter(
      ({ start, end }) => !isInside(older, start) && !isInside(older, end),
    );
    removed = mergedStretches([...older, ...added]);
  }
  return removed;
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
  const start = startOf(units, first);
  if (sharesBefore && first > 0 && BASE64.test(String.fromCharCode(bytes[first - 1] ?? 0)))
    return startOf(units, first - 1);
  const [{ length }, plain] = before;
  if (length > 0 && first >= length && sameBytes(bytes.subarray(first - length, first), before[0]))
    return startOf(units, first - length);
  return source.subarray(0, start).subarray(-plain.length).equals(plain) ? start - plain.length : start;
}

/** Where the value of a form ends whose last byte is at `last`. */
function endAfter(source: Buffer, units: CanonicalBytes, last: number, { after, sharesAfter }: Form): number {
  const { bytes } = units;
  const end = endOf(units, last);
  if (sharesAfter && last + 1 < bytes.length && BASE64.test(String.fromCharCode(bytes[last + 1] ?? 0)))
    return endOf(units, last + 1);
  const [{ length }, plain] = after;
  if (length > 0 && sameBytes(bytes.subarray(last + 1, last + 1 + length), after[0]))
    return endOf(units, last + length);
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
  for (const { start, end } of found) {
    pieces.push(source.subarray(at, start), removed);
    at = end;
  }
  pieces.push(source.subarray(at));
  return Buffer.concat(pieces);
}

interface Searches {
  /** Searches the bytes as they are. */
  readonly plain: FormSearch;
  /** Searches the bytes without escape sequences. */
  readonly decoded: FormSearch;
}

function searchesFor(values: readonly HiddenValue[]): Searches {
  const forms = values.flatMap((owner) =>
    encodingsOf(owner.value.trim()).map((bytes) => {
      const base64 = [0, 1, 2].map((at) => ({ ...base64Form(bytes, at), owner }));
      return { base64, plain: { ...plainForm(bytes), owner }, text: { ...textForm(bytes), owner } };
    }),
  );
  const longEnough = ({ bytes }: Form) => bytes.length >= FORM_MIN_LENGTH;
  const base64 = forms.flatMap((each) => each.base64);
  return {
    // A percent sign before base64 can take its first characters for an escape sequence.
    plain: new FormSearch([...forms.map(({ plain }) => plain), ...base64].filter(longEnough)),
    decoded: new FormSearch([...forms.map(({ text }) => text), ...base64].filter(longEnough)),
  };
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
 * throws {@link TransformError} for bytes that have values too often.
 */
export function createRemover(values: readonly HiddenValue[]): Remover {
  const long = values.filter(({ value }) => value.trim().length >= REMOVED_MIN_LENGTH);
  const { plain, decoded } = searchesFor(long);
  const generations = new Set(long.map(({ generation }) => generation));
  const anAllowance = (): Allowance =>
    new Map([...generations].map((each) => [each, Math.floor(COMPARED_MAX / generations.size)]));
  // What a request has must not decide what becomes of the answer.
  const [removing, naming] = [anAllowance(), anAllowance()];
  // A call searches several bodies: new memory for each would cost as much as the search.
  let room = decodingRoom(0);
  let hashes = new Int32Array(1);
  const find = (source: Buffer, allowance: Allowance): readonly Match[] => {
    if (long.length === 0 || source.length < WINDOW) return [];
    if (source.length >= hashes.length) {
      room = decodingRoom(source.length);
      hashes = new Int32Array(source.length + 1);
    }
    const bytes = classBytes(source);
    writeHashes(bytes, hashes);
    const found = plain.find(source, { bytes }, allowance, hashes);
    // Without escape sequences the decoded bytes are the same ones.
    if (!source.includes(PERCENT) && !source.includes(BACKSLASH))
      return [...found, ...decoded.find(source, { bytes }, allowance, hashes)];
    const units = canonicalBytes(source, room);
    writeHashes(units.bytes, hashes);
    return [...found, ...decoded.find(source, units, allowance, hashes)];
  };
  const clean = (source: Buffer): Buffer => {
    const found = stretchesOf(find(source, removing));
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
