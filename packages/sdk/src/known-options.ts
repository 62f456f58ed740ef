import { isRecord } from './is-record.ts';

/** Names of options, complete by the type that each list satisfies. */
export type Names<T> = Readonly<Record<keyof T, unknown>>;

/**
 * Options whose names are all known: a misspelt one would silently not apply, and `transform` shows
 * less. Throws `TypeError` that names it, without its value.
 */
export function knownOptions<T extends object>(what: string, options: T, known: object): T {
  if (!isRecord(options) || Array.isArray(options)) throw new TypeError(`${what} must be an object`);
  const names = Object.keys(known);
  const unknown = Object.entries(options).find(
    ([name, value]) => value !== undefined && !names.includes(name),
  )?.[0];
  if (unknown === undefined) return options;
  throw new TypeError(`${unknown} is not known in ${what}: known are ${names.join(', ')}`);
}
