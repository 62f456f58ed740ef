import { allowHot } from '../../src/core/reactors/hot-allowances.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { existingTenant } from '../../src/core/tenants/change-tenant.ts';
import type { Command } from '../../src/operator/command-input.ts';
import type { OperatorDeps } from './dependencies.ts';

/** Says how many running instances one reactor of a tenant may ask for. */
export async function allowHotInstances(
  deps: OperatorDeps,
  { tenant_id: tenantId, instances, none }: Command<'allow-hot'>,
) {
  if ((instances !== undefined) === none)
    throw new ServiceError('validation_failed', 'It takes either --instances or --none.');
  await existingTenant(deps, tenantId);
  await allowHot(deps, tenantId, instances ?? 0);
  return { tenant_id: tenantId, instances: instances ?? 0 };
}
