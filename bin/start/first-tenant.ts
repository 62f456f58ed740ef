import { dirname } from 'node:path';
import {
  parseTenantCredentials,
  readTenantCredentials,
  tenantFile,
  writeCredentials,
  type TenantCredentials,
} from './credentials-file.ts';
import type { PreparedApp } from '../../packages/local-aws/src/cloud.ts';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { damaged } from '../../packages/local-aws/src/storage-failure.ts';

/** The name of the operator function of an app. Throws an Error if the app is another one. */
export function operatorFunctionOf({ outputs }: PreparedApp): string {
  const operator = outputs.get('OperatorFunctionName');
  if (operator === undefined)
    throw new Error('the app has no Cloakroom service (no output OperatorFunctionName)');
  return operator;
}

/** Invokes the operator function like `cloakroom operator`. Throws an Error with its message. */
async function operate(app: PreparedApp, command: object): Promise<string> {
  const { failed, payload } = await app.invoke(operatorFunctionOf(app), JSON.stringify(command));
  if (!failed) return payload;
  const { errorType = '', errorMessage: message = '' } = JSON.parse(payload) as Partial<
    Record<string, string>
  >;
  throw new Error(`${errorType}: ${message}`);
}

async function createTenant(app: PreparedApp): Promise<TenantCredentials> {
  const created = await operate(app, { command: 'create-tenant', name: 'Local' }).catch((error: unknown) => {
    throw new Error(`the operator function could not create a tenant: ${errorMessage(error)}`, {
      cause: error,
    });
  });
  return parseTenantCredentials(created);
}

/** Throws an Error unless the tables contain the tenant and its keys open. */
async function requireTenant(app: PreparedApp, file: string, tenantId: string): Promise<void> {
  await operate(app, { command: 'check-tenant', tenant_id: tenantId }).catch((error: unknown) => {
    const { message } = damaged(
      dirname(file),
      `the tenant of ${file} does not open (${errorMessage(error)})`,
    );
    throw new Error(`${message}; if you destroyed that tenant, remove the file to get another one`, {
      cause: error,
    });
  });
}

/** The tenant of an earlier start from the data directory, or a new one, which is written there. */
export async function firstTenant(
  dataDirectory: string | undefined,
  app: PreparedApp,
): Promise<TenantCredentials> {
  if (dataDirectory === undefined) return await createTenant(app);
  const file = tenantFile(dataDirectory);
  const stored = readTenantCredentials(file);
  if (stored !== undefined) {
    await requireTenant(app, file, stored.tenant_id);
    return stored;
  }
  const created = await createTenant(app);
  writeCredentials(file, created);
  return created;
}
