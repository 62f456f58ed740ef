import { updateTenant, type TenantProfile } from '../../../src/core/tenants/tenant-profile.ts';
import { defined } from '../../../src/core/shared/defined.ts';
import { checkUnchanged } from '../../../src/core/shared/check-unchanged.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentRecovery, presentTenant, settingsOf, updateTenantBody } from '../../../src/wire/tenant.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'updateTenant',
  method: 'PUT',
  path: '/tenants/self',
  permission: 'tenant:update',
  takesCondition: true,
  success: 200,
  body: updateTenantBody,
  handle: async (deps, { caller, body: { name, settings, configurationRevision, unchanged } }) => {
    const compatibility = deps.clientCompatibility;
    const update = {
      name,
      settings: settingsOf(settings, compatibility),
      configurationRevision,
      check: ({ id, recoveredAt }: TenantProfile) => {
        checkUnchanged(unchanged, { id, recovered_at: presentRecovery(recoveredAt) });
      },
    };
    const tenant = await updateTenant(deps, caller, defined(update));
    return { body: presentTenant(tenant, compatibility), state: tenant };
  },
});
