import type { HttpClient, CallOptions } from './http-client.ts';
import { request } from './request.ts';
import type { AccessQuestion, Explanation } from './resources.ts';

export function accessOf(http: HttpClient) {
  return {
    /**
     * Explains what an application, or rules that no application has yet, may do with a token in a
     * container.
     * @example const { allowed, decided_by } = await client.access.explain({ application_id: id, permission: 'token:read', container: '/pci/' });
     */
    explain: (question: AccessQuestion, options?: CallOptions) => {
      const call = { method: 'POST', path: '/access/explain', body: question } as const;
      return request<Explanation>(http, { ...call, isSafe: true }, options);
    },
  };
}
