import { getResult } from '../../../src/core/reactors/get-result.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentInvocation } from '../../../src/wire/invocation.ts';
import { presentFailure } from '../../../src/wire/problem.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'getReactorResult',
  method: 'GET',
  path: '/reactors/{id}/results/{invocation_id}',
  subject: 'reactor',
  permission: 'token:use',
  success: 200,
  handle: async (deps, { caller, params }) => {
    const { id, invocation_id: invocationId } = params;
    return {
      body: presentInvocation(await getResult({ ...deps, presentFailure }, caller, id, invocationId)),
    };
  },
});
