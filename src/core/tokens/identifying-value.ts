/** A value that identifies the subject of a token, and how much of it may be shown in the clear. */
export interface IdentifyingValue {
  readonly value: string;
  /** How many of its first characters may be shown, such as the BIN of a card number. */
  readonly first: number;
  /** How many of its last characters may be shown. A longer run may not be shown anywhere. */
  readonly last: number;
}

/** A value of which only the last four characters may be shown. */
export function lastFourOf(value: unknown): readonly IdentifyingValue[] {
  return typeof value === 'string' ? [{ value, first: 0, last: 4 }] : [];
}

/**
 * The ASCII form of a digit of another script. The digits of a script are consecutive, from zero on
 * (Unicode, section 4.6).
 */
function asciiDigit(digit: string): string {
  const at = digit.codePointAt(0) ?? 0;
  let zero = at;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((at - zero) % 10);
}

/**
 * The letters and digits of a text without separators and accents, in lower case, with ASCII
 * digits.
 */
function readable(text: string): string {
  return text
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{Nd}]/gu, '')
    .replaceAll(/(?![0-9])\p{Nd}/gu, asciiDigit);
}

/** The positions at which a part occurs in a text. They may overlap. */
function* placesOf(part: string, text: string): Generator<number> {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) yield at;
}

/**
 * Where a text has the first and the last characters of a value side by side. All of these may be
 * shown.
 */
function allowedStretches(text: string, value: string, { first, last }: IdentifyingValue) {
  const end = value.slice(-last);
  return Array.from({ length: first }, (_, length) => value.slice(0, length + 1))
    .flatMap((start) => [`${start}${end}`, `${end}${start}`])
    .flatMap((both) => [...placesOf(both, text)].map((from) => ({ from, to: from + both.length })));
}

/**
 * Whether a text contains a run of the value that is longer than `last` and not part of its first
 * characters. First and last characters side by side may look like a longer run, but are not one.
 */
function showsRun(text: string, value: string, identifying: IdentifyingValue): boolean {
  const { first, last } = identifying;
  const start = value.slice(0, first);
  const allowed = allowedStretches(text, value, identifying);
  for (let from = 0; from < value.length; from += 1) {
    for (let to = from + last + 1; to <= value.length; to += 1) {
      const run = value.slice(from, to);
      if (!text.includes(run)) break;
      if (start.includes(run)) continue;
      for (const at of placesOf(run, text))
        if (!allowed.some((range) => range.from <= at && at + run.length <= range.to)) return true;
    }
  }
  return false;
}

const lettersOf = (text: string): string => text.replaceAll(/\d/g, '');
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

/** Whether the text contains all digits of the value (or all letters, if it has more of those). */
function showsKind(text: string, value: string, { last }: IdentifyingValue): boolean {
  const of = lettersOf(value).length > digitsOf(value).length ? lettersOf : digitsOf;
  return of(value).length > last && of(text).includes(of(value));
}

/**
 * Texts that a run of hex digits may encode. The first digit of a run may not be part of the code.
 */
function hexIn(text: string): readonly string[] {
  return (text.match(/[0-9a-f]{2,}/gi) ?? []).flatMap((run) =>
    [0, 1].map((from) => Buffer.from(run.slice(from), 'hex').toString('utf8')),
  );
}

/**
 * Texts that a run of characters may encode in base64 or base64url, for each of the four positions
 * where a group may start.
 */
function base64In(text: string): readonly string[] {
  return (text.match(/[\w-]{2,}/g) ?? []).flatMap((run) =>
    [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('utf8')),
  );
}

/**
 * Whether an id shows more of a value than allowed: a longer run; all of its digits (or letters),
 * even with others between them; or the whole value in hex or base64. Separators are ignored.
 */
export function revealsTooMuch(id: string, identifying: IdentifyingValue): boolean {
  const value = readable(identifying.value);
  // A value that is no longer than `last` may be shown in full.
  if (value.length <= identifying.last) return false;
  const text = readable(id);
  if (showsRun(text, value, identifying) || showsKind(text, value, identifying)) return true;
  const joined = id.replaceAll(/[^a-z0-9]/gi, '');
  return [id, joined].some((runs) =>
    [...hexIn(runs), ...base64In(runs)].some((bytes) => readable(bytes).includes(value)),
  );
}

/** Digits of a value in a row that a UUID may not have. A random UUID hardly ever has eight. */
const UUID_RUN = 8;
/** Digits of a value that a UUID may not have with other characters between them. */
const UUID_DIGITS = 10;
/** Length of the values that a UUID may not contain as a whole: SSN, EIN, ABA routing number. */
const NINE_DIGITS = 9;

function runsOf(value: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(0, value.length - length + 1) }, (_, from) =>
    value.slice(from, from + length),
  );
}

/**
 * Whether an id in the form of a UUID spells out digits of a value (docs/contract.md#token-ids).
 * Random UUIDs have short runs of any digits, so the rule is looser than {@link revealsTooMuch}.
 */
export function spellsDigits(id: string, { value }: IdentifyingValue): boolean {
  const digits = digitsOf(value);
  if (digits.length < UUID_RUN) return false;
  const joined = id.replaceAll('-', '');
  const scattered = digitsOf(id);
  return (
    runsOf(digits, UUID_RUN).some((run) => joined.includes(run)) ||
    runsOf(digits, UUID_DIGITS).some((run) => scattered.includes(run)) ||
    (digits.length === NINE_DIGITS && scattered.includes(digits))
  );
}

/** Values with fewer digits are parts of many numbers. */
const TELLING_DIGITS = 8;
/** A text that shows most of a value lacks at most as many of its digits. */
const MISSING_DIGITS = 4;

/**
 * Whether a text that is stored in the clear spells most digits of a value. It is looser than
 * {@link revealsTooMuch}: old ids and customers of other systems have short runs of any digits.
 */
export function spellsMost(text: string, { value }: IdentifyingValue): boolean {
  const digits = digitsOf(readable(value));
  if (digits.length < TELLING_DIGITS) return false;
  const shown = digitsOf(readable(text));
  return runsOf(digits, Math.max(TELLING_DIGITS, digits.length - MISSING_DIGITS)).some((run) =>
    shown.includes(run),
  );
}
