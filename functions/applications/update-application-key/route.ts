import { keysOfApplication, updateKey } from '../../../src/core/applications/manage-keys.ts';
import { checkUnchanged } from '../../../src/core/shared/check-unchanged.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentKey, updateKeyBody } from '../../../src/wire/application-key.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'updateApplicationKey',
  method: 'PATCH',
  path: '/applications/{id}/keys/{key_id}',
  subject: 'application',
  permission: 'application:update',
  takesCondition: true,
  success: 200,
  body: updateKeyBody,
  handle: async (deps, { caller, params: { id, key_id: keyId }, body: { patch, unchanged } }) => {
    const key = await updateKey(deps, keysOfApplication(deps, caller, id), keyId, {
      ...patch,
      check: (current) => {
        checkUnchanged(unchanged, presentKey(current));
      },
    });
    return { body: presentKey(key), state: key };
  },
});
