import { deleteKey, keysOfApplication } from '../../../src/core/applications/manage-keys.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { forceQuery, mayBeLast } from '../../../src/wire/application.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'deleteApplicationKey',
  method: 'DELETE',
  path: '/applications/{id}/keys/{key_id}',
  subject: 'application',
  permission: 'application:update',
  takesCondition: true,
  success: 204,
  query: forceQuery,
  handle: async (deps, { caller, params: { id, key_id: keyId }, query }) => {
    await deleteKey(
      deps,
      keysOfApplication(deps, caller, id, mayBeLast(query, deps.clientCompatibility)),
      keyId,
    );
    return {};
  },
});
