import { updateKey } from '../../../src/core/applications/manage-keys.ts';
import { keysOfProxy } from '../../../src/core/stored-proxies/keys-of-proxy.ts';
import { checkUnchanged } from '../../../src/core/shared/check-unchanged.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentKey, updateKeyBody } from '../../../src/wire/application-key.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'updateProxyKey',
  method: 'PATCH',
  path: '/proxies/{id}/keys/{key_id}',
  subject: 'proxy',
  permission: 'proxy:update',
  takesCondition: true,
  success: 200,
  body: updateKeyBody,
  handle: async (deps, { caller, params: { id, key_id: keyId }, body: { patch, unchanged } }) => {
    const key = await updateKey(deps, keysOfProxy(deps, caller, id), keyId, {
      ...patch,
      check: (current) => {
        checkUnchanged(unchanged, presentKey(current));
      },
    });
    return { body: presentKey(key), state: key };
  },
});
