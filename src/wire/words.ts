/*
 * What the OpenAPI document says about members beside their schemas. Words would enlarge the
 * functions: a wire module makes them in a function that only tools call.
 */

/**
 * The description of a member: words, and, as JSON Schema, limits that `core` checks and the schema
 * of the body lacks.
 */
export type Member = string | { readonly words: string; readonly limits: object };

/** Descriptions by the path of the member: `rules[].priority`. */
export type Members = Readonly<Record<string, Member>>;

/** A number as the document writes it: `10,000`. */
export const counted = (count: number): string => count.toLocaleString('en');

/** A duration in the largest unit that divides it: `1 hour`. */
export function duration(ms: number): string {
  const [count, unit] =
    ms % 3_600_000 === 0
      ? [ms / 3_600_000, 'hour']
      : ms % 60_000 === 0
        ? [ms / 60_000, 'minute']
        : [ms / 1_000, 'second'];
  return `${counted(count)} ${unit}${count === 1 ? '' : 's'}`;
}

/** Bytes in MB of 1,000,000 bytes: `3.5 MB`. */
export const megabytes = (bytes: number): string => `${String(bytes / 1_000_000)} MB`;
