import type { HttpClient, CallOptions } from './http-client.ts';
import { request } from './request.ts';
import type { ApplicationType, Permission } from './resources.ts';

export function permissionsOf(http: HttpClient) {
  return {
    /**
     * All permissions, or those that one type of application may have. Any key may call this.
     * @example const permissions = await client.permissions.list('private');
     */
    list: (applicationType?: ApplicationType, options?: CallOptions) => {
      const query = applicationType === undefined ? {} : { application_type: applicationType };
      return request<readonly Permission[]>(http, { method: 'GET', path: '/permissions', query }, options);
    },
  };
}
