import type { HttpClient, CallOptions, ChangeOptions } from './http-client.ts';
import { request } from './request.ts';
import type { Tenant, TenantChange } from './resources.ts';

const PATH = '/tenants/self';

export function tenantsOf(http: HttpClient) {
  return {
    /**
     * Returns the tenant of the client's key.
     * @example const { settings } = await client.tenants.retrieve();
     */
    retrieve: (options?: CallOptions) => request<Tenant>(http, { method: 'GET', path: PATH }, options),

    /**
     * Replaces name and settings.
     * @example await client.tenants.update({ name: 'Shop', settings: { deduplicate_tokens: true } });
     */
    update: (tenant: TenantChange, options?: ChangeOptions) =>
      request<Tenant>(http, { method: 'PUT', path: PATH, body: tenant, takesCondition: true }, options),
  };
}
