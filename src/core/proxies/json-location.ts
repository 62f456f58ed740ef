import { parseJson } from '../shared/parse-json.ts';
import { walkJson, type JsonVisitor } from '../shared/walk-json.ts';

/** Longest text of a location, in UTF-16 code units. */
export const LOCATION_MAX_LENGTH = 500;
/** Most names and indexes of a location. */
export const LOCATION_MAX_SEGMENTS = 64;

/** One place in JSON: names of members and indexes of elements, from the outermost value. */
export type JsonLocation = readonly (string | number)[];

/** Why a text is not accepted, as words that follow the name of the request member. */
export interface Problem {
  readonly problem: string;
}

/** A part of a JSON text, in UTF-16 code units. A part without length is a place to insert at. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A stretch and the JSON text that replaces it. */
export interface JsonEdit extends Stretch {
  readonly json: string;
}

/** A name without quotes, as RFC 9535 (section 2.5.1.1) permits it. */
const SHORT_NAME = /\.([A-Za-z_\u{80}-\u{d7ff}\u{e000}-\u{10ffff}][\w\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]*)/uy;
const QUOTED_NAME =
  /\[(?:"((?:[^"\\\u0000-\u001f]|\\[^\u0000-\u001f])*)"|'((?:[^'\\\u0000-\u001f]|\\[^\u0000-\u001f])*)')\]/uy; // oxlint-disable-line no-control-regex -- RFC 9535 permits them only escaped.
