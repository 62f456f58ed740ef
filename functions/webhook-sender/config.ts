import * as z from 'zod/mini';
import {
  auditEnvironment,
  hostList,
  storeEnvironment,
  tokenEnvironment,
  variable,
} from '../../src/lambda/environment.ts';

export const environment = z.object({
  ...storeEnvironment,
  ...auditEnvironment,
  ...tokenEnvironment,
  REACTORS_TABLE: variable,
  DELIVERIES_QUEUE_URL: variable,
  EGRESS_ALLOW_LIST: hostList,
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
