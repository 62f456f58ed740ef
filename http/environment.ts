import * as z from 'zod/mini';

/*
 * Pieces of the schemas of environments. Every variable is text; a list is separated by commas.
 */

/** A text that says something. */
export const variable = z.string({ error: 'is not set' }).check(z.minLength(1, 'is empty'));

/** A whole number from `least`. */
export function wholeNumber(least: number) {
  const error = `must be a whole number from ${String(least)}`;
  return z.pipe(z.coerce.number({ error }), z.int({ error }).check(z.minimum(least, error)));
}

/** The hosts that code and webhooks may reach; none if it is empty. */
export const hostList = z.pipe(
  z.string(),
  z.transform((list) => list.split(',').filter((entry) => entry !== '')),
);

/** The environment that every function behind the API needs for its edge. */
export const edgeEnvironment = z.object({
  ACCESS_TABLE: variable,
  EPHEMERAL_TABLE: variable,
  KEY_ID: variable,
  HEADER_PREFIXES: z.pipe(
    variable,
    z.transform((list) => list.split(',')),
  ),
  /** What the edge in front adds to each request; empty if there is none in front. */
  EDGE_SECRET: z.string(),
});