/** Nine digits are more than any text has elements. */
const INDEX = /\[(0|[1-9]\d{0,8})\]/y;
const NOT_ONE_PLACE = /\.\.|[*?:,]|\[-/;

const QUOTE_ESCAPED = /\\'|\\[^]|"/g;

/** Decodes the text between the quotes of a name; `undefined` for an invalid escape sequence. */
function decodedName(inner: string, isSingle: boolean): string | undefined {
  const json = isSingle
    ? inner.replace(QUOTE_ESCAPED, (found) => (found === "\\'" ? "'" : found === '"' ? '\\"' : found))
    : inner;
  // RFC 9535 permits the escape of a quote only between quotes of that kind.
  if (isSingle && /(?<!\\)(?:\\\\)*\\"/.test(inner)) return undefined;
  try {
    const name = parseJson(`"${json}"`);
    return typeof name === 'string' && name.isWellFormed() ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The segment of a location that starts at `at`, with its end; `undefined` if there is none. */
function segmentAt(text: string, at: number): { segment: string | number; end: number } | undefined {
  for (const pattern of [SHORT_NAME, QUOTED_NAME, INDEX]) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) continue;
    const [, first, single] = found;
    const inner = first ?? single ?? '';
    const name = pattern === QUOTED_NAME ? decodedName(inner, first === undefined) : inner;
    if (name === undefined) return undefined;
    return { segment: pattern === INDEX ? Number(name) : name, end: pattern.lastIndex };
  }
  return undefined;
}

/**
 * Reads a JSONPath (RFC 9535) that names one place: `$`, then `.name`, `['name']`, `["name"]` and
 * `[index]`, without spaces. Returns the problem of any other text.
 */
export function parseLocation(text: string): JsonLocation | Problem {
  if (text.length > LOCATION_MAX_LENGTH)
    return { problem: `must have at most ${String(LOCATION_MAX_LENGTH)} characters` };
  if (!text.startsWith('$')) return { problem: 'must be a JSONPath, which starts with $' };
  const segments: (string | number)[] = [];
  for (let at = 1; at < text.length;) {
    const found = segmentAt(text, at);
    if (found === undefined) {
      const what = NOT_ONE_PLACE.test(text.slice(at, at + 2)) ? 'must name one place' : 'is not understood';
      return { problem: `${what}: after $, only .name, ['name'] and [index] can follow` };
    }
    segments.push(found.segment);
    at = found.end;
  }
  if (segments.length > LOCATION_MAX_SEGMENTS)
    return { problem: `must have at most ${String(LOCATION_MAX_SEGMENTS)} names and indexes` };
  return segments;
}

/** An object or array that contains the location, while it is open. */
interface Around {
  readonly isObject: boolean;
  /** Where its last member or element ends. */
  end: number;
  count: number;
  /** Whether the value that comes next is the next segment of the location. */
  isNext: boolean;
  /** Whether a member or element was the next segment. */
  isMet: boolean;
}

const BYTE_ORDER_MARK = '\ufeff';

/** Called with each value at a location, before it is stored. It may throw. */
type OnFound = () => void;
const ignore: OnFound = () => undefined;

/** Finds every value at a location during a walk, also in members with the same name. */
class LocationFinder implements JsonVisitor {
  readonly found: Stretch[] = [];

  readonly #onFound: OnFound;

  /** Inserts that add the value where the parent has none. */
  readonly additions: { readonly at: number; readonly isFirst: boolean }[] = [];

  /** Whether a parent exists in which the value is not and cannot be added. */
  isBlocked = false;

  readonly #text: string;

  readonly #location: JsonLocation;

  readonly #around: Around[] = [];

  /** Number of open objects and arrays, of which the first ones are those around the location. */
  #depth = 0;

  /** Start of the object or array that is the value, while it is open. */
  #start = -1;

  constructor(text: string, location: JsonLocation, onFound: OnFound) {
    this.#text = text;
    this.#location = location;
    this.#onFound = onFound;
  }

  open(isObject: boolean, start: number): void {
    if (this.#isHere()) {
      const next = this.#location[this.#depth];
      if (next === undefined) this.#start = start;
      else if (isObject === (typeof next === 'string'))
        this.#around.push({ isObject, end: start + 1, count: 0, isNext: false, isMet: false });
      else this.isBlocked = true;
    }
    this.#depth += 1;
  }

  close(end: number): void {
    if (this.#depth === this.#around.length) this.#leave();
    this.#depth -= 1;
    if (this.#depth !== this.#around.length) return;
    if (this.#start !== -1) this.#add(this.#start, end);
    this.#start = -1;
    this.#passed(end);
  }

  name(start: number, end: number, isEscaped: boolean): void {
    const inside = this.#inside();
    if (inside === undefined) return;
    const wanted = this.#location[this.#depth - 1] as string;
    inside.isNext = isEscaped
      ? parseJson(this.#text.slice(start, end)) === wanted
      : end - start - 2 === wanted.length && this.#text.startsWith(wanted, start + 1);
  }

  scalar(start: number, end: number): void {
    if (this.#isHere()) {
      if (this.#depth === this.#location.length) this.#add(start, end);
      else this.isBlocked = true;
    }
    if (this.#depth === this.#around.length) this.#passed(end);
  }

  /** The innermost open object or array, if it is around the location. */
  #inside(): Around | undefined {
    return this.#depth === this.#around.length ? this.#around.at(-1) : undefined;
  }

  /** Whether the value that starts now is at the segments of the location so far. */
  #isHere(): boolean {
    if (this.#depth !== this.#around.length) return false;
    const inside = this.#around.at(-1);
    if (inside === undefined) return true;
    if (!inside.isObject) inside.isNext = inside.count === this.#location[this.#depth - 1];
    inside.isMet ||= inside.isNext;
    return inside.isNext;
  }

  #add(start: number, end: number): void {
    this.#onFound();
    this.found.push({ start, end });
  }

  #passed(end: number): void {
    const inside = this.#around.at(-1);
    if (inside === undefined) return;
    inside.count += 1;
    inside.end = end;
  }

  #leave(): void {
    const inside = this.#around.pop();
    if (inside === undefined || inside.isMet) return;
    const isParent = this.#depth === this.#location.length;
    if (isParent && (inside.isObject || inside.count === this.#location[this.#depth - 1]))
      this.additions.push({ at: inside.end, isFirst: inside.count === 0 });
    else this.isBlocked = true;
  }
}

/** Walks a JSON text, which may start with a byte order mark. */
function findLocation(text: string, location: JsonLocation, onFound: OnFound) {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const json = text.slice(mark);
  const finder = new LocationFinder(json, location, onFound);
  walkJson(json, finder);
  return {
    isBlocked: finder.isBlocked,
    found: finder.found.map(({ start, end }) => ({ start: start + mark, end: end + mark })),
    additions: finder.additions.map(({ at, isFirst }) => ({ at: at + mark, isFirst })),
  };
}

/**
 * Every value at a location of a JSON text, in order. There are several if members have the same
 * name, of which readers of JSON take the first, the last or any. Throws `JsonSyntaxError` for a
 * text that is not JSON.
 */
export function valuesAt(text: string, location: JsonLocation, onFound = ignore): readonly Stretch[] {
  return findLocation(text, location, onFound).found;
}

/**
 * The value at a location of a JSON text, the last one of {@link valuesAt}; `undefined` if there is
 * none. Throws `JsonSyntaxError` for a text that is not JSON.
 */
export function valueAt(text: string, location: JsonLocation): Stretch | undefined {
  return valuesAt(text, location).at(-1);
}

/** Longest text that replacements make, in UTF-16 code units: more than any body may have. */
export const TEXT_MAX_LENGTH = 6_000_000;

/** Reports that a text would become too long, before it is built. */
export class TextLengthError extends Error {}

/** So many pieces of a text are joined at a time, since each takes memory of its own. */
const PIECES_MAX = 10_000;

/**
 * Replaces stretches of a text; all others are unchanged. The edits may have any order, and must
 * not overlap. Throws {@link TextLengthError}.
 */
export const replaceAt = (text: string, edits: readonly JsonEdit[]): string =>
  replaceEach(text, edits, ({ json }) => json);

/** Replaces stretches of a text as {@link replaceAt} does, each by what `replacementOf` says. */
export function replaceEach<Part extends Stretch>(
  text: string,
  edits: readonly Part[],
  replacementOf: (part: Part) => string,
): string {
  const length = edits.reduce(
    (sum, part) => sum + replacementOf(part).length - (part.end - part.start),
    text.length,
  );
  if (length > TEXT_MAX_LENGTH) throw new TextLengthError();
  const isSorted = edits.every(({ start }, index) => start >= (edits[index - 1]?.start ?? 0));
  const joined: string[] = [];
  let pieces: string[] = [];
  let at = 0;
  for (const part of isSorted ? edits : edits.toSorted((a, b) => a.start - b.start)) {
    const { start, end } = part;
    if (start < at) throw new Error('The edits of a text overlap.');
    pieces.push(text.slice(at, start), replacementOf(part));
    at = end;
    if (pieces.length < PIECES_MAX) continue;
    joined.push(pieces.join(''));
    pieces = [];
  }
  return [...joined, ...pieces, text.slice(at)].join('');
}

/**
 * Sets the value at a location of a JSON text to the JSON text `json`, and changes nothing else. It
 * replaces every value there, adds a member to an object that lacks it, and appends to an array
 * whose length is the index. `undefined` if a parent is missing, or cannot have the value: also if
 * members have the same name and only one of them is such a parent. Throws `JsonSyntaxError` for a
 * text that is not JSON.
 */
export function setAt(
  text: string,
  location: JsonLocation,
  json: string,
  onFound = ignore,
): string | undefined {
  const { isBlocked, found, additions } = findLocation(text, location, onFound);
  if (isBlocked) return undefined;
  const last = location.at(-1);
  const added = typeof last === 'string' ? `${JSON.stringify(last)}:${json}` : json;
  return replaceAt(text, [
    ...found.map(({ start, end }) => ({ start, end, json })),
    ...additions.map(({ at, isFirst }) => ({ start: at, end: at, json: isFirst ? added : `,${added}` })),
  ]);
}
