import * as z from 'zod/mini';

/*
 * Parts of environment schemas. Every variable is a string, and commas separate the entries of a
 * list.
 */

/** A string that is not empty. */
export const variable = z.string({ error: 'is not set' }).check(z.minLength(1, 'is empty'));

/** Reads a whole number of at least `least`. */
export function wholeNumber(least: number) {
  const error = `must be a whole number from ${String(least)}`;
  return z.pipe(z.coerce.number({ error }), z.int({ error }).check(z.minimum(least, error)));
}

/** Which requests the service accepts (`ClientCompatibility` in `src/core`). */
export const clientCompatibility = z.enum(['strict', 'lenient'], { error: 'must be strict or lenient' });

/** The internal hosts that code and webhooks may reach. An empty variable has none. */
export const hostList = z.pipe(
  z.string(),
  z.transform((list) => list.split(',').filter((entry) => entry !== '')),
);

/** The stores of keys and credentials (`StoreConfig` in `src/adapters/stores.ts`). */
export const storeEnvironment = {
  ACCESS_TABLE: variable,
  EPHEMERAL_TABLE: variable,
  KEY_ID: variable,
};

/** The variables that configure the audit trail (`AuditConfig` in `src/adapters/stores.ts`). */
export const auditEnvironment = {
  AUDIT_TABLE: variable,
  AUDIT_RETENTION_DAYS: wholeNumber(1),
  /** The namespace that the service's metrics have. */
  SERVICE_NAME: variable,
};

/** The stores of tokens, in addition to {@link storeEnvironment}. */
export const tokenEnvironment = { TOKENS_TABLE: variable };
