import { listApplications } from '../../../src/core/applications/list-applications.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { listApplicationsQuery, presentApplication } from '../../../src/wire/application.ts';
import { presentPage } from '../../../src/wire/page.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'listApplications',
  method: 'GET',
  path: '/applications',
  permission: 'application:read',
  success: 200,
  query: listApplicationsQuery,
  handle: async (deps, { caller, query }) => {
    const page = await listApplications(deps, caller, query.filters, query.page);
    return { body: presentPage(page, (application) => presentApplication(application)) };
  },
});
