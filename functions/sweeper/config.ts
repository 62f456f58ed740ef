import * as z from 'zod';
import { DUE_WORKS } from '../../core/sweep/sweep.ts';

/** The values of the metrics' dimension `Work`. */
export const WORKS = DUE_WORKS;

/** The environment of the sweeper function. */
export const environment = z.object({
  SERVICE_NAME: z.string().min(1),
  TOKENS_TABLE: z.string().min(1),
  EPHEMERAL_TABLE: z.string().min(1),
  ACCESS_TABLE: z.string().min(1),
  REACTORS_TABLE: z.string().min(1),
  INVOCATIONS_QUEUE_URL: z.string().min(1),
  DELIVERIES_QUEUE_URL: z.string().min(1),
  REACTOR_FUNCTION_PREFIX: z.string().min(1),
  KEY_ID: z.string().min(1),
  KEY_ROTATION_DAYS: z.coerce.number().int().min(1),
  LIST_SHARDS: z.coerce.number().int().min(1),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
