import { getTenant } from '../../../src/core/tenants/tenant-profile.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentTenant } from '../../../src/wire/tenant.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'getTenant',
  method: 'GET',
  path: '/tenants/self',
  permission: 'tenant:read',
  success: 200,
  handle: async (deps, { caller }) => {
    const tenant = await getTenant(deps, caller);
    return { body: presentTenant(tenant, deps.clientCompatibility), state: tenant };
  },
});
