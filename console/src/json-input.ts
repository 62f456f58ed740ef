import { InputError } from './input-error.ts';

/** The text of any JSON, strings as they are. */
export const jsonText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);

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
