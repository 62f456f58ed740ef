import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_SETTINGS, withoutLogger } from '../../src/adapters/aws/client-settings.ts';
import { createInvocationStore } from '../../src/adapters/dynamodb/invocation-store.ts';
import { createEdgeStores } from '../../src/adapters/edge-stores.ts';
import { createEgressClient } from '../../src/adapters/egress/https-egress-client.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import type { DeliverDeps } from '../../src/core/webhooks/deliver.ts';
import { presentFailure } from '../../src/http/present-reactor-result.ts';
import { logFailure } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): DeliverDeps {
  const config = environment.parse(env);
  const { dynamodb, tenantStore, tenantKeys, vault } = createEdgeStores(
    { accessTable: config.ACCESS_TABLE, ephemeralTable: config.EPHEMERAL_TABLE, keyId: config.KEY_ID },
    Date.now,
  );
  return {
    tenantKeys,
    vault,
    tenantStore,
    invocationStore: createInvocationStore(
      { client: dynamodb, name: config.REACTORS_TABLE },
      { client: dynamodb, name: config.EPHEMERAL_TABLE },
    ),
    deliveryQueue: createInvocationQueue(
      withoutLogger(new SQSClient(CLIENT_SETTINGS)),
      config.DELIVERIES_QUEUE_URL,
    ),
    egress: createEgressClient(),
    egressAllowList: config.EGRESS_ALLOW_LIST,
    presentFailure,
    onFailure: logFailure('deliverResult'),
    clock: Date.now,
  };
}
