import * as z from 'zod/mini';
import { apiEnvironment } from '../../src/http/api-environment.ts';
import { hostList, tokenEnvironment, variable, wholeNumber } from '../../src/lambda/environment.ts';

export const environment = z.extend(apiEnvironment, {
  ...tokenEnvironment,
  EGRESS_ALLOW_LIST: hostList,
  REACTORS_TABLE: variable,
  REACTOR_FUNCTION_PREFIX: variable,
  /** The function that makes the functions of reactors. */
  REACTORS_FUNCTION: variable,
  CVC_LIFETIME_SECONDS: wholeNumber(1),
  PROXY_REDIRECTS: z.enum(['told', 'raw']),
  /** As that of the reactors: code calls the service at this address. */
  PUBLIC_URL: z.string(),
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
