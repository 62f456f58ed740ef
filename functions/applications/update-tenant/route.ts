import { updateTenant } from '../../../src/core/tenants/tenant-profile.ts';
import { checkUnchanged } from '../../../src/core/shared/check-unchanged.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentRecovery, presentTenant, settingsOf, updateTenantBody } from '../../../src/wire/tenant.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'updateTenant',
  method: 'PUT',
  path: '/tenants/self',
  permission: 'tenant:update',
  success: 200,
  body: updateTenantBody,
  handle: async (deps, { caller, body: { name, settings, unchanged } }) => {
    const compatibility = deps.clientCompatibility;
    const tenant = await updateTenant(deps, caller, {
      name,
      settings: settingsOf(settings, compatibility),
      check: ({ id, recoveredAt }) => {
        checkUnchanged(unchanged, { id, recovered_at: presentRecovery(recoveredAt) });
      },
    });
    return { body: presentTenant(tenant, compatibility) };
  },
});
