import { callProxy } from '../../src/core/proxies/call-proxy.ts';
import type { Proxy } from '../../src/core/proxies/stored-proxy.ts';
import { forward } from '../../src/core/proxy/forward.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import type { ApiRequest } from '../../src/http/api-request.ts';
import { route, type Method, type Route } from '../../src/http/route.ts';
import type { ProxyDeps } from './dependencies.ts';
import { proxyCall, proxyRequest } from './proxy-request.ts';

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PATHS = ['/proxy', '/proxy/{suffix+}'];

/** A call with the key of a stored proxy runs that; any other names its own destination. */
function respond(deps: ProxyDeps, caller: Caller, request: ApiRequest, admitted: Proxy | undefined) {
  return admitted === undefined
    ? forward(deps, caller, proxyRequest(request, deps))
    : callProxy(deps, caller, admitted, proxyCall(request, deps));
}

/** The same operation serves every method and every path below `/proxy`. */
export const routes: readonly Route<ProxyDeps>[] = PATHS.flatMap((path) =>
  METHODS.map((method) =>
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
      handle: async (deps: ProxyDeps, { caller, request, admitted }) => {
        const { status, ...raw } = await respond(deps, caller, request, admitted);
        return { status, raw, reservedHeaders: { 'proxy-destination-status': String(status) } };
      },
    }),
  ),
);
