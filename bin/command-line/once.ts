import { UsageError } from './failures.ts';

/** Rejects a repeated option: one of its values would be ignored. */
export const once =
  (name: string, parse: (text: string) => unknown) =>
  (text: string, previous: unknown): unknown => {
    if (previous !== undefined) throw new UsageError(`--${name} appears twice`);
    return parse(text);
  };

/** Rejects an empty value, which a variable that is not set leaves. */
export const filled =
  (name: string, parse: (text: string) => unknown = (text) => text) =>
  (text: string): unknown => {
    if (text === '') throw new UsageError(`--${name} must not be empty`);
    return parse(text);
  };

/** Appends the value of an option that may appear several times. */
export const each =
  (parse: (text: string) => unknown) =>
  (text: string, previous: readonly unknown[] = []): readonly unknown[] => [...previous, parse(text)];
