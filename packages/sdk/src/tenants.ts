import type { HttpClient, CallOptions, WriteOptions } from './http-client.ts';
import type { Tenant, TenantChange } from './resources.ts';

const PATH = '/tenants/self';

export function tenantsOf(http: HttpClient) {
  return {
    /**
     * Returns the tenant of the client's key.
     * @example const { settings } = await client.tenants.retrieve();
     */
    retrieve: async (options?: CallOptions) =>
      (await http.json({ ...options, method: 'GET', path: PATH })) as Tenant,

    /**
     * Replaces name and settings.
     * @example await client.tenants.update({ name: 'Shop', settings: { deduplicate_tokens: true } });
     */
    update: async (tenant: TenantChange, options?: WriteOptions) =>
      (await http.json({ ...options, method: 'PUT', path: PATH, body: tenant })) as Tenant,
  };
}
