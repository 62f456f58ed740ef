import { getBill } from '../../../src/core/reactors/get-bill.ts';
import { route, type Route } from '../../../src/http/route.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'getReactorSbom',
  method: 'GET',
  path: '/reactors/{id}/sbom',
  subject: 'reactor',
  permission: 'reactor:review',
  success: 200,
  handle: async (deps, { caller, params: { id } }) => ({ body: await getBill(deps, caller, id) }),
});
