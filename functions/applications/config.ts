import * as z from 'zod';
import { edgeEnvironment } from '../../http/edge-environment.ts';

/** The environment of the applications function. */
export const environment = edgeEnvironment.extend({
  CLIENT_COMPATIBILITY: z.enum(['strict', 'lenient']),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
