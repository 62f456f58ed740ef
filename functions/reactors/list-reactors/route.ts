import { listReactors } from '../../../src/core/reactors/list-reactors.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { presentPage } from '../../../src/wire/page.ts';
import { listReactorsQuery, presentReactor } from '../../../src/wire/reactor.ts';
import type { ReactorsDeps } from '../dependencies.ts';

export const operation: Route<ReactorsDeps> = route({
  operation: 'listReactors',
  method: 'GET',
  path: '/reactors',
  permission: 'reactor:review',
  success: 200,
  query: listReactorsQuery,
  handle: async (deps, { caller, query }) => ({
    body: presentPage(await listReactors(deps, caller, query.filters, query.page), presentReactor),
  }),
});
