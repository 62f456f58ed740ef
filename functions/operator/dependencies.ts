import { dynamoDbClient, lambdaControlClient, sqsClient } from '../../src/adapters/aws/clients.ts';
import { oldestDue } from '../../src/adapters/dynamodb/due-index.ts';
import { countCold, countParked } from '../../src/adapters/dynamodb/due-reactors.ts';
import { createReactorRepairs } from '../../src/adapters/lambda/reactor-repairs.ts';
import { createInvocationQueue, queueDepth } from '../../src/adapters/sqs/invocation-queue.ts';
import { createReactorStores, createStores, createTokenStores } from '../../src/adapters/stores.ts';
import type { CreateTenantDeps } from '../../src/core/tenants/create-tenant.ts';
import type { TenantStore } from '../../src/core/tenants/tenant.ts';
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

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv): OperatorDeps {
  const config = environment.parse(env);
  const client = dynamoDbClient();
  const sqs = sqsClient();
  const dueIn = (name: string) => () => oldestDue({ client, name });
  const reactors = { client, name: config.REACTORS_TABLE };
  return {
    ...createStores(client, config),
    ...createTokenStores(client, config),
    ...createReactorStores(client, config),
    // It removes functions and keeps none hot.
    reactorFunctions: createReactorRepairs(lambdaControlClient(), {
      namePrefix: config.REACTOR_FUNCTION_PREFIX,
      hotConcurrency: 0,
    }),
    deliveryQueue: createInvocationQueue(sqs, config.DELIVERIES_QUEUE_URL),
    oldestDue: {
      tokens: dueIn(config.TOKENS_TABLE),
      ephemeral: dueIn(config.EPHEMERAL_TABLE),
      access: dueIn(config.ACCESS_TABLE),
      reactors: dueIn(config.REACTORS_TABLE),
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
