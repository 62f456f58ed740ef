import * as z from 'zod';
import { edgeEnvironment } from '../../http/edge-environment.ts';

/** The environment of the proxy function. */
export const environment = edgeEnvironment.extend({
  TOKENS_TABLE: z.string().min(1),
  LIST_SHARDS: z.coerce.number().int().min(1),
  EGRESS_ALLOW_LIST: z.string().transform((list) => list.split(',').filter((entry) => entry !== '')),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
