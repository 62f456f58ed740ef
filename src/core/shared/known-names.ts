import leven from 'leven';

/** Longest name that is looked at or shown, in characters: longer ones are near to none. */
const NAME_MAX_LENGTH = 64;
/** Names that are listed where none is near. */
const LISTED_MAX = 16;
/** Names that are listed even where one is near. */
const ALTERNATIVES_MAX = 8;
/** Of the longer name's letters, how many may differ. */
const DIFFERING = 0.4;
/** Letters of an abbreviation: `exp_month` for `expiration_month`. */
const ABBREVIATION_MIN_LENGTH = 3;

/** Spelling that callers mix up: camel case for snake case, dashes for underscores. */
const normalized = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Whether `short` begins `long`, or is at least half of it, its letters in their order: `dedup`,
 * `exp_month`.
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

/** The same letters in another order: `nmae` for `name`. */
const isShuffled = (a: string, b: string): boolean => lettersOf(a) === lettersOf(b);

/** How far one name is from another, in letters; `undefined` if they are not near. */
function distanceOf(given: string, known: string): number | undefined {
  const [name, other] = [normalized(given), normalized(known)];
  if (name === '') return undefined;
  const distance = leven(name, other);
  const isNear =
    distance <= Math.max(name.length, other.length) * DIFFERING ||
    isShuffled(name, other) ||
    abbreviates(name, other);
  return isNear ? distance : undefined;
}

/** {@link distanceOf} of names with parts: each part of `token:read` must be near. */
function distanceByParts(given: string, known: string): number | undefined {
  const [parts, others] = [given.split(':'), known.split(':')];
  if (parts.length !== others.length) return undefined;
  const distances = parts.map((part, at) => distanceOf(part, others[at] ?? ''));
  return distances.reduce(
    (sum, each) => (sum === undefined || each === undefined ? undefined : sum + each),
    0,
  );
}

/** The known name that a caller may have meant; `undefined` if none is near. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > NAME_MAX_LENGTH) return undefined;
  let nearest: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = distanceByParts(given, name);
    if (distance !== undefined && distance < (nearest?.distance ?? Infinity)) nearest = { name, distance };
  }
  return nearest?.name;
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/**
 * What to say to a name that is not known: the one that may have been meant, or else all that there
 * are if they are few; the empty text if neither. Never the name itself: it may be anything.
 */
export function hintOf(given: string, known: readonly string[]): string {
  const near = nearestName(given, known);
  if (near !== undefined) return `; did you mean \`${near}\`?`;
  return known.length === 0 || known.length > LISTED_MAX ? '' : `; known here: ${quoted(known)}`;
}

/** The message about a member or parameter that is not known. */
export const unknownName = (given: string, known: readonly string[]): string =>
  `is not known${hintOf(given, known)}`;

/** `a, b or c`. */
function alternatives(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}

/** The message about a value that is none of a few names. */
export function notOneOf(given: unknown, names: readonly string[]): string {
  const near = typeof given === 'string' ? nearestName(given, names) : undefined;
  const meant = near === undefined ? '' : `; did you mean \`${near}\`?`;
  return meant !== '' && names.length > ALTERNATIVES_MAX
    ? `is not known${meant}`
    : `must be ${alternatives(names)}${meant}`;
}

/** A name as an error may show it in a path. */
export const shownName = (name: string): string => name.slice(0, NAME_MAX_LENGTH);
