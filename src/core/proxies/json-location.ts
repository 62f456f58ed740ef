import { parseJson } from '../shared/parse-json.ts';
import { walkJson, type JsonVisitor } from '../shared/walk-json.ts';

/** Longest text of a location, in UTF-16 code units. */
export const LOCATION_MAX_LENGTH = 500;
/** Most names and indexes of a location. */
export const LOCATION_MAX_SEGMENTS = 64;

/** One place in JSON: names of members and indexes of elements, from the outermost value. */
export type JsonLocation = readonly (string | number)[];

/** Means every element of an array, as `[*]` does. */
export const EVERY = Symbol('every element');

/** Places in JSON. A negative index counts from the end of its array. */
export type JsonPattern = readonly (string | number | typeof EVERY)[];

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
const INDEX_OR_EVERY = /\[(0|-?[1-9]\d{0,8}|\*)\]/y;
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

interface Segment {
  readonly segment: JsonPattern[number];
  readonly end: number;
}

/** The segment of a location that starts at `at`, with its end; `undefined` if there is none. */
function segmentAt(text: string, at: number, index: RegExp): Segment | undefined {
  for (const pattern of [SHORT_NAME, QUOTED_NAME, index]) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) continue;
    const [, first, single] = found;
    const inner = first ?? single ?? '';
    const name = pattern === QUOTED_NAME ? decodedName(inner, first === undefined) : inner;
    if (name === undefined) return undefined;
    const end = pattern.lastIndex;
    if (pattern !== index) return { segment: name, end };
    return { segment: name === '*' ? EVERY : Number(name), end };
  }
  return undefined;
}

function parseSegments(text: string, index: RegExp, whatElse: string): JsonPattern | Problem {
  if (text.length > LOCATION_MAX_LENGTH)
    return { problem: `must have at most ${String(LOCATION_MAX_LENGTH)} characters` };
  if (!text.startsWith('$')) return { problem: 'must be a JSONPath, which starts with $' };
  const segments: JsonPattern[number][] = [];
  for (let at = 1; at < text.length;) {
    const found = segmentAt(text, at, index);
    if (found === undefined) {
      const isOfMany = index === INDEX && NOT_ONE_PLACE.test(text.slice(at, at + 2));
      const what = isOfMany ? 'must name one place' : 'is not understood';
      return { problem: `${what}: after $, only ${whatElse} can follow` };
    }
    segments.push(found.segment);
    at = found.end;
  }
  if (segments.length > LOCATION_MAX_SEGMENTS)
    return { problem: `must have at most ${String(LOCATION_MAX_SEGMENTS)} names and indexes` };
  return segments;
}

/**
 * Reads a JSONPath (RFC 9535) that names one place: `$`, then `.name`, `['name']`, `["name"]` and
 * `[index]`, without spaces. Returns the problem of any other text.
 */
export const parseLocation = (text: string): JsonLocation | Problem =>
  // Its expression reads no symbol.
  parseSegments(text, INDEX, ".name, ['name'] and [index]") as JsonLocation | Problem;

/** Reads a location that may also have `[*]` and negative indexes of arrays. */
export const parsePattern = (text: string): JsonPattern | Problem =>
  parseSegments(text, INDEX_OR_EVERY, ".name, ['name'], [index], [-index] and [*]");

