import * as z from 'zod/mini';
import { variable } from '../../src/lambda/environment.ts';

/** The environment of the function that seals the audit trail. */
export const environment = z.object({
  SERVICE_NAME: variable,
  AUDIT_TABLE: variable,
  AUDIT_INDEX_TABLE: variable,
  AUDIT_SEALS_TABLE: variable,
  ACCESS_TABLE: variable,
  SEAL_KEY_ID: variable,
});

/** The variables that the construct must set, as strings. */
export type Environment = Readonly<Record<keyof z.input<typeof environment>, string>>;
