import * as z from 'zod/mini';
import { edgeEnvironment, hostList, variable, wholeNumber } from '../../src/lambda/environment.ts';

/** The environment of the proxy function. */
export const environment = z.extend(edgeEnvironment, {
  TOKENS_TABLE: variable,
  LIST_SHARDS: wholeNumber(1),
  EGRESS_ALLOW_LIST: hostList,
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
