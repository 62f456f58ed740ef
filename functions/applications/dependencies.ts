import { dynamoDbClient } from '../../src/adapters/aws/clients.ts';
import { createStores } from '../../src/adapters/stores.ts';
import type { SessionDeps } from '../../src/core/access/session.ts';
import type { CreateApplicationDeps } from '../../src/core/applications/create-application.ts';
import type { ListApplicationsDeps } from '../../src/core/applications/list-applications.ts';
import type { TenantDeps } from '../../src/core/tenants/change-tenant.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { environment } from './config.ts';

export type ApplicationsDeps = ApiDeps &
  CreateApplicationDeps &
  ListApplicationsDeps &
  SessionDeps &
  TenantDeps;

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv): ApplicationsDeps {
  const config = environment.parse(env);
  return {
    ...apiSettings(config),
    ...createStores(dynamoDbClient(), config),
  };
}
