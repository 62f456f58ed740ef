import * as z from 'zod';

const name = z.string().min(1);

/** The environment of the worker that runs asynchronous invocations. */
export const environment = z.object({
  ACCESS_TABLE: name,
  EPHEMERAL_TABLE: name,
  TOKENS_TABLE: name,
  REACTORS_TABLE: name,
  KEY_ID: name,
  LIST_SHARDS: z.coerce.number().int().min(1),
  CVC_LIFETIME_SECONDS: z.coerce.number().int().min(1),
  EGRESS_ALLOW_LIST: z.string().transform((list) => list.split(',').filter((entry) => entry !== '')),
  INVOCATIONS_QUEUE_URL: name,
  DELIVERIES_QUEUE_URL: name,
  REACTOR_FUNCTION_PREFIX: name,
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
