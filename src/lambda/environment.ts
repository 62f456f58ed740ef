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

/** Values of the edge's secret, the current one first; none if the text is empty. */
const edgeSecrets = z.pipe(
  z.pipe(
    z.string(),
    z.transform((list) => (list === '' ? [] : list.split(','))),
  ),
  z.array(z.string().check(z.minLength(32, 'has a value that is too short'))),
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
  /** What the edge adds to each request, and what it added before; empty without an edge. */
  EDGE_SECRET: edgeSecrets,
});
