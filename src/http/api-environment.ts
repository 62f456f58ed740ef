import * as z from 'zod/mini';
import { auditEnvironment, clientCompatibility, storeEnvironment, variable } from '../lambda/environment.ts';

/** Values of the edge secret, the current one first. An empty variable has none. */
const edgeSecrets = z.pipe(
  z.pipe(
    z.string(),
    z.transform((list) => (list === '' ? [] : list.split(','))),
  ),
  z.array(z.string().check(z.minLength(32, 'has a value that is too short'))),
);

/** The environment variables that every function behind the API needs. */
export const apiEnvironment = z.object({
  ...storeEnvironment,
  ...auditEnvironment,
  HEADER_PREFIXES: z.pipe(
    variable,
    z.transform((list) => list.split(',')),
  ),
  CLIENT_COMPATIBILITY: clientCompatibility,
  /** The documentation has this address, to which errors refer. Empty for none. */
  DOCS_URL: z.string(),
  /**
   * The secret that the edge adds to each request, and its previous value. Empty without an edge.
   */
  EDGE_SECRET: edgeSecrets,
});
