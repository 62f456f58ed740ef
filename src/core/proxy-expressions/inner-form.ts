import { decodeFormValue, encodeFormValue } from './form-encoding.ts';
import type { InnerPlace } from './inner-grammar.ts';
import { decodedRange, rangeOf, type Range, type Skeleton } from './skeleton.ts';

const unchanged = (text: string): string => text;

/** The places of a name. The name of the first pair may have a URL before it. */
function namePlaces(skeleton: Skeleton, name: Range): readonly InnerPlace[] {
  if (name.firstAt === name.endAt) return [];
  // The text before the first `?` is a URL and not a name.
  const question = name.from === 0 ? skeleton.text.slice(0, name.to).indexOf('?') : -1;
  const url = rangeOf(skeleton, name.from, question, name.firstAt);
  const rest = { ...name, from: question + 1, firstAt: url.endAt };
  return [
    ...(url.firstAt < url.endAt
      ? [{ kind: 'url', skeleton: decodedRange(skeleton, url, unchanged) } as const]
      : []),
    ...(rest.firstAt < rest.endAt
      ? [{ kind: 'name', skeleton: decodedRange(skeleton, rest, unchanged) } as const]
      : []),
  ];
}

/** The place of a value with references; `undefined` if its encoding is invalid. */
function valuePlace(skeleton: Skeleton, value: Range): InnerPlace | undefined {
  const pieces: (string | undefined)[] = [];
  const decoded = decodedRange(skeleton, value, (text) => {
    const piece = decodeFormValue(text);
    pieces.push(piece);
    return piece ?? '';
  });
  return pieces.includes(undefined)
    ? undefined
    : { kind: 'text', skeleton: decoded, encode: encodeFormValue };
}

/**
 * The places of a text that is a form: two or more `name=value` joined by `&`, without white space
 * inside; `undefined` for other text.
 */
export function innerForm(skeleton: Skeleton): readonly InnerPlace[] | undefined {
  const { text } = skeleton;
  if (!text.includes('&') || /\s/.test(text.trim())) return undefined;
  const places: InnerPlace[] = [];
  let next = 0;
  for (let from = 0; from <= text.length;) {
    const end = text.indexOf('&', from);
    const to = end === -1 ? text.length : end;
    const equals = text.indexOf('=', from);
    // The `=` may be that of a later pair. The loop ends here then too, so that it stays linear.
    if (equals <= from || equals >= to) return undefined;
    const name = rangeOf(skeleton, from, equals, next);
    const value = rangeOf(skeleton, equals + 1, to, name.endAt);
    next = value.endAt;
    places.push(...namePlaces(skeleton, name));
    if (value.firstAt < value.endAt) {
      const place = valuePlace(skeleton, value);
      if (place === undefined) return undefined;
      places.push(place);
    }
    from = to + 1;
  }
  return places;
}
