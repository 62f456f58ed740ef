import { createKey, keysOfApplication } from '../../../src/core/applications/manage-keys.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { createKeyBody, presentKey } from '../../../src/wire/application-key.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'createApplicationKey',
  method: 'POST',
  path: '/applications/{id}/keys',
  subject: 'application',
  permission: 'application:update',
  success: 201,
  body: createKeyBody,
  handle: async (deps, { caller, params: { id }, body, writes }) => {
    const { key, text } = await createKey(deps, keysOfApplication(deps, caller, id), body, writes);
    return { body: presentKey(key, text), state: key };
  },
});
