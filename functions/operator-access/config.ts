import * as z from 'zod/mini';
import {
  auditEnvironment,
  storeEnvironment,
  tokenEnvironment,
  variable,
  wholeNumber,
} from '../../src/lambda/environment.ts';

export const environment = z.object({
  ...storeEnvironment,
  ...auditEnvironment,
  ...tokenEnvironment,
  KEY_ROTATION_DAYS: wholeNumber(1),
  REACTOR_FUNCTION_PREFIX: variable,
  REACTORS_TABLE: variable,
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
