import leven from 'leven';

/** Longest name that is compared or shown, in characters. Longer names are similar to none. */
const NAME_MAX_LENGTH = 64;
/** Most names that are listed if none is similar. */
const LISTED_MAX = 16;
/** More names than these are no help in a message. */
const UNREADABLE = 40;
/** Most names that are listed in addition to a similar one. */
const ALTERNATIVES_MAX = 8;
/** The share of the longer name's letters that may differ. */
const DIFFERING = 0.4;
/** Fewest letters of an abbreviation such as `exp_month` for `expiration_month`. */
const ABBREVIATION_MIN_LENGTH = 3;

/**
 * Removes what differs between spellings of a name. Callers mix up camel case with snake case, and
 * dashes with underscores.
 */
export const normalized = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Whether `short` is the beginning of `long`, or is at least half as long with its letters in the
 * same order: `dedup`, `exp_month`.
 */
function abbreviates(short: string, long: string): boolean {
  if (short.length < ABBREVIATION_MIN_LENGTH || short[0] !== long[0]) return false;
  if (long.startsWith(short)) return true;
  if (short.length * 2 < long.length) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

const lettersOf = (name: string): string => Array.from(name).sort().join('');

/** Whether two names have the same letters in another order, such as `nmae` for `name`. */
const isShuffled = (a: string, b: string): boolean => a.length === b.length && lettersOf(a) === lettersOf(b);

/** The distance between two names in letters; `undefined` if they are not similar. */
function distanceOf(sent: string, known: string): number | undefined {
  const name = normalized(sent);
  const other = normalized(known);
  if (name === '') return undefined;
  const most = Math.max(name.length, other.length) * DIFFERING;
  const isShort = abbreviates(name, other);
  // The distance is at least the difference of the lengths. To compute it costs their product.
  if (!isShort && Math.abs(name.length - other.length) > most) return undefined;
  const distance = leven(name, other);
  return isShort || distance <= most || isShuffled(name, other) ? distance : undefined;
}

/**
 * {@link distanceOf} for names with parts: each part of `token:read` must be similar. Some write
 * them with a dot.
 */
function distanceByParts(sent: string, known: string): number | undefined {
  const parts = sent.split(/[:.]/);
  const others = known.split(':');
  if (parts.length !== others.length) return undefined;
  const distances = parts.map((part, at) => distanceOf(part, others[at] ?? ''));
  return distances.reduce(
    (sum, each) => (sum === undefined || each === undefined ? undefined : sum + each),
    0,
  );
}

/** The known name that a caller may have meant; `undefined` if none is similar. */
export function nearestName(sent: string, known: readonly string[]): string | undefined {
  if (sent.length > NAME_MAX_LENGTH) return undefined;
  let nearest: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = distanceByParts(sent, name);
    if (distance !== undefined && distance < (nearest?.distance ?? Infinity)) nearest = { name, distance };
  }
  return nearest?.name;
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/**
 * The hint for an unknown name: a similar name, or all known names if they are few, or else an
 * empty text. It never contains the unknown name, which may be sensitive.
 */
export function hintOf(sent: string, known: readonly string[]): string {
  const near = nearestName(sent, known);
  if (near !== undefined) return `; did you mean \`${near}\`?`;
  return known.length === 0 || known.length > LISTED_MAX ? '' : `; known here: ${quoted(known)}`;
}

/** Writes the message about an unknown member or parameter. */
export const unknownName = (sent: string, known: readonly string[]): string =>
  `is not known${hintOf(sent, known)}`;

/** Joins names like `a, b or c`. */
function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}

/** The message about a value that is not one of a few names. */
export function notOneOf(sent: unknown, names: readonly string[]): string {
  const near = typeof sent === 'string' ? nearestName(sent, names) : undefined;
  const meant = near === undefined ? '' : `; did you mean \`${near}\`?`;
  const areTooMany = names.length > (meant === '' ? UNREADABLE : ALTERNATIVES_MAX);
  return areTooMany ? `is not known${meant}` : `must be ${alternatives(names)}${meant}`;
}

/** A name in the form that an error path may show. */
export const shownName = (name: string): string => name.slice(0, NAME_MAX_LENGTH);
