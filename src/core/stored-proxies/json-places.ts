import { parseJson } from '../shared/parse-json.ts';
import { walkJson, type JsonVisitor } from '../shared/walk-json.ts';
import { EVERY, type JsonLocation, type JsonPattern } from './json-location.ts';

/** A part of a JSON text, in UTF-16 code units. A part without length is a place to insert at. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A range and the JSON text that replaces it. */
export interface JsonEdit extends TextRange {
  readonly json: string;
}

/** An object or array that contains the location, while it is open. */
interface ParentValue {
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
export interface FoundPlace extends TextRange {
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

  readonly #around: ParentValue[] = [];

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
  #inside(): ParentValue | undefined {
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
  #countFromEnd({ found, count }: ParentValue): void {
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

/** Longest text that replacements make, in UTF-16 code units: more than any body may have. */
export const TEXT_MAX_LENGTH = 6_000_000;

/** Reports that a text would become too long, before it is built. */
export class TextLengthError extends Error {}

/** So many pieces of a text are joined at a time, since each takes memory of its own. */
const PIECES_MAX = 10_000;

/**
 * Replaces ranges of a text; all others are unchanged. The edits may have any order, and must
 * not overlap. Throws {@link TextLengthError}.
 */
export const replaceAt = (text: string, edits: readonly JsonEdit[]): string =>
  replaceEach(text, edits, ({ json }) => json);

/** Replaces ranges of a text as {@link replaceAt} does, each by what `replacementOf` says. */
export function replaceEach<Part extends TextRange>(
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
