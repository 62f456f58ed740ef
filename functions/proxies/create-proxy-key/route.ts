import { createKey } from '../../../src/core/applications/manage-keys.ts';
import { keysOfProxy } from '../../../src/core/stored-proxies/keys-of-proxy.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { createKeyBody, presentKey } from '../../../src/wire/application-key.ts';
import type { ProxiesDeps } from '../dependencies.ts';

export const operation: Route<ProxiesDeps> = route({
  operation: 'createProxyKey',
  method: 'POST',
  path: '/proxies/{id}/keys',
  subject: 'proxy',
  permission: 'proxy:update',
  success: 201,
  body: createKeyBody,
  handle: async (deps, { caller, params: { id }, body, writes }) => {
    const { key, text } = await createKey(deps, keysOfProxy(deps, caller, id), body, writes);
    return { body: presentKey(key, text), state: key };
  },
});
