import { parseJson } from '../shared/parse-json.ts';

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
