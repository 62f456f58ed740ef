/*
 * The OpenAPI document describes members beside their schemas. Words would enlarge the functions,
 * so a wire module makes them in a function that only tools call.
 */

/**
 * The description of a member in words. `limits` has, as JSON Schema, limits that `core` checks and
 * that the schema of the body lacks.
 */
export type Member = string | { readonly words: string; readonly limits: object };

/** Descriptions by the path that a member has, such as `rules[].priority`. */
export type Members = Readonly<Record<string, Member>>;

/** Writes a number as the OpenAPI document does: `10,000`. */
export const counted = (count: number): string => count.toLocaleString('en');

/** Writes a duration in the largest unit that divides it: `1 hour`. */
export function duration(ms: number): string {
  const [count, unit] =
    ms % 3_600_000 === 0
      ? [ms / 3_600_000, 'hour']
      : ms % 60_000 === 0
        ? [ms / 60_000, 'minute']
        : [ms / 1_000, 'second'];
  return `${counted(count)} ${unit}${count === 1 ? '' : 's'}`;
}

/** Writes bytes in MB of 1,000,000 bytes: `3.5 MB`. */
export const megabytes = (bytes: number): string => `${String(bytes / 1_000_000)} MB`;
