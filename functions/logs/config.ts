import type * as z from 'zod/mini';
import { apiEnvironment } from '../../src/http/api-environment.ts';

/** The environment of the logs function. */
export const environment = apiEnvironment;

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
