/** `3 tokens`, `1 token`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** Cuts a text for a place where its whole is a link away. */
export const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** An instant as people of one place read it, with its zone. */
export const readableTime = (iso: string): string => {
  const time = new Date(iso);
  return Number.isNaN(time.getTime())
    ? iso
    : time.toLocaleString('en-GB', {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        timeZoneName: 'short',
      });
};

/** The time of day where the person is, to the second. */
export const clockTime = (iso: string): string => new Date(iso).toLocaleTimeString('en-GB');

/** An instant for the browser's input, which is in the zone of the person. */
export function localTime(iso: string | undefined): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `3 minutes ago`, `in 2 days`. */
export function distanceOf(iso: string, now: number): string {
  const difference = new Date(iso).getTime() - now;
  if (Number.isNaN(difference)) return '';
  for (const [unit, length] of UNITS)
    if (Math.abs(difference) >= length)
      return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(
        Math.trunc(difference / length),
        unit,
      );
  return difference > 0 ? 'in a moment' : 'just now';
}

/** The text of any JSON, strings as they are. */
export const jsonText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);

/** The input is wrong, so nothing is sent. The message says how. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

const STRINGS = /"(?:[^"\\]|\\.)*"/g;
const NUMBERS = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** JavaScript preserves so many digits of any number. */
const SAFE_DIGITS = 15;

/** A number in a JSON text that a browser would change, such as a card number without quotes. */
function changedNumber(text: string): string | undefined {
  const numbers = text.replaceAll(STRINGS, '""').match(NUMBERS) ?? [];
  return numbers.find((number) => {
    const isInteger = /^-?\d+$/.test(number);
    if (isInteger) return !Number.isSafeInteger(Number(number));
    return number.replace(/[eE].*$/, '').replaceAll(/\D/g, '').length > SAFE_DIGITS;
  });
}

/** Returns the `value` of a JSON text, or a `problem` for a person. */
export function parsedJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'it is no JSON' };
  }
  const changed = changedNumber(text);
  if (changed === undefined) return { value };
  return { problem: `the number with ${String(changed.length)} characters would change: write it in quotes` };
}

/**
 * The value of a JSON text; any other text is itself. Throws {@link InputError} for a number that a
 * browser would change.
 */
export function jsonOrText(text: string): unknown {
  const parsed = parsedJson(text);
  if ('value' in parsed) return parsed.value;
  if (isJson(text)) throw new InputError(parsed.problem);
  return text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
