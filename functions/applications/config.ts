import * as z from 'zod/mini';
import { apiEnvironment } from '../../src/http/api-environment.ts';

/** The environment of the applications function. */
export const environment = z.extend(apiEnvironment, {
  CLIENT_COMPATIBILITY: z.enum(['strict', 'lenient']),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
