import type { Caller, CallOptions, WriteOptions } from './caller.ts';
import type { Tenant, TenantChange } from './resources.ts';

const PATH = '/tenants/self';

export function tenantsOf(caller: Caller) {
  return {
    /**
     * The tenant of the key that asks.
     * @example const { settings } = await client.tenants.retrieve();
     */
    retrieve: async (options?: CallOptions) =>
      (await caller.json({ ...options, method: 'GET', path: PATH })) as Tenant,

    /**
     * Replaces name and settings.
     * @example await client.tenants.update({ name: 'Shop', settings: { deduplicate_tokens: true } });
     */
    update: async (tenant: TenantChange, options?: WriteOptions) =>
      (await caller.json({ ...options, method: 'PUT', path: PATH, body: tenant })) as Tenant,
  };
}
