import * as z from 'zod/mini';
import { variable, wholeNumber } from '../../src/lambda/environment.ts';

/** The environment of the operator function. */
export const environment = z.object({
  ACCESS_TABLE: variable,
  TOKENS_TABLE: variable,
  LIST_SHARDS: wholeNumber(1),
  KEY_ROTATION_DAYS: wholeNumber(1),
  INVOCATIONS_QUEUE_URL: variable,
  REACTOR_FUNCTION_PREFIX: variable,
  EPHEMERAL_TABLE: variable,
  REACTORS_TABLE: variable,
  DELIVERIES_QUEUE_URL: variable,
  KEY_ID: variable,
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
