import { REACTOR_LIMITS } from '../../../src/core/reactors/reactor.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { invocationBody } from '../../../src/wire/invocation.ts';
import { nameTokensIn } from '../../../src/core/tokens/name-tokens.ts';
import type { ReactorsDeps } from '../dependencies.ts';
import { invokeReactor, replayInvocation } from '../invoke-reactor.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'invokeReactor',
  needsSettings: true,
  method: 'POST',
  path: '/reactors/{id}/react',
  subject: 'reactor',
  permission: 'token:use',
  success: 200,
  bodyMaxBytes: REACTOR_LIMITS.invocationBytes,
  body: invocationBody,
  handle: (deps, { caller, params: { id }, body, request, ...rest }) =>
    invokeReactor(deps, caller, { ...body, reactorId: id }, request, rest),
  nameTokens: (deps, { caller, body }) => nameTokensIn(deps, caller.tenantId, body),
  replay: (deps, { caller, params: { id }, body }, replayData) =>
    replayInvocation(deps, caller, { ...body, reactorId: id }, replayData),
});
