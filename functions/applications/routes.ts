import {
  deleteApplication,
  regenerateKey,
  updateApplication,
} from '../../src/core/applications/change-application.ts';
import { explainAccess } from '../../src/core/applications/explain-access.ts';
import { createApplication } from '../../src/core/applications/create-application.ts';
import { getApplication, getOwnApplication } from '../../src/core/applications/get-application.ts';
import { listApplications } from '../../src/core/applications/list-applications.ts';
import {
  createKey,
  deleteKey,
  getKey,
  listKeys,
  keysOfApplication,
  updateKey,
} from '../../src/core/applications/manage-keys.ts';
import { listPermissions } from '../../src/core/access/list-permissions.ts';
import { authorizeSession, createSession } from '../../src/core/access/session.ts';
import { getTenant, updateTenant } from '../../src/core/tenants/tenant-profile.ts';
import { checkUnchanged } from '../../src/core/shared/check-unchanged.ts';
import { isUuid } from '../../src/core/shared/is-uuid.ts';
import { route, type Route } from '../../src/http/route.ts';
import {
  createApplicationBody,
  listApplicationsQuery,
  listPermissionsQuery,
  presentApplication,
  presentPermission,
  updateApplicationBody,
} from '../../src/wire/application.ts';
import { explainBody, presentExplanation } from '../../src/wire/access.ts';
import { createKeyBody, presentKey, updateKeyBody } from '../../src/wire/application-key.ts';
import { presentPage } from '../../src/wire/page.ts';
import { authorizeSessionBody, presentSession } from '../../src/wire/session.ts';
import { presentTenant, settingsOf, updateTenantBody } from '../../src/wire/tenant.ts';
import type { ApplicationsDeps } from './dependencies.ts';

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
    operation: 'listApplications',
    method: 'GET',
    path: '/applications',
    permission: 'application:read',
    success: 200,
    query: listApplicationsQuery,
    handle: async (deps: ApplicationsDeps, { caller, query }) => {
      const page = await listApplications(deps, caller, query.filters, query.page);
      return { body: presentPage(page, (application) => presentApplication(application)) };
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
    subject: 'application',
    permission: 'application:read',
    success: 200,
    handle: async (deps: ApplicationsDeps, { caller, params: { id } }) => ({
      body: presentApplication(await getApplication(deps, caller, id)),
    }),
  }),
  route({
    operation: 'updateApplication',
    method: 'PUT',
    path: '/applications/{id}',
    subject: 'application',
    permission: 'application:update',
    success: 200,
    body: updateApplicationBody,
    handle: async (deps: ApplicationsDeps, { caller, params: { id }, body }) => ({
      body: presentApplication(
        await updateApplication(deps, caller, id, {
          ...body,
          check: (current) => {
            checkUnchanged(body.unchanged, presentApplication(current));
          },
        }),
      ),
    }),
  }),
  route({
    operation: 'regenerateApplicationKey',
    method: 'POST',
    path: '/applications/{id}/regenerate',
    subject: 'application',
    permission: 'application:update',
    success: 200,
    handle: async (deps: ApplicationsDeps, { caller, params: { id } }) => {
      const { application, key } = await regenerateKey(deps, caller, id);
      return { body: presentApplication(application, key) };
    },
  }),
  route({
    operation: 'createApplicationKey',
    method: 'POST',
    path: '/applications/{id}/keys',
    subject: 'application',
    permission: 'application:update',
    success: 201,
    body: createKeyBody,
    handle: async (deps: ApplicationsDeps, { caller, params: { id }, body, writes }) => {
      const { key, text } = await createKey(deps, keysOfApplication(deps, caller, id), body, writes);
      return { body: presentKey(key, text) };
    },
  }),
  route({
    operation: 'listApplicationKeys',
    method: 'GET',
    path: '/applications/{id}/keys',
    subject: 'application',
    permission: 'application:read',
    success: 200,
    handle: async (deps: ApplicationsDeps, { caller, params: { id } }) => ({
      body: (await listKeys(keysOfApplication(deps, caller, id))).map((key) => presentKey(key)),
    }),
  }),
  route({
    operation: 'getApplicationKey',
    method: 'GET',
    path: '/applications/{id}/keys/{key_id}',
    subject: 'application',
    permission: 'application:read',
    success: 200,
    handle: async (deps: ApplicationsDeps, { caller, params: { id, key_id: keyId } }) => ({
      body: presentKey(await getKey(keysOfApplication(deps, caller, id), keyId)),
    }),
  }),
  route({
    operation: 'updateApplicationKey',
    method: 'PATCH',
    path: '/applications/{id}/keys/{key_id}',
    subject: 'application',
    permission: 'application:update',
    success: 200,
    body: updateKeyBody,
    handle: async (
      deps: ApplicationsDeps,
      { caller, params: { id, key_id: keyId }, body: { patch, unchanged } },
    ) => ({
      body: presentKey(
        await updateKey(deps, keysOfApplication(deps, caller, id), keyId, {
          ...patch,
          check: (current) => {
            checkUnchanged(unchanged, presentKey(current));
          },
        }),
      ),
    }),
  }),
  route({
    operation: 'deleteApplicationKey',
    method: 'DELETE',
    path: '/applications/{id}/keys/{key_id}',
    subject: 'application',
    permission: 'application:update',
    success: 204,
    handle: async (deps: ApplicationsDeps, { caller, params: { id, key_id: keyId } }) => {
      await deleteKey(deps, keysOfApplication(deps, caller, id), keyId);
      return {};
    },
  }),
  route({
    operation: 'deleteApplication',
    method: 'DELETE',
    path: '/applications/{id}',
    subject: 'application',
    permission: 'application:delete',
    success: 204,
    handle: async (deps: ApplicationsDeps, { caller, params: { id } }) => {
      await deleteApplication(deps, caller, id);
      return {};
    },
  }),
  route({
    operation: 'listPermissions',
    method: 'GET',
    path: '/permissions',
    success: 200,
    query: listPermissionsQuery,
    handle: (_deps: ApplicationsDeps, { query }) =>
      Promise.resolve({ body: listPermissions(query.type).map(presentPermission) }),
  }),
  route({
    operation: 'explainAccess',
    needsSettings: true,
    method: 'POST',
    path: '/access/explain',
    permission: 'application:read',
    success: 200,
    body: explainBody,
    idempotency: 'read_only',
    handle: async (deps: ApplicationsDeps, { caller, body }) => {
      const { subject } = body;
      if ('applicationId' in subject && isUuid(subject.applicationId))
        deps.audit.about(`application:${subject.applicationId}`);
      return { body: presentExplanation(await explainAccess(deps, caller, body)) };
    },
  }),
  route({
    operation: 'getTenant',
    method: 'GET',
    path: '/tenants/self',
    permission: 'tenant:read',
    success: 200,
    handle: async (deps: ApplicationsDeps, { caller }) => ({
      body: presentTenant(await getTenant(deps, caller), deps.clientCompatibility),
    }),
  }),
  route({
    operation: 'updateTenant',
    method: 'PUT',
    path: '/tenants/self',
    permission: 'tenant:update',
    success: 200,
    body: updateTenantBody,
    handle: async (deps: ApplicationsDeps, { caller, body: { name, settings, unchanged } }) => {
      const compatibility = deps.clientCompatibility;
      const tenant = await updateTenant(deps, caller, {
        name,
        settings: settingsOf(settings, compatibility),
        check: ({ id }) => {
          checkUnchanged(unchanged, { id });
        },
      });
      return { body: presentTenant(tenant, compatibility) };
    },
  }),
  route({
    operation: 'createSession',
    method: 'POST',
    path: '/sessions',
    // A replay would show the session key to everybody who has the public key.
    idempotency: 'none',
    success: 201,
    handle: async (deps: ApplicationsDeps, { caller, writes }) => ({
      body: presentSession(await createSession(deps, caller, writes)),
    }),
  }),
  route({
    operation: 'authorizeSession',
    method: 'POST',
    path: '/sessions/authorize',
    success: 200,
    body: authorizeSessionBody,
    handle: async (deps: ApplicationsDeps, { caller, body }) => {
      await authorizeSession(deps, caller, body);
      return {};
    },
  }),
];
