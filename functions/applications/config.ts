import * as z from 'zod/mini';
import { apiEnvironment } from '../../src/http/api-environment.ts';
import { hostList } from '../../src/lambda/environment.ts';

export const environment = z.extend(apiEnvironment, { EGRESS_ALLOW_LIST: hostList });

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
