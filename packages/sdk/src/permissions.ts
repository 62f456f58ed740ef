import type { Caller, CallOptions } from './caller.ts';
import type { ApplicationType, Permission } from './resources.ts';

export function permissionsOf(caller: Caller) {
  return {
    /**
     * All permissions, or those that one type of application may hold. Any key may ask.
     * @example const permissions = await client.permissions.list('private');
     */
    list: async (applicationType?: ApplicationType, options?: CallOptions) => {
      const query = { application_type: applicationType };
      const answer = await caller.json({ ...options, method: 'GET', path: '/permissions', query });
      return answer as readonly Permission[];
    },
  };
}
