import type { Route } from '../../src/http/route.ts';
import { operation as createApplication } from './create-application/route.ts';
import { operation as listApplications } from './list-applications/route.ts';
import { operation as getApplicationByKey } from './get-application-by-key/route.ts';
import { operation as getApplication } from './get-application/route.ts';
import { operation as updateApplication } from './update-application/route.ts';
import { operation as regenerateApplicationKey } from './regenerate-application-key/route.ts';
import { operation as createApplicationKey } from './create-application-key/route.ts';
import { operation as listApplicationKeys } from './list-application-keys/route.ts';
import { operation as getApplicationKey } from './get-application-key/route.ts';
import { operation as updateApplicationKey } from './update-application-key/route.ts';
import { operation as deleteApplicationKey } from './delete-application-key/route.ts';
import { operation as deleteApplication } from './delete-application/route.ts';
import { operation as listPermissions } from './list-permissions/route.ts';
import { operation as explainAccess } from './explain-access/route.ts';
import { operation as getTenant } from './get-tenant/route.ts';
import { operation as updateTenant } from './update-tenant/route.ts';
import { operation as createSession } from './create-session/route.ts';
import { operation as authorizeSession } from './authorize-session/route.ts';
import type { ApplicationsDeps } from './dependencies.ts';

/** The operations of the function, in the order in which the documents have them. */
export const routes: readonly Route<ApplicationsDeps>[] = [
  createApplication,
  listApplications,
  getApplicationByKey,
  getApplication,
  updateApplication,
  regenerateApplicationKey,
  createApplicationKey,
  listApplicationKeys,
  getApplicationKey,
  updateApplicationKey,
  deleteApplicationKey,
  deleteApplication,
  listPermissions,
  explainAccess,
  getTenant,
  updateTenant,
  createSession,
  authorizeSession,
];
