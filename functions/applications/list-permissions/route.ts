import { listPermissions } from '../../../src/core/access/list-permissions.ts';
import { route, type Route } from '../../../src/http/route.ts';
import { listPermissionsQuery, presentPermission } from '../../../src/wire/application.ts';
import type { ApplicationsDeps } from '../dependencies.ts';

export const operation: Route<ApplicationsDeps> = route({
  operation: 'listPermissions',
  method: 'GET',
  path: '/permissions',
  success: 200,
  query: listPermissionsQuery,
  handle: (_deps, { query }) => Promise.resolve({ body: listPermissions(query.type).map(presentPermission) }),
});
