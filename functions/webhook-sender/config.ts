import * as z from 'zod';

const name = z.string().min(1);

/** The environment of the sender of webhooks. */
export const environment = z.object({
  ACCESS_TABLE: name,
  EPHEMERAL_TABLE: name,
  REACTORS_TABLE: name,
  KEY_ID: name,
  DELIVERIES_QUEUE_URL: name,
  EGRESS_ALLOW_LIST: z.string().transform((list) => list.split(',').filter((entry) => entry !== '')),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
