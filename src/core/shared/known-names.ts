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

/** Whether the letters of `short` stand in `long` in their order, from its first one on. */
function abbreviates(short: string, long: string): boolean {
  if (short.length < ABBREVIATION_MIN_LENGTH || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

const lettersOf = (name: string): string => Array.from(name).sort().join('');

/** The same letters in another order: `nmae` for `name`. */
const isShuffled = (a: string, b: string): boolean => lettersOf(a) === lettersOf(b);

/** The known name that a caller may have meant; `undefined` if none is near. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > NAME_MAX_LENGTH) return undefined;
  const name = normalized(given);
  if (name === '') return undefined;
  const ranked = known
    .map((each) => {
      const other = normalized(each);
      const distance = leven(name, other);
      const isNear =
        distance <= Math.max(name.length, other.length) * DIFFERING ||
        isShuffled(name, other) ||
        abbreviates(name, other);
      return { each, distance, isNear };
    })
    .filter(({ isNear }) => isNear)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.each;
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
