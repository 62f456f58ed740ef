import { z } from 'zod';

/** The environment of the operator function. */
export const environment = z.object({
  ACCESS_TABLE: z.string().min(1),
  KEY_ID: z.string().min(1),
});

/** What the construct must set: every variable, as text. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
