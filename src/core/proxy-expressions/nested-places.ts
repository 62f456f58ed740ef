import { beginsLikeJson, mayBeJson } from './body-kind.ts';
import { innerForm } from './inner-form.ts';
import type { Encode } from './inner-grammar.ts';
import { innerJson } from './inner-json.ts';
import type { Skeleton } from './skeleton.ts';

/** The place of a value in a template, and what the value may be there. */
export interface ValuePlace {
  /** True if the value is JSON of its own; absent if it is text. */
  readonly isJson?: boolean;
  /** Texts that are rejected here, and the reason for the error. */
  readonly refused?: { readonly pattern: RegExp; readonly reason: string };
  /** The encodings of the grammars that surround the value, the innermost first. */
  readonly encodes: readonly Encode[];
}

/** Most grammars inside each other. The grammar of the body itself is not counted. */
export const LEVELS_MAX = 4;

/**
 * Rejects values in a text that looks like JSON or a form but is neither: its reader is unknown.
 */
const unclear = (separators = '') => ({
  pattern: new RegExp(`["\\\\{}[\\]&%+#\\p{Cc}${separators}]`, 'u'),
  reason:
    'puts one of " \\ { } [ ] & % + #, a control character, or a separator of that text, into text that looks like JSON, a form, a URL or other pairs',
});
const UNCLEAR = unclear();

/**
 * Matches the start of JSON after other text, as in a frame of a socket, JSONP or an event stream.
 */
const JSON_START = /[{[]\s*"/;

/** A piece after the first one that is not a pair. Then the text is prose, or another grammar. */
const NO_PAIR = /[;,|\s][^;,|\s=]+(?:[;,|\s]|$)/;

/** A text of `name=value` pairs: a cookie, a connection string, or a URL with one parameter. */
export interface Pairs {
  /** The position at which the first `=` is. */
  readonly equals: number;
  /**
   * The characters before and after the first `=` by which a value would add a pair, for a
   * character class.
   */
  readonly before: string;
  readonly after: string;
}

/** The pairs of a text, which is read once; `undefined` for other text. */
export function pairsOf(text: string): Pairs | undefined {
  const equals = text.indexOf('=');
  const trimmed = text.trim();
  if (equals === -1 || NO_PAIR.test(trimmed)) return undefined;
  const marks = [';', ',', '|'].filter((mark) => text.includes(mark)).join('');
  // White space separates pairs only if nothing else does: `a=1; b=2`.
  const blank = marks === '' && !text.includes('&') && /\s/.test(trimmed) ? '\\s' : '';
  const after = `&${marks}${blank}`;
  return { equals, before: `${after}=?`, after };
}

const IN_URL = {
  pattern: /["\\{}[\]&%+#=?\p{Cc}]/u,
  reason: 'puts one of " \\ { } [ ] & % + # = ? or a control character into a URL before its query',
};
const IN_NAME = { pattern: /^/, reason: 'has an expression in the name of a nested member or field' };

/**
 * The places of text that has no known grammar. A value may neither begin nor end a grammar there.
 */
function unclearPlaces(
  { text, at }: Skeleton,
  encodes: readonly Encode[],
  level: number,
): readonly ValuePlace[] {
  const isAll = level > LEVELS_MAX ? mayBeJson(text) : beginsLikeJson(text);
  const pairs = pairsOf(text);
  if (pairs !== undefined) {
    const before = { refused: unclear(pairs.before), encodes };
    const after = { refused: unclear(pairs.after), encodes };
    return at.map((position) => (position < pairs.equals ? before : after));
  }
  const starts = [text.indexOf('='), text.search(JSON_START)].filter((start) => start !== -1);
  const start = Math.min(...starts);
  const refusing = { refused: UNCLEAR, encodes };
  const free = { encodes };
  return at.map((position) => (isAll || start < position ? refusing : free));
}

/**
 * The place of each reference in a text is that of the innermost grammar
 * (docs/decisions/0043-encode-for-the-innermost-grammar.md). `encodes` has the encodings of the
 * grammars around the text.
 */
export function nestedPlaces(
  skeleton: Skeleton,
  encodes: readonly Encode[] = [],
  level = 1,
): readonly ValuePlace[] {
  if (skeleton.at.length === 0) return [];
  const inner = level > LEVELS_MAX ? undefined : (innerJson(skeleton) ?? innerForm(skeleton));
  if (inner === undefined) return unclearPlaces(skeleton, encodes, level);
  return inner.flatMap((place): readonly ValuePlace[] => {
    const { at } = place.skeleton;
    if (place.kind === 'text') return nestedPlaces(place.skeleton, [place.encode, ...encodes], level + 1);
    if (place.kind === 'value') return at.map(() => ({ isJson: true, encodes }));
    return at.map(() => ({ refused: place.kind === 'url' ? IN_URL : IN_NAME, encodes }));
  });
}
