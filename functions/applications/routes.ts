import { createApplication } from '../../core/applications/create-application.ts';
import { getApplication, getOwnApplication } from '../../core/applications/get-application.ts';
import { route, type Route } from '../../http/route.ts';
import type { ApplicationsDeps } from './dependencies.ts';
import { presentApplication } from './present.ts';
import { createApplicationBody } from './schemas.ts';

/** Everything that the applications function answers to. */
export const routes: readonly Route<ApplicationsDeps>[] = [
  route({
    operation: 'createApplication',
    method: 'POST',
    path: '/applications',
    permission: 'application:create',
    success: 201,
    body: createApplicationBody,
    handle: async (deps: ApplicationsDeps, { caller, body, writes }) => {
      const { application, key } = await createApplication(deps, caller, body, writes);
      return { body: presentApplication(application, key) };
    },
  }),
  route({
    operation: 'getApplicationByKey',
    method: 'GET',
    path: '/applications/key',
    success: 200,
    handle: async (deps: ApplicationsDeps, { caller }) => ({
      body: presentApplication(await getOwnApplication(deps, caller)),
    }),
  }),
  route({
    operation: 'getApplication',
    method: 'GET',
    path: '/applications/{id}',
    permission: 'application:read',
    success: 200,
    handle: async (deps: ApplicationsDeps, { caller, params: { id = '' } }) => ({
      body: presentApplication(await getApplication(deps, caller, id)),
    }),
  }),
];
