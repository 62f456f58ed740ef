import { patchReactor, updateReactor } from '../../src/core/reactors/change-reactor.ts';
import { createReactor } from '../../src/core/reactors/create-reactor.ts';
import { deleteReactor } from '../../src/core/reactors/delete-reactor.ts';
import { getReactor } from '../../src/core/reactors/get-reactor.ts';
import { REACTOR_LIMITS } from '../../src/core/reactors/reactor.ts';
import { getResult } from '../../src/core/reactors/get-result.ts';
import { listReactors } from '../../src/core/reactors/list-reactors.ts';
import { listParked, resendParked } from '../../src/core/webhooks/parked-deliveries.ts';
import { route, type Route } from '../../src/http/route.ts';
import { invocationBody, presentInvocation } from '../../src/wire/invocation.ts';
import { namedListQuery } from '../../src/wire/named-list.ts';
import { presentPage } from '../../src/wire/page.ts';
import { listDeliveriesQuery, presentParked } from '../../src/wire/parked-delivery.ts';
import { presentFailure } from '../../src/wire/problem.ts';
import {
  checkUnchangedReactor,
  createReactorBody,
  definitionOf,
  patchReactorBody,
  presentReactor,
  presentWrittenReactor,
  updateReactorBody,
} from '../../src/wire/reactor.ts';
import { nameTokensIn } from '../../src/core/tokens/name-tokens.ts';
import type { ReactorsDeps } from './dependencies.ts';
import { invokeReactor, replayInvocation } from './invoke-reactor.ts';

export const routes: readonly Route<ReactorsDeps>[] = [
  route({
    operation: 'createReactor',
    method: 'POST',
    path: '/reactors',
    permission: 'reactor:create',
    success: 201,
    body: createReactorBody,
    handle: async (deps: ReactorsDeps, { caller, body, writes }) => ({
      body: presentWrittenReactor(await createReactor(deps, caller, definitionOf(body, deps), writes)),
    }),
  }),
  route({
    operation: 'listReactors',
    method: 'GET',
    path: '/reactors',
    permission: 'reactor:read',
    success: 200,
    query: namedListQuery,
    handle: async (deps: ReactorsDeps, { caller, query }) => ({
      body: presentPage(await listReactors(deps, caller, query.filters, query.page), presentReactor),
    }),
  }),
  route({
    operation: 'getReactor',
    method: 'GET',
    path: '/reactors/{id}',
    subject: 'reactor',
    permission: 'reactor:read',
    success: 200,
    handle: async (deps: ReactorsDeps, { caller, params: { id } }) => ({
      body: presentReactor(await getReactor(deps, caller, id)),
    }),
  }),
  route({
    operation: 'updateReactor',
    method: 'PUT',
    path: '/reactors/{id}',
    subject: 'reactor',
    permission: 'reactor:update',
    success: 200,
    body: updateReactorBody,
    handle: async (deps: ReactorsDeps, { caller, params: { id }, body }) => ({
      body: presentWrittenReactor(
        await updateReactor(
          deps,
          caller,
          id,
          definitionOf(body, deps),
          checkUnchangedReactor(body.unchanged),
        ),
      ),
    }),
  }),
  route({
    operation: 'patchReactor',
    method: 'PATCH',
    path: '/reactors/{id}',
    subject: 'reactor',
    permission: 'reactor:update',
    success: 204,
    mergePatch: true,
    body: patchReactorBody,
    handle: async (deps: ReactorsDeps, { caller, params: { id }, body }) => {
      await patchReactor(deps, caller, id, body.patch, checkUnchangedReactor(body.unchanged));
      return {};
    },
  }),
  route({
    operation: 'deleteReactor',
    method: 'DELETE',
    path: '/reactors/{id}',
    subject: 'reactor',
    permission: 'reactor:delete',
    success: 204,
    handle: async (deps: ReactorsDeps, { caller, params: { id } }) => {
      await deleteReactor(deps, caller, id);
      return {};
    },
  }),
  route({
    operation: 'invokeReactor',
    needsSettings: true,
    method: 'POST',
    path: '/reactors/{id}/react',
    subject: 'reactor',
    permission: 'token:use',
    success: 200,
    bodyMaxBytes: REACTOR_LIMITS.invocationBytes,
    body: invocationBody,
    handle: (deps: ReactorsDeps, { caller, params: { id }, body, request, ...rest }) =>
      invokeReactor(deps, caller, { ...body, reactorId: id }, request, rest),
    nameTokens: (deps, { caller, body }) => nameTokensIn(deps, caller.tenantId, body),
    replay: (deps, { caller, params: { id }, body }, replayData) =>
      replayInvocation(deps, caller, { ...body, reactorId: id }, replayData),
  }),
  route({
    operation: 'getReactorResult',
    method: 'GET',
    path: '/reactors/{id}/results/{invocation_id}',
    subject: 'reactor',
    permission: 'token:use',
    success: 200,
    handle: async (deps: ReactorsDeps, { caller, params }) => {
      const { id, invocation_id: invocationId } = params;
      return {
        body: presentInvocation(await getResult({ ...deps, presentFailure }, caller, id, invocationId)),
      };
    },
  }),
  route({
    operation: 'listReactorDeliveries',
    method: 'GET',
    path: '/reactors/{id}/deliveries',
    subject: 'reactor',
    permission: 'reactor:read',
    success: 200,
    query: listDeliveriesQuery,
    handle: async (deps: ReactorsDeps, { caller, params: { id }, query }) => ({
      body: presentPage(await listParked(deps, caller, id, query), presentParked),
    }),
  }),
  route({
    operation: 'resendReactorDelivery',
    method: 'POST',
    path: '/reactors/{id}/deliveries/{invocation_id}/resend',
    subject: 'reactor',
    permission: 'reactor:update',
    success: 204,
    handle: async (deps: ReactorsDeps, { caller, params, writes }) => {
      const { id, invocation_id: invocationId } = params;
      await resendParked(deps, caller, { reactorId: id, invocationId }, writes);
      return {};
    },
  }),
];
