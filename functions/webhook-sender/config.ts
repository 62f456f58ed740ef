import * as z from 'zod/mini';
import { hostList, variable } from '../../src/lambda/environment.ts';

/** The environment of the sender of webhooks. */
export const environment = z.object({
  ACCESS_TABLE: variable,
  EPHEMERAL_TABLE: variable,
  REACTORS_TABLE: variable,
  KEY_ID: variable,
  DELIVERIES_QUEUE_URL: variable,
  EGRESS_ALLOW_LIST: hostList,
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
