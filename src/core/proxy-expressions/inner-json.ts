import { parseJson } from '../shared/parse-json.ts';
import { walkJson } from '../shared/walk-json.ts';
import { mayBeJson } from './body-kind.ts';
import type { InnerPlace } from './inner-grammar.ts';
import { decodedRange, rangeOf, type Range, type Skeleton } from './skeleton.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The positions of the placeholders outside of quotes. */
function outsideQuotes({ text, at }: Skeleton): readonly number[] {
  const outside: number[] = [];
  let isInside = false;
  let from = 0;
  for (const position of at) {
    for (; from < position; from += 1) {
      const code = text.charCodeAt(from);
      if (code === QUOTE) isInside = !isInside;
      else if (code === BACKSLASH) from += 1;
    }
    if (!isInside) outside.push(position);
  }
  return outside;
}

/** The text with a whole JSON value in place of each placeholder outside of quotes. */
function withValues({ text }: Skeleton, outside: readonly number[]): string {
  if (outside.length === 0) return text;
  let start = 0;
  const pieces = outside.map((position) => {
    const piece = `${text.slice(start, position)}0`;
    start = position + 1;
    return piece;
  });
  return pieces.join('') + text.slice(start);
}

const decodeString = (text: string): string => parseJson(`"${text}"`) as string;
const encodeString = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * The places of a text that is a JSON object, array or quoted string; `undefined` for other text.
 * To decide that, text replaces each expression inside quotes, and `null` replaces the others.
 */
export function innerJson(skeleton: Skeleton): readonly InnerPlace[] | undefined {
  if (!mayBeJson(skeleton.text)) return undefined;
  const text = withValues(skeleton, outsideQuotes(skeleton));
  const places: InnerPlace[] = [];
  let next = 0;
  let mixed = 0;
  const rangeIn = (start: number, end: number): Range | undefined => {
    const range = rangeOf(skeleton, start, end, next);
    next = range.endAt;
    return range.firstAt === range.endAt ? undefined : range;
  };
  const ignore = (): void => undefined;
  try {
    walkJson(text, {
      open: ignore,
      close: ignore,
      name(start, end) {
        const range = rangeIn(start, end);
        if (range !== undefined)
          places.push({ kind: 'name', skeleton: decodedRange(skeleton, range, (raw) => raw) });
      },
      scalar(start, end) {
        const range = rangeIn(start, end);
        if (range === undefined) return;
        if (text.charCodeAt(start) === QUOTE) {
          const inside = { ...range, from: start + 1, to: end - 1 };
          const decoded = decodedRange(skeleton, inside, decodeString);
          places.push({ kind: 'text', skeleton: decoded, encode: encodeString });
        } else {
          // A digit next to a placeholder would be part of the same number.
          if (end - start > 1) mixed += 1;
          places.push({ kind: 'value', skeleton: decodedRange(skeleton, range, (raw) => raw) });
        }
      },
    });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return mixed > 0 ? undefined : places;
}
