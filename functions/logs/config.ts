import * as z from 'zod/mini';
import { apiEnvironment } from '../../src/http/api-environment.ts';
import { variable } from '../../src/lambda/environment.ts';

export const environment = z.extend(apiEnvironment, { AUDIT_INDEX_TABLE: variable });

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
