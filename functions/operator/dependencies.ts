import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import {
  CLIENT_SETTINGS,
  CONTROL_CLIENT_SETTINGS,
  withoutLogger,
} from '../../src/adapters/aws/client-settings.ts';
import { createApplicationStore } from '../../src/adapters/dynamodb/application-store.ts';
import { oldestDue } from '../../src/adapters/dynamodb/due-index.ts';
import { countCold, countParked } from '../../src/adapters/dynamodb/due-reactors.ts';
import { createInvocationStore } from '../../src/adapters/dynamodb/invocation-store.ts';
import { createReactorStore } from '../../src/adapters/dynamodb/reactor-store.ts';
import { createTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import { createTokenStore } from '../../src/adapters/dynamodb/token-store.ts';
import { createKmsKeyService } from '../../src/adapters/kms/kms-key-service.ts';
import { createReactorRepairs } from '../../src/adapters/lambda/reactor-repairs.ts';
import { createInvocationQueue, queueDepth } from '../../src/adapters/sqs/invocation-queue.ts';
import type { CreateTenantDeps } from '../../src/core/tenants/create-tenant.ts';
import type { TenantStore } from '../../src/core/tenants/tenant.ts';
import { createTenantKeys } from '../../src/core/crypto/tenant-keys.ts';
import { createVault } from '../../src/core/crypto/vault.ts';
import type { DestroyTenantDeps } from '../../src/core/tenants/destroy-tenant.ts';
import type { HealthDeps } from '../../src/core/sweep/health.ts';
import type { ResealDeps } from '../../src/core/tenants/reseal-records.ts';
import type { ReplaceRootDeps } from '../../src/core/tenants/replace-root.ts';
import type { RotateDataKeyDeps } from '../../src/core/tenants/rotate-data-key.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import type { ParkedDeliveriesDeps } from '../../src/core/webhooks/parked-deliveries.ts';
import type { WebhookSecretDeps } from '../../src/core/webhooks/webhook-secrets.ts';
import { logFailure } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type OperatorDeps = { readonly tenantStore: TenantStore } & CreateTenantDeps &
  WebhookSecretDeps &
  ParkedDeliveriesDeps &
  RotateDataKeyDeps &
  ReplaceRootDeps &
  ResealDeps &
  DestroyTenantDeps &
  HealthDeps;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): OperatorDeps {
  const config = environment.parse(env);
  const client = withoutLogger(new DynamoDBClient(CLIENT_SETTINGS));
  const sqs = withoutLogger(new SQSClient(CLIENT_SETTINGS));
  const table = (name: string) => ({ client, name });
  const [access, ephemeral] = [table(config.ACCESS_TABLE), table(config.EPHEMERAL_TABLE)];
  const [tokens, reactors] = [table(config.TOKENS_TABLE), table(config.REACTORS_TABLE)];
  const tenantStore = createTenantStore(access);
  const keyService = createKmsKeyService(withoutLogger(new KMSClient(CLIENT_SETTINGS)), config.KEY_ID);
  const tenantKeys = createTenantKeys({ keyService, keyRingStore: tenantStore, clock: Date.now });
  return {
    tenantStore,
    applicationStore: createApplicationStore(access),
    keyService,
    tenantKeys,
    vault: createVault(tenantKeys),
    tokenStore: createTokenStore(
      {
        client,
        tokensTable: config.TOKENS_TABLE,
        ephemeralTable: config.EPHEMERAL_TABLE,
        listShards: config.LIST_SHARDS,
      },
      Date.now,
    ),
    reactorStore: createReactorStore(reactors),
    reactorFunctions: createReactorRepairs(
      withoutLogger(new LambdaClient(CONTROL_CLIENT_SETTINGS)),
      // It removes functions and keeps none hot.
      { namePrefix: config.REACTOR_FUNCTION_PREFIX, hotConcurrency: 0 },
    ),
    invocationStore: createInvocationStore(reactors, ephemeral),
    deliveryQueue: createInvocationQueue(sqs, config.DELIVERIES_QUEUE_URL),
    oldestDue: {
      tokens: () => oldestDue(tokens),
      ephemeral: () => oldestDue(ephemeral),
      access: () => oldestDue(access),
      reactors: () => oldestDue(reactors),
    },
    waiting: {
      invocations: () => queueDepth(sqs, config.INVOCATIONS_QUEUE_URL),
      deliveries: () => queueDepth(sqs, config.DELIVERIES_QUEUE_URL),
    },
    parkedDeliveries: () => countParked(reactors),
    coldReactors: () => countCold(reactors),
    clock: Date.now,
    newId: randomIdentity.newId,
    onFailure: logFailure('operator'),
    keyRotationMs: config.KEY_ROTATION_DAYS * DAY_MS,
  };
}
