import { callProxy } from '../../../src/core/stored-proxies/call-proxy.ts';
import type { Proxy } from '../../../src/core/stored-proxies/stored-proxy.ts';
import type { InboundResponse } from '../../../src/core/egress/egress-client.ts';
import { forward, isCompressed, nameForwarded } from '../../../src/core/proxy-expressions/forward.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import type { Caller } from '../../../src/core/access/caller.ts';
import type { ApiRequest } from '../../../src/http/api-request.ts';
import { route, type Method } from '../../../src/http/route.ts';
import { isForWorker, makesNoPage } from '../browser-call.ts';
import type { ProxyDeps } from '../dependencies.ts';
import { proxyCall, proxyRequest } from '../proxy-request.ts';

const isEncoded = ({ headers }: InboundResponse): boolean =>
  headers.some(([name, value]) => name.toLowerCase() === 'content-encoding' && isCompressed(value));

/** A call with the key of a stored proxy runs that; any other names its own destination. */
async function respond(deps: ProxyDeps, caller: Caller, request: ApiRequest, admitted: Proxy | undefined) {
  if (isForWorker(request)) throw new ServiceError('forbidden', 'The proxy serves no script of a worker.');
  const response = await (admitted === undefined
    ? forward(deps, caller, proxyRequest(request, deps))
    : callProxy(deps, caller, admitted, proxyCall(request, deps)));
  // Such a response leaves without the field that names its encoding.
  if (makesNoPage(request, deps.headerPrefixes) && isEncoded(response))
    throw new ServiceError(
      'destination_unreachable',
      'The destination encoded its answer although it was asked not to.',
    );
  return response;
}

/** Makes the operation for one of its methods, and one of its paths. */
export const operation = (method: Method, path: '/proxy' | '/proxy/{suffix+}') =>
  route({
    operation: 'proxy',
    method,
    path,
    needsSettings: true,
    permission: 'token:use',
    success: 200,
    idempotency: 'none',
    passesOn: true,
    admits: true,
    async nameTokens(deps: ProxyDeps, { caller, request, admitted }) {
      // Where a proxy needs no API key, no text of its callers is an expression.
      if (admitted?.definition.requireAuth !== false)
        await nameForwarded(deps, caller, proxyRequest(request, deps));
    },
    handle: async (deps: ProxyDeps, { caller, request, admitted }) => {
      const { status, ...raw } = await respond(deps, caller, request, admitted);
      return { status, raw, reservedHeaders: { 'proxy-destination-status': String(status) } };
    },
  });
