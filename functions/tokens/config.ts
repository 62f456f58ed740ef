import * as z from 'zod/mini';
import { edgeEnvironment, variable, wholeNumber } from '../../src/lambda/environment.ts';

/** The environment of the tokens function. */
export const environment = z.extend(edgeEnvironment, {
  TOKENS_TABLE: variable,
  LIST_SHARDS: wholeNumber(1),
  CVC_LIFETIME_SECONDS: wholeNumber(1),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
