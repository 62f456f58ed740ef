import { dynamoDbClient, kmsClient, lambdaControlClient } from '../../src/adapters/aws/clients.ts';
import { createDeploymentKeyStore } from '../../src/adapters/dynamodb/deployment-key-store.ts';
import { createHotAllowanceStore } from '../../src/adapters/dynamodb/hot-allowance-store.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import { createKmsKeyService } from '../../src/adapters/kms/kms-key-service.ts';
import { createReactorRepairs } from '../../src/adapters/lambda/reactor-repairs.ts';
import {
  createProxies,
  createReactorStores,
  createStores,
  createTokenStores,
  createTrail,
} from '../../src/adapters/stores.ts';
import type { CreateManagementKeyDeps } from '../../src/core/operator/create-management-key.ts';
import type { CreateTenantDeps } from '../../src/core/operator/create-tenant.ts';
import type { DestroyTenantDeps } from '../../src/core/operator/destroy-tenant.ts';
import type { ApplicationStore } from '../../src/core/applications/application-store.ts';
import type { TenantStore } from '../../src/core/tenants/tenant.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { keyReports } from '../../src/lambda/key-metrics.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import type { CommandDeps } from '../../src/operator/run-command.ts';
import { environment } from './config.ts';

export type AccessDeps = CommandDeps &
  CreateTenantDeps &
  CreateManagementKeyDeps &
  DestroyTenantDeps & { readonly tenantStore: TenantStore; readonly applicationStore: ApplicationStore };

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): Unaudited<AccessDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const kms = kmsClient(aws);
  const stores = createStores(dynamodb, kms, config);
  return {
    ...stores,
    keyService: createKmsKeyService(kms, config.KEY_ID),
    deploymentKeyStore: createDeploymentKeyStore({ ...dynamodb, name: config.ACCESS_TABLE }),
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    tokenStore: createTokenStores(dynamodb, config, stores.vault).storedTokens,
    ...createReactorStores(dynamodb, config),
    hotAllowanceStore: createHotAllowanceStore({ ...dynamodb, name: config.REACTORS_TABLE }),
    ...createProxies(dynamodb, config),
    // It deletes functions and provisions no instances.
    reactorFunctions: createReactorRepairs(
      { client: lambdaControlClient(aws), platform },
      { namePrefix: config.REACTOR_FUNCTION_PREFIX },
    ),
    onManagementKeyCreated: keyReports(print, config.SERVICE_NAME).onManagementKeyCreated,
    ...platform,
    newId: platform.random.uuid,
    keyRotationMs: config.KEY_ROTATION_DAYS * DAY_MS,
  };
}
