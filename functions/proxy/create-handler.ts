import { admitCall } from '../../src/core/stored-proxies/admit-call.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { leavingResponse } from './leaving-response.ts';
import type { ProxyDeps } from './dependencies.ts';
import { routes } from './routes.ts';

/** Composes the function behind `/proxy`. */
export const createHandler = (deps: Unaudited<ProxyDeps>) =>
  createApiHandler(deps, routes, {
    present: (problem) => ({ proxy_error: problem }),
    admit: admitCall,
    leave: (request, response) => leavingResponse(request, response, deps),
  });
