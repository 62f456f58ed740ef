import { listKeys, keysOfApplication } from '../../../src/core/applications/manage-keys.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentKey } from '../../../src/wire/application-key.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'listApplicationKeys',
  method: 'GET',
  path: '/applications/{id}/keys',
  subject: 'application',
  permission: 'application:read',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => ({
    body: (await listKeys(keysOfApplication(deps, caller, id))).map((key) => presentKey(key)),
  }),
});
