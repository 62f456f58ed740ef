import {
  createKey,
  deleteKey,
  getKey,
  listKeys,
  updateKey,
} from '../../src/core/applications/manage-keys.ts';
import {
  changeProxy,
  createProxy,
  deleteProxy,
  revertProxy,
  type RequestPlace,
} from '../../src/core/proxies/change-proxy.ts';
import { getProxy, listProxies, listProxyVersions } from '../../src/core/proxies/get-proxy.ts';
import { keysOfProxy } from '../../src/core/proxies/keys-of-proxy.ts';
import { listProxyFailures } from '../../src/core/proxies/list-failures.ts';
import { checkUnchanged } from '../../src/core/shared/check-unchanged.ts';
import type { ApiRequest } from '../../src/http/api-request.ts';
import { ownHosts } from '../../src/http/own-hosts.ts';
import { route, type Route } from '../../src/http/route.ts';
import { createKeyBody, presentKey, updateKeyBody } from '../../src/wire/application-key.ts';
import { namedListQuery } from '../../src/wire/named-list.ts';
import { presentPage } from '../../src/wire/page.ts';
import { presentFailures } from '../../src/wire/proxy-failure.ts';
import {
  createProxyBody,
  newProxyOf,
  patchOf,
  patchProxyBody,
  presentProxy,
  presentProxyVersion,
  revertOf,
  revertProxyBody,
  updateOf,
  updateProxyBody,
} from '../../src/wire/proxy.ts';
import type { ProxiesDeps } from './dependencies.ts';

const placeOf = (request: ApiRequest, { publicUrl }: ProxiesDeps): RequestPlace => ({
  traceId: request.traceId,
  ownHosts: ownHosts(request, publicUrl),
  isReserved: (name) => request.reserved.isReserved(name),
});

