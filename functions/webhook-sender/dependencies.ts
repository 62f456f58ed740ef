import { dynamoDbClient, kmsClient, sqsClient } from '../../src/adapters/aws/clients.ts';
import type { EgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import {
  createReactorStores,
  createStores,
  createTokenStores,
  createTrail,
} from '../../src/adapters/stores.ts';
import type { AuditLog } from '../../src/core/audit/audit-log.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import type { DeliverDeps, Sent } from '../../src/core/webhooks/deliver.ts';
import { presentFailure } from '../../src/wire/problem.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { deliveryReports } from '../../src/lambda/delivery-report.ts';
import type { HandledMessage } from '../../src/lambda/invocation-messages.ts';
import { createLog, type WriteLog } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

export type WebhookSenderDeps = DeliverDeps & {
  readonly auditLog: AuditLog;
  readonly writeLog: WriteLog;
  /** Reports an attempt. Returns what the log says of it. */
  readonly onSent: (sent: Sent) => HandledMessage;
};

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: EgressInstance): Unaudited<WebhookSenderDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const log = createLog(print);
  const stores = createStores(dynamodb, kmsClient(aws), config);
  return {
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    ...createTokenStores(dynamodb, config, stores.vault),
    ...createReactorStores(dynamodb, config),
    deliveryQueue: createInvocationQueue(sqsClient(aws), config.DELIVERIES_QUEUE_URL),
    egress: instance.createEgress(),
    egressAllowList: config.EGRESS_ALLOW_LIST,
    presentFailure,
    onFailure: log.failure('deliverResult'),
    onSent: deliveryReports(print, config.SERVICE_NAME),
    writeLog: log.write,
    ...platform,
  };
}
