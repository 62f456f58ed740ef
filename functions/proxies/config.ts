import * as z from 'zod/mini';
import { apiEnvironment } from '../../src/http/api-environment.ts';
import { hostList, variable } from '../../src/lambda/environment.ts';

export const environment = z.extend(apiEnvironment, {
  REACTORS_TABLE: variable,
  EGRESS_ALLOW_LIST: hostList,
  /** The public address of the service, which is no destination. */
  PUBLIC_URL: z.string(),
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
