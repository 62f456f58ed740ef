import { dynamoDbClient } from '../../src/adapters/aws/clients.ts';
import { createStores, createTrail } from '../../src/adapters/stores.ts';
import type { SessionDeps } from '../../src/core/access/session.ts';
import type { CreateApplicationDeps } from '../../src/core/applications/create-application.ts';
import type { ListApplicationsDeps } from '../../src/core/applications/list-applications.ts';
import type { TenantDeps } from '../../src/core/tenants/change-tenant.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
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
export function dependencies(env: NodeJS.ProcessEnv): Unaudited<ApplicationsDeps> {
  const config = environment.parse(env);
  const dynamodb = dynamoDbClient();
  const stores = createStores(dynamodb, config);
  return {
    ...apiSettings(config),
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(config.SERVICE_NAME) }),
  };
}
