import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { makeAgain } from '../../src/core/reactors/make-again.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import type { ReactorsDeps } from './dependencies.ts';
import { routes } from './routes.ts';

/** Other functions send it for a reactor without a function (`make-requests.ts`). */
const makeRequest = z.lazy(() =>
  z.object({ make_again: z.object({ tenant_id: z.string(), reactor_id: z.string() }) }),
);

/**
 * The handler of one instance. Requests of the gateway have a context, which no caller writes;
 * events of functions have none.
 */
export function createHandler(deps: Unaudited<ReactorsDeps>) {
  const respond = createApiHandler(deps, routes);
  return async (event: APIGatewayProxyEventV2 | object, context: Parameters<typeof respond>[1]) => {
    if ('requestContext' in event) return respond(event, context);
    const { make_again: wanted } = makeRequest.parse(event);
    await makeAgain(deps, { tenantId: wanted.tenant_id, id: wanted.reactor_id });
    return undefined;
  };
}
