import { UsageError } from './failures.ts';

/** Rejects a repeated option, of which one value would be ignored, and an empty value. */
export const once =
  (name: string, check: (text: string) => unknown = (text) => text) =>
  (text: string, previous: unknown): unknown => {
    if (previous !== undefined) throw new UsageError(`--${name} appears twice`);
    if (text === '') throw new UsageError(`--${name} must not be empty`);
    return check(text);
  };
