import * as z from 'zod';
import { edgeEnvironment } from '../../http/edge-environment.ts';

/** The environment of the tokens function. */
export const environment = edgeEnvironment.extend({
  TOKENS_TABLE: z.string().min(1),
  LIST_SHARDS: z.coerce.number().int().min(1),
  CVC_LIFETIME_SECONDS: z.coerce.number().int().min(1),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
