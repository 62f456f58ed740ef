import * as z from 'zod';

/** The environment that every function behind the API needs for its edge. Lists are separated by commas. */
export const edgeEnvironment = z.object({
  ACCESS_TABLE: z.string().min(1),
  EPHEMERAL_TABLE: z.string().min(1),
  KEY_ID: z.string().min(1),
  HEADER_PREFIXES: z
    .string()
    .min(1)
    .transform((list) => list.split(',')),
  /** What the edge in front adds to each request; empty if there is none in front. */
  EDGE_SECRET: z.string(),
});
