import { dynamoDbClient, sqsClient } from '../../src/adapters/aws/clients.ts';
import { createEgressClient } from '../../src/adapters/egress/https-egress-client.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import { createReactorStores, createStores } from '../../src/adapters/stores.ts';
import type { DeliverDeps } from '../../src/core/webhooks/deliver.ts';
import { presentFailure } from '../../src/http/present-reactor-result.ts';
import { logFailure } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv): DeliverDeps {
  const config = environment.parse(env);
  const dynamodb = dynamoDbClient();
  return {
    ...createStores(dynamodb, config),
    ...createReactorStores(dynamodb, config),
    deliveryQueue: createInvocationQueue(sqsClient(), config.DELIVERIES_QUEUE_URL),
    egress: createEgressClient(),
    egressAllowList: config.EGRESS_ALLOW_LIST,
    presentFailure,
    onFailure: logFailure('deliverResult'),
    clock: Date.now,
  };
}
