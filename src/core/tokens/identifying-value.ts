/** A value that identifies what a token stands for, with what of it may show in the clear. */
export interface IdentifyingValue {
  readonly value: string;
  /** How many of its first characters may show: the BIN of a card number. */
  readonly first: number;
  /**
   * How many of its last characters may show. No run that is longer may show, wherever it stands in
   * the value.
   */
  readonly last: number;
}

/** A value of which only the last four characters may show. */
export function lastFourOf(value: unknown): readonly IdentifyingValue[] {
  return typeof value === 'string' ? [{ value, first: 0, last: 4 }] : [];
}

/**
 * The digit that a digit of another script means: digits of one script stand in a row from zero on
 * (Unicode, section 4.6).
 */
function asciiDigit(digit: string): string {
  const at = digit.codePointAt(0) ?? 0;
  let zero = at;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((at - zero) % 10);
}

/** The letters and digits of a text without separators, accents, case and scripts of digits. */
function readable(text: string): string {
  return text
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{Nd}]/gu, '')
    .replaceAll(/(?![0-9])\p{Nd}/gu, asciiDigit);
}

/**
 * Whether a text shows a run of the value that is longer than what may show, and not part of its
 * first characters.
 */
function showsRun(text: string, value: string, { first, last }: IdentifyingValue): boolean {
  const start = value.slice(0, first);
  for (let from = 0; from < value.length; from += 1) {
    for (let to = from + last + 1; to <= value.length; to += 1) {
      const run = value.slice(from, to);
      if (!text.includes(run)) break;
      if (!start.includes(run)) return true;
    }
  }
  return false;
}

const lettersOf = (text: string): string => text.replaceAll(/\d/g, '');
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** Whether all digits of the value (or letters, if it has more) are in those of the text. */
function showsKind(text: string, value: string, { last }: IdentifyingValue): boolean {
  const of = lettersOf(value).length > digitsOf(value).length ? lettersOf : digitsOf;
  return of(value).length > last && of(text).includes(of(value));
}

/**
 * The bytes that a run of letters and digits may be the hex of: a run of them may start with a
 * digit that is not part of it.
 */
function hexIn(text: string): readonly string[] {
  return (text.match(/[0-9a-f]{2,}/gi) ?? []).flatMap((run) =>
    [0, 1].map((from) => Buffer.from(run.slice(from), 'hex').toString('utf8')),
  );
}

/**
 * The bytes that runs of its characters may be the base64 or base64url of, at each of the four
 * places where a group may start.
 */
function base64In(text: string): readonly string[] {
  return (text.match(/[\w-]{2,}/g) ?? []).flatMap((run) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('utf8')),
  );
}

/**
 * Whether an id tells more of a value than may show: a longer run, all its digits (or letters)
 * with others between them, or the whole of it in hex or base64. Separators hide nothing.
 */
export function tellsTooMuch(id: string, identifying: IdentifyingValue): boolean {
  const value = readable(identifying.value);
  // A value no longer than what may show may show whole.
  if (value.length <= identifying.last) return false;
  const text = readable(id);
  if (showsRun(text, value, identifying) || showsKind(text, value, identifying)) return true;
  const joined = id.replaceAll(/[^a-z0-9]/gi, '');
  return [id, joined].some((runs) =>
    [...hexIn(runs), ...base64In(runs)].some((bytes) => readable(bytes).includes(value)),
  );
}