/** Writes a location as a JSONPath. */
export const locationText = (location: JsonLocation): string =>
  location.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${String(segment)}]`;
    return /^[A-Za-z_]\w*$/.test(segment) ? `${text}.${segment}` : `${text}[${JSON.stringify(segment)}]`;
  }, '$');

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
  /** How many values had been found when it was opened. */
  readonly found: number;
}

/** A value that a pattern finds, with its own location. */
export interface FoundPlace extends Stretch {
  readonly location: JsonLocation;
}

const BYTE_ORDER_MARK = '\ufeff';

/** Called with each value at a location, before it is stored. It may throw. */
type OnFound = () => void;
const ignore: OnFound = () => undefined;

/** Finds every value at a pattern during a walk, also in members with the same name. */
class LocationFinder implements JsonVisitor {
  readonly found: FoundPlace[] = [];

  readonly #onFound: OnFound;

  /** Inserts that add the value where the parent has none. */
  readonly additions: { readonly at: number; readonly isFirst: boolean }[] = [];

  /** Whether a parent exists in which the value is not and cannot be added. */
  isBlocked = false;

  readonly #text: string;

  readonly #location: JsonPattern;

  readonly #around: Around[] = [];

  /** Number of open objects and arrays, of which the first ones are those around the location. */
  #depth = 0;

  /** Start of the object or array that is the value, while it is open. */
  #start = -1;

  constructor(text: string, location: JsonPattern, onFound: OnFound) {
    this.#text = text;
    this.#location = location;
    this.#onFound = onFound;
  }

  open(isObject: boolean, start: number): void {
    if (this.#isHere()) {
      const next = this.#location[this.#depth];
      if (next === undefined) this.#start = start;
      else if (isObject === (typeof next === 'string'))
        this.#around.push({
          isObject,
          end: start + 1,
          count: 0,
          isNext: false,
          isMet: false,
          found: this.found.length,
        });
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
    if (!inside.isObject) inside.isNext = mayBeAt(this.#location[this.#depth - 1], inside.count);
    inside.isMet ||= inside.isNext;
    return inside.isNext;
  }

  #add(start: number, end: number): void {
    this.#onFound();
    const location = this.#location.map((segment, at) =>
      typeof segment === 'string' ? segment : (this.#around[at]?.count ?? 0),
    );
    this.found.push({ start, end, location });
  }

  #passed(end: number): void {
    const inside = this.#around.at(-1);
    if (inside === undefined) return;
    inside.count += 1;
    inside.end = end;
  }

  /** Keeps of an array whose end is known what is at an index that counts from there. */
  #countFromEnd({ found, count }: Around): void {
    const depth = this.#around.length;
    const segment = this.#location[depth];
    if (typeof segment !== 'number' || segment >= 0) return;
    const wanted = count + segment;
    // Its own values alone: with all, arrays inside arrays would take quadratic time.
    const own = this.found.splice(found);
    for (const each of own) if (each.location[depth] === wanted) this.found.push(each);
  }

  #leave(): void {
    const inside = this.#around.pop();
    if (inside === undefined) return;
    this.#countFromEnd(inside);
    if (inside.isMet) return;
    const isParent = this.#depth === this.#location.length;
    if (isParent && (inside.isObject || inside.count === this.#location[this.#depth - 1]))
      this.additions.push({ at: inside.end, isFirst: inside.count === 0 });
    else this.isBlocked = true;
  }
}

/** Whether an element can be at a segment; for an index from the end, its array decides later. */
const mayBeAt = (segment: JsonPattern[number] | undefined, index: number): boolean =>
  segment === EVERY || segment === index || (typeof segment === 'number' && segment < 0);

/** Walks a JSON text, which may start with a byte order mark. */
function findLocation(text: string, location: JsonPattern, onFound: OnFound) {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const json = text.slice(mark);
  const finder = new LocationFinder(json, location, onFound);
  walkJson(json, finder);
  return {
    isBlocked: finder.isBlocked,
    found: finder.found.map((each) => ({ ...each, start: each.start + mark, end: each.end + mark })),
    additions: finder.additions.map(({ at, isFirst }) => ({ at: at + mark, isFirst })),
  };
}

/**
 * Every value at a location of a JSON text, in order. There are several if members have the same
 * name, of which readers of JSON take the first, the last or any. Throws `JsonSyntaxError` for a
 * text that is not JSON.
 */
export function valuesAt(text: string, location: JsonPattern, onFound = ignore): readonly FoundPlace[] {
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
