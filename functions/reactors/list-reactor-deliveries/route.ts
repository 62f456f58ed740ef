import { listParked } from '../../../src/core/webhooks/parked-deliveries.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentPage } from '../../../src/wire/page.ts';
import { listDeliveriesQuery, presentParked } from '../../../src/wire/parked-delivery.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'listReactorDeliveries',
  method: 'GET',
  path: '/reactors/{id}/deliveries',
  subject: 'reactor',
  permission: 'reactor:read',
  success: 200,
  query: listDeliveriesQuery,
  handle: async (deps, { caller, params: { id }, query }) => ({
    body: presentPage(await listParked(deps, caller, id, query), presentParked),
  }),
});
