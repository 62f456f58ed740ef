import * as z from 'zod/mini';
import {
  auditEnvironment,
  clientCompatibility,
  hostList,
  storeEnvironment,
  tokenEnvironment,
  variable,
  wholeNumber,
} from '../../src/lambda/environment.ts';

/** The environment of the worker that runs asynchronous invocations. */
export const environment = z.object({
  ...auditEnvironment,
  CLIENT_COMPATIBILITY: clientCompatibility,
  ...storeEnvironment,
  ...tokenEnvironment,
  REACTORS_TABLE: variable,
  CVC_LIFETIME_SECONDS: wholeNumber(1),
  EGRESS_ALLOW_LIST: hostList,
  INVOCATIONS_QUEUE_URL: variable,
  DELIVERIES_QUEUE_URL: variable,
  REACTOR_FUNCTION_PREFIX: variable,
  /** The function that makes the functions of reactors. */
  REACTORS_FUNCTION: variable,
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
