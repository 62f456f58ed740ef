import * as z from 'zod/mini';
import { apiEnvironment } from '../../src/http/api-environment.ts';
import { tokenEnvironment, wholeNumber } from '../../src/lambda/environment.ts';

export const environment = z.extend(apiEnvironment, {
  ...tokenEnvironment,
  CVC_LIFETIME_SECONDS: wholeNumber(1),
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
