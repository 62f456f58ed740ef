import type * as z from 'zod/mini';
import { apiEnvironment as environment } from '../../src/http/api-environment.ts';

export { environment };

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
