import * as z from 'zod/mini';
import { DUE_WORKS } from '../../src/core/sweep/sweep.ts';
import { variable, wholeNumber } from '../../src/lambda/environment.ts';
import { layerEnvironment } from '../../src/lambda/layer-environment.ts';

/** The values that the metrics' dimension `Work` can have. */
export const WORKS = DUE_WORKS;

export const environment = z.object({
  SERVICE_NAME: variable,
  TOKENS_TABLE: variable,
  EPHEMERAL_TABLE: variable,
  ACCESS_TABLE: variable,
  REACTORS_TABLE: variable,
  INVOCATIONS_QUEUE_URL: variable,
  DELIVERIES_QUEUE_URL: variable,
  REACTOR_FUNCTION_PREFIX: variable,
  HOT_CONCURRENCY: wholeNumber(0),
  HOT_INSTANCES: wholeNumber(0),
  KEY_ROTATION_DAYS: wholeNumber(1),
  ...layerEnvironment,
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
