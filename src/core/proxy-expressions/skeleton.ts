import type { TokenTemplate } from '../expressions/token-expression.ts';

/** Replaces a reference. It is plain text in every grammar, and no digit of an escape. */
const PLACEHOLDER = 'x';

/**
 * A template, or a decoded piece of it, with one placeholder for each reference. Positions, not
 * characters, identify placeholders, so no text can imitate one.
 */
export interface Skeleton {
  readonly text: string;
  /** The positions of the placeholders, in ascending order. */
  readonly at: readonly number[];
  /** The number of references of the template that come before this piece. */
  readonly first: number;
}

export function skeletonOf(template: TokenTemplate): Skeleton {
  const at: number[] = [];
  let text = '';
  for (const part of template) {
    if (part.kind === 'token') at.push(text.length);
    text += part.kind === 'token' ? PLACEHOLDER : part.text;
  }
  return { text, at, first: 0 };
}

/** A range of a skeleton's text, and the range that its placeholders have in `at`. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly firstAt: number;
  readonly endAt: number;
}

/** Makes a range a skeleton of its own. `decode` decodes the text between placeholders. */
export function decodedRange(skeleton: Skeleton, range: Range, decode: (text: string) => string): Skeleton {
  const at: number[] = [];
  let text = '';
  let start = range.from;
  for (const position of skeleton.at.slice(range.firstAt, range.endAt)) {
    text += decode(skeleton.text.slice(start, position));
    at.push(text.length);
    text += PLACEHOLDER;
    start = position + 1;
  }
  text += decode(skeleton.text.slice(start, range.to));
  return { text, at, first: skeleton.first + range.firstAt };
}

/** The range `from..to`, whose first placeholder is the first at `firstAt` or later. */
export function rangeOf({ at }: Skeleton, from: number, to: number, firstAt: number): Range {
  let endAt = firstAt;
  while ((at[endAt] ?? Infinity) < to) endAt += 1;
  return { from, to, firstAt, endAt };
}
