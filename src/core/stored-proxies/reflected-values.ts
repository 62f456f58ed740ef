import { canonicalBytes, classBytes, decodingRoom, unescapedBytes } from './canonical-bytes.ts';
import {
  findForms,
  Prefixes,
  sameBytes,
  searchesFor,
  SearchRun,
  type HiddenValue,
  type Match,
  type OwnedForm,
  type ByteRange,
} from './form-search.ts';
import { TransformError } from './transform-failure.ts';
import { base64Form, encodingsOf, plainForm, textForm, type Form } from './value-forms.ts';

/** This text replaces a value. */
export const REMOVED = '[removed]';
/** Shortest value that is removed, in UTF-16 code units: shorter ones occur by chance. */
export const REMOVED_MIN_LENGTH = 16;

/** Finds and removes values in what a caller sent, and in what a destination returned. */
export interface Remover {
  /** UTF-8 without the values; the same buffer if it has none. Throws {@link TransformError}. */
  bytes(bytes: Buffer): Buffer;
  /** The names of the values that UTF-8 has, in a form that would be removed. */
  namesIn(bytes: Buffer): ReadonlySet<string>;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;

/** Ranges in order, of which those that overlap are one. */
function mergedRanges(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(end, last.end);
    else merged.push({ start, end });
  }
  return merged;
}

function withoutRanges(source: Buffer, found: readonly ByteRange[]): Buffer {
  const removed = Buffer.from(REMOVED);
  const length = found.reduce((sum, { start, end }) => sum + removed.length - (end - start), source.length);
  // Zeros, so that no mistake here could return memory of another call.
  const rest = Buffer.alloc(length);
  let at = 0;
  let to = 0;
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
  'the answer has a secret, and several applications have set secrets of the proxy in the last 30 days';

/** The searches of a remover. Each is made when it is needed first. */
class Searches {
  readonly #base64: readonly OwnedForm[];

  readonly #plain: readonly OwnedForm[];

  readonly #text: readonly OwnedForm[];

  #made: Partial<Record<'plain' | 'decoded' | 'both', ReturnType<typeof searchesFor>>> = {};

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
  get plain() {
    // A percent sign before base64 can take its first characters for an escape sequence.
    return (this.#made.plain ??= searchesFor([...this.#plain, ...this.#base64]));
  }

  /** Searches the bytes without escape sequences. */
  get decoded() {
    return (this.#made.decoded ??= searchesFor([...this.#text, ...this.#base64]));
  }

  /** Does both for bytes that have none. */
  get both() {
    // Without escape sequences most texts are found as they are, and need no second look.
    const plain = this.#plain.filter(({ bytes }, at) => {
      const text = this.#text[at];
      return text === undefined || !sameBytes(bytes, text.bytes);
    });
    return (this.#made.both ??= searchesFor([...plain, ...this.#text, ...this.#base64]));
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
 * with a part of an escape sequence that its neighbours complete. Takes linear time. Throws
 * {@link TransformError} for bytes that have values too often, or to remove one that is refused:
 * the same error, because it must not show which.
 */
export function createRemover(values: readonly HiddenValue[]): Remover {
  const long = values.filter(({ value }) => value.trim().length >= REMOVED_MIN_LENGTH);
  const searches = new Searches(long);
  const error = new TransformError(long.some(({ isRefused }) => isRefused) ? REFUSED : TOO_OFTEN);
  // The content of a request must not decide what becomes of the response.
  const removing = new SearchRun(error, true);
  const naming = new SearchRun(error, false);
  // A call searches several bodies: new memory for each would cost as much as the search.
  let classes: Uint8Array = new Uint8Array(0);
  let room = decodingRoom(0);
  const prefixes = new Prefixes();
  const find = (source: Buffer, run: SearchRun): readonly Match[] => {
    if (long.length === 0) return [];
    if (source.length > classes.length) classes = new Uint8Array(source.length);
    const unescaped = () => unescapedBytes(classBytes(source, classes));
    // Without escape sequences the decoded bytes are the same ones.
    if (!source.includes(PERCENT) && !source.includes(BACKSLASH))
      return findForms(searches.both, { source, units: unescaped(), run, prefixes });
    if (source.length > room.bytes.length) room = decodingRoom(source.length);
    // Most forms are found here, a guess at a secret as the secret itself.
    const decoded = { source, units: canonicalBytes(source, room), run, prefixes };
    const found = findForms(searches.decoded, decoded);
    return [...found, ...findForms(searches.plain, { ...decoded, units: unescaped() })];
  };
  const clean = (source: Buffer): Buffer => {
    const matches = find(source, removing);
    removing.end();
    const found = mergedRanges(matches);
    return found.length === 0 ? source : withoutRanges(source, found);
  };
  return {
    bytes: clean,
    namesIn: (source) => new Set(find(source, naming).map(({ owner }) => owner.name)),
  };
}
