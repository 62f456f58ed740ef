import { join } from 'node:path';
import {
  parseTenantCredentials,
  readTenantCredentials,
  writeCredentials,
  type TenantCredentials,
} from './credentials-file.ts';
import type { PreparedApp } from '../../packages/local-aws/src/cloud.ts';

/** The first tenant, made the way `bin/operator.ts` makes tenants: by the operator function. */
async function createTenant({ outputs, invoke }: PreparedApp): Promise<TenantCredentials> {
  const operator = outputs.get('OperatorFunctionName');
  if (operator === undefined) throw new Error('the app has no output OperatorFunctionName');
  const outcome = await invoke(operator, JSON.stringify({ command: 'create-tenant', name: 'Local' }));
  if (outcome.failed) throw new Error(`the operator function could not create a tenant: ${outcome.payload}`);
  return parseTenantCredentials(outcome.payload);
}

/**
 * The tenant that a data directory knows from an earlier start, or a new one, which is then written
 * there.
 */
export async function firstTenant(
  dataDirectory: string | undefined,
  app: PreparedApp,
): Promise<TenantCredentials> {
  if (dataDirectory === undefined) return await createTenant(app);
  const file = join(dataDirectory, 'credentials.json');
  const kept = readTenantCredentials(file);
  if (kept !== undefined) return kept;
  const created = await createTenant(app);
  writeCredentials(file, created);
  return created;
}
