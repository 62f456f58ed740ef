import { dynamoDbClient, kmsClient } from '../../src/adapters/aws/clients.ts';
import type { Instance } from '../../src/adapters/instance.ts';
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
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): Unaudited<ApplicationsDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const stores = createStores(dynamodb, kmsClient(aws), config);
  return {
    ...apiSettings(config, instance),
    ...stores,
    egressAllowList: config.EGRESS_ALLOW_LIST,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
  };
}
