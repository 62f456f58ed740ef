import { dynamoDbClient, sqsClient } from '../../src/adapters/aws/clients.ts';
import { createHttpsEgressClient } from '../../src/adapters/egress/https-egress-client.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import { createReactorStores, createStores, createTrail } from '../../src/adapters/stores.ts';
import type { AuditLog } from '../../src/core/audit/audit-log.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import type { DeliverDeps } from '../../src/core/webhooks/deliver.ts';
import { presentFailure } from '../../src/wire/problem.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { logFailure } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type WebhookSenderDeps = DeliverDeps & { readonly auditLog: AuditLog };

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv): Unaudited<WebhookSenderDeps> {
  const config = environment.parse(env);
  const dynamodb = dynamoDbClient();
  const stores = createStores(dynamodb, config);
  return {
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(config.SERVICE_NAME) }),
    ...createReactorStores(dynamodb, config),
    deliveryQueue: createInvocationQueue(sqsClient(), config.DELIVERIES_QUEUE_URL),
    egress: createHttpsEgressClient(),
    egressAllowList: config.EGRESS_ALLOW_LIST,
    presentFailure,
    onFailure: logFailure('deliverResult'),
    clock: Date.now,
  };
}
