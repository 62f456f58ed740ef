import type { HttpClient, CallOptions } from './http-client.ts';
import type { ApplicationType, Permission } from './resources.ts';

export function permissionsOf(http: HttpClient) {
  return {
    /**
     * All permissions, or those that one type of application may have. Any key may call this.
     * @example const permissions = await client.permissions.list('private');
     */
    list: async (applicationType?: ApplicationType, options?: CallOptions) => {
      const query = { application_type: applicationType };
      const response = await http.json({ ...options, method: 'GET', path: '/permissions', query });
      return response as readonly Permission[];
    },
  };
}
