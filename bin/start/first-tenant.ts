import { dirname } from 'node:path';
import {
  parseTenantCredentials,
  readTenantCredentials,
  tenantFile,
  writeCredentials,
  type TenantCredentials,
} from './credentials-file.ts';
import { COMMANDS, type CommandName, type OperatorFunction } from '../../src/operator/command-names.ts';
import type { PreparedApp } from '../../packages/local-aws/src/cloud.ts';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { damaged } from '../../packages/local-aws/src/storage-failure.ts';

const OUTPUTS = {
  operator: 'OperatorFunctionName',
  'operator-access': 'OperatorAccessFunctionName',
} as const satisfies Readonly<Record<OperatorFunction, string>>;

/** The name of an operator function of an app. Throws an Error if the app is another one. */
export function operatorFunctionOf(
  { outputs }: PreparedApp,
  operatorFunction: OperatorFunction = 'operator',
): string {
  const output = OUTPUTS[operatorFunction];
  const name = outputs.get(output);
  if (name === undefined) throw new Error(`the app has no Cloakroom service (no output ${output})`);
  return name;
}

/** Invokes a function like `cloakroom operator`. Throws an Error with its message. */
async function operate(
  app: PreparedApp,
  command: { readonly command: CommandName; readonly [member: string]: unknown },
): Promise<string> {
  const name = operatorFunctionOf(app, COMMANDS[command.command].runsIn);
  const { failed, payload } = await app.invoke(name, JSON.stringify(command));
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
