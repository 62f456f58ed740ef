import { z } from 'zod';

/** The environment of the sweeper function. */
export const environment = z.object({
  TOKENS_TABLE: z.string().min(1),
  EPHEMERAL_TABLE: z.string().min(1),
  ACCESS_TABLE: z.string().min(1),
  LIST_SHARDS: z.coerce.number().int().min(1),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
