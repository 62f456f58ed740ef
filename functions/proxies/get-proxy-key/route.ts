import { getKey } from '../../../src/core/applications/manage-keys.ts';
import { keysOfProxy } from '../../../src/core/stored-proxies/keys-of-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentKey } from '../../../src/wire/application-key.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'getProxyKey',
  method: 'GET',
  path: '/proxies/{id}/keys/{key_id}',
  subject: 'proxy',
  permission: 'proxy:review',
  success: 200,
  handle: async (deps, { caller, params: { id, key_id: keyId } }) => {
    const key = await getKey(keysOfProxy(deps, caller, id), keyId);
    return { body: presentKey(key), state: key };
  },
});
