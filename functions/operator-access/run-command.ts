import { createManagementKey } from '../../src/core/operator/create-management-key.ts';
import { createTenant } from '../../src/core/operator/create-tenant.ts';
import { destroyTenantStep } from '../../src/core/operator/destroy-tenant.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';
import type { Command } from '../../src/operator/command-input.ts';
import { commandRunner, type CommandTable } from '../../src/operator/run-command.ts';
import type { AccessDeps } from './dependencies.ts';

const RUN: CommandTable<'operator-access', AccessDeps> = {
  'create-tenant': async (deps: AccessDeps, raw: Command<'create-tenant'>) => {
    const { name, wrapped_by: wrappedBy = 'deployment' } = raw;
    const created = await createTenant(deps, { name, wrappedBy });
    return {
      tenant_id: created.tenantId,
      management_key: created.managementKey.reveal(),
      webhook_secret: created.webhookSecret.reveal(),
    };
  },
  /** One step; the command line repeats it until the last. */
  'destroy-tenant': async (deps: AccessDeps, raw: Command<'destroy-tenant'>) => {
    if (raw.confirm !== raw.tenant_id)
      throw new ServiceError('validation_failed', 'The confirmation must be the id of the tenant.');
    const { what, removed, isDone } = await destroyTenantStep(deps, raw.tenant_id);
    return { what, removed, done: isDone };
  },
  'create-management-key': async (deps: AccessDeps, raw: Command<'create-management-key'>) => {
    const { tenant_id: tenantId, expires: lifeMs } = raw;
    const { key, keyId, applicationId, expiresAtMs } = await createManagementKey(deps, { tenantId, lifeMs });
    return {
      key: key.reveal(),
      key_id: keyId,
      application_id: applicationId,
      expires_at: formatTimestamp(expiresAtMs),
    };
  },
};

export const runCommand = commandRunner<'operator-access', AccessDeps>('operator-access', RUN);
