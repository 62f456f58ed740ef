import type * as z from 'zod/mini';
import { apiEnvironment as environment } from '../../src/http/api-environment.ts';

export { environment };

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
