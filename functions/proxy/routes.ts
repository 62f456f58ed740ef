import { forward } from '../../src/core/proxy/forward.ts';
import { route, type Method, type Route } from '../../src/http/route.ts';
import type { ProxyDeps } from './dependencies.ts';
import { proxyRequest } from './proxy-request.ts';

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PATHS = ['/proxy', '/proxy/{suffix+}'];

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
      handle: async (deps: ProxyDeps, { caller, request }) => {
        const { status, ...raw } = await forward(deps, caller, proxyRequest(request));
        return { status, raw, reservedHeaders: { 'proxy-destination-status': String(status) } };
      },
    }),
  ),
);
