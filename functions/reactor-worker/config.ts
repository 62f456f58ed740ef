import * as z from 'zod/mini';
import { hostList, variable, wholeNumber } from '../../src/lambda/environment.ts';

/** The environment of the worker that runs asynchronous invocations. */
export const environment = z.object({
  SERVICE_NAME: variable,
  ACCESS_TABLE: variable,
  EPHEMERAL_TABLE: variable,
  TOKENS_TABLE: variable,
  REACTORS_TABLE: variable,
  KEY_ID: variable,
  LIST_SHARDS: wholeNumber(1),
  CVC_LIFETIME_SECONDS: wholeNumber(1),
  EGRESS_ALLOW_LIST: hostList,
  INVOCATIONS_QUEUE_URL: variable,
  DELIVERIES_QUEUE_URL: variable,
  REACTOR_FUNCTION_PREFIX: variable,
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
