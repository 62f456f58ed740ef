import { getKey, keysOfApplication } from '../../../src/core/applications/manage-keys.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentKey } from '../../../src/wire/application-key.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'getApplicationKey',
  method: 'GET',
  path: '/applications/{id}/keys/{key_id}',
  subject: 'application',
  permission: 'application:read',
  success: 200,
  handle: async (deps, { caller, params: { id, key_id: keyId } }) => {
    const key = await getKey(keysOfApplication(deps, caller, id), keyId);
    return { body: presentKey(key), state: key };
  },
});
