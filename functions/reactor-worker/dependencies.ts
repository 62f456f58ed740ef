import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { dynamoDbClient, kmsClient, lambdaInvokeClient, sqsClient } from '../../src/adapters/aws/clients.ts';
import { createMakeRequests } from '../../src/adapters/lambda/make-requests.ts';
import { createReactorRunner } from '../../src/adapters/lambda/reactor-runner.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import {
  createReactorStores,
  createStores,
  createTokenStores,
  createTrail,
} from '../../src/adapters/stores.ts';
import type { AuditLog } from '../../src/core/audit/audit-log.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import type { ProcessInvocationDeps } from '../../src/core/reactors/process-invocation.ts';
import { presentReaction } from '../../src/wire/invocation.ts';
import { presentFailure } from '../../src/wire/problem.ts';
import { tokenInputParser } from '../../src/http/parse-token-input.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { printedMetrics } from '../../src/lambda/printed-metrics.ts';
import { createLog, type Print, type WriteLog } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

/**
 * Longest wait for the response of an instance, in ms: the longest run (docs/contract.md#limits)
 * plus the start.
 */
const RESPONSE_WITHIN_MS = 240_000;

/**
 * Publishes the waiting time of an invocation in CloudWatch's embedded metric format, a log line
 * that becomes a metric. It costs nothing while no invocation waits.
 */
function publishWaits(print: Print, namespace: string): ProcessInvocationDeps['onReleased'] {
  const metrics = printedMetrics(print, namespace, 'reactor-worker');
  return (waitedMs) => {
    metrics().addMetric('InvocationWaitSeconds', MetricUnit.Seconds, Math.round(waitedMs / 1000));
    metrics().publishStoredMetrics();
  };
}

export type ReactorWorkerDeps = ProcessInvocationDeps & {
  readonly auditLog: AuditLog;
  readonly writeLog: WriteLog;
};

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): Unaudited<ReactorWorkerDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const sqs = sqsClient(aws);
  const log = createLog(print);
  const invoking = lambdaInvokeClient(aws, RESPONSE_WITHIN_MS);
  const stores = createStores(dynamodb, kmsClient(aws), config);
  return {
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    ...createTokenStores(dynamodb, config, stores.vault),
    ...createReactorStores(dynamodb, config),
    invocationQueue: createInvocationQueue(sqs, config.INVOCATIONS_QUEUE_URL),
    deliveryQueue: createInvocationQueue(sqs, config.DELIVERIES_QUEUE_URL),
    reactorMaker: createMakeRequests(invoking, config.REACTORS_FUNCTION),
    reactorRunner: createReactorRunner(
      { client: invoking, platform },
      {
        namePrefix: config.REACTOR_FUNCTION_PREFIX,
        egressAllowList: config.EGRESS_ALLOW_LIST,
      },
    ),
    clientCompatibility: config.CLIENT_COMPATIBILITY,
    parseTokenInput: tokenInputParser(config.CLIENT_COMPATIBILITY),
    presentResult: presentReaction,
    presentFailure,
    onFailure: log.failure('runInvocation'),
    onReleased: publishWaits(print, config.SERVICE_NAME),
    cvcLifetimeMs: config.CVC_LIFETIME_SECONDS * 1000,
    ...platform,
    writeLog: log.write,
  };
}