export const routes: readonly Route<ProxiesDeps>[] = [
  route({
    operation: 'createProxy',
    method: 'POST',
    path: '/proxies',
    permission: 'proxy:create',
    success: 201,
    body: createProxyBody,
    handle: async (deps: ProxiesDeps, { caller, body, request, writes }) => {
      const input = newProxyOf(body, deps);
      const { proxy, key } = await createProxy(deps, caller, input, placeOf(request, deps), writes);
      return { body: presentProxy(proxy, key) };
    },
  }),
  route({
    operation: 'listProxies',
    method: 'GET',
    path: '/proxies',
    permission: 'proxy:read',
    success: 200,
    query: namedListQuery,
    handle: async (deps: ProxiesDeps, { caller, query }) => ({
      body: presentPage(await listProxies(deps, caller, query.filters, query.page), (proxy) =>
        presentProxy(proxy),
      ),
    }),
  }),
  route({
    operation: 'getProxy',
    method: 'GET',
    path: '/proxies/{id}',
    subject: 'proxy',
    permission: 'proxy:read',
    success: 200,
    handle: async (deps: ProxiesDeps, { caller, params: { id } }) => ({
      body: presentProxy(await getProxy(deps, caller, id)),
    }),
  }),
  route({
    operation: 'updateProxy',
    method: 'PUT',
    path: '/proxies/{id}',
    subject: 'proxy',
    permission: 'proxy:update',
    success: 200,
    body: updateProxyBody,
    handle: async (deps: ProxiesDeps, { caller, params: { id }, body, request }) => ({
      body: presentProxy(await changeProxy(deps, caller, id, updateOf(body, deps), placeOf(request, deps))),
    }),
  }),
  route({
    operation: 'patchProxy',
    method: 'PATCH',
    path: '/proxies/{id}',
    subject: 'proxy',
    permission: 'proxy:update',
    success: 200,
    body: patchProxyBody,
    handle: async (deps: ProxiesDeps, { caller, params: { id }, body, request }) => ({
      body: presentProxy(await changeProxy(deps, caller, id, patchOf(body, deps), placeOf(request, deps))),
    }),
  }),
  route({
    operation: 'deleteProxy',
    method: 'DELETE',
    path: '/proxies/{id}',
    subject: 'proxy',
    permission: 'proxy:delete',
    success: 204,
    handle: async (deps: ProxiesDeps, { caller, params: { id } }) => {
      await deleteProxy(deps, caller, id);
      return {};
    },
  }),
  route({
    operation: 'listProxyVersions',
    method: 'GET',
    path: '/proxies/{id}/versions',
    subject: 'proxy',
    permission: 'proxy:read',
    success: 200,
    handle: async (deps: ProxiesDeps, { caller, params: { id } }) => ({
      body: (await listProxyVersions(deps, caller, id)).map(presentProxyVersion),
    }),
  }),
  route({
    operation: 'listProxyFailures',
    method: 'GET',
    path: '/proxies/{id}/failures',
    subject: 'proxy',
    permission: 'proxy:read',
    success: 200,
    handle: async (deps: ProxiesDeps, { caller, params: { id } }) => ({
      body: presentFailures(await listProxyFailures(deps, caller, id)),
    }),
  }),
  route({
    operation: 'revertProxy',
    method: 'POST',
    path: '/proxies/{id}/revert',
    subject: 'proxy',
    permission: 'proxy:update',
    success: 200,
    body: revertProxyBody,
    handle: async (deps: ProxiesDeps, { caller, params: { id }, body, request }) => ({
      body: presentProxy(await revertProxy(deps, caller, id, revertOf(body), placeOf(request, deps))),
    }),
  }),
  route({
    operation: 'createProxyKey',
    method: 'POST',
    path: '/proxies/{id}/keys',
    subject: 'proxy',
    permission: 'proxy:update',
    success: 201,
    body: createKeyBody,
    handle: async (deps: ProxiesDeps, { caller, params: { id }, body, writes }) => {
      const { key, text } = await createKey(deps, keysOfProxy(deps, caller, id), body, writes);
      return { body: presentKey(key, text) };
    },
  }),
  route({
    operation: 'listProxyKeys',
    method: 'GET',
    path: '/proxies/{id}/keys',
    subject: 'proxy',
    permission: 'proxy:read',
    success: 200,
    handle: async (deps: ProxiesDeps, { caller, params: { id } }) => ({
      body: (await listKeys(keysOfProxy(deps, caller, id))).map((key) => presentKey(key)),
    }),
  }),
  route({
    operation: 'getProxyKey',
    method: 'GET',
    path: '/proxies/{id}/keys/{key_id}',
    subject: 'proxy',
    permission: 'proxy:read',
    success: 200,
    handle: async (deps: ProxiesDeps, { caller, params: { id, key_id: keyId } }) => ({
      body: presentKey(await getKey(keysOfProxy(deps, caller, id), keyId)),
    }),
  }),
  route({
    operation: 'updateProxyKey',
    method: 'PATCH',
    path: '/proxies/{id}/keys/{key_id}',
    subject: 'proxy',
    permission: 'proxy:update',
    success: 200,
    body: updateKeyBody,
    handle: async (
      deps: ProxiesDeps,
      { caller, params: { id, key_id: keyId }, body: { patch, unchanged } },
    ) => ({
      body: presentKey(
        await updateKey(deps, keysOfProxy(deps, caller, id), keyId, {
          ...patch,
          check: (current) => {
            checkUnchanged(unchanged, presentKey(current));
          },
        }),
      ),
    }),
  }),
  route({
    operation: 'deleteProxyKey',
    method: 'DELETE',
    path: '/proxies/{id}/keys/{key_id}',
    subject: 'proxy',
    permission: 'proxy:update',
    success: 204,
    handle: async (deps: ProxiesDeps, { caller, params: { id, key_id: keyId } }) => {
      await deleteKey(deps, keysOfProxy(deps, caller, id), keyId);
      return {};
    },
  }),
];
