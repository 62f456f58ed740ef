import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import {
  CLIENT_SETTINGS,
  invokeClientSettings,
  withoutLogger,
} from '../../src/adapters/aws/client-settings.ts';
import { createInvocationStore } from '../../src/adapters/dynamodb/invocation-store.ts';
import { createReactorStore } from '../../src/adapters/dynamodb/reactor-store.ts';
import { createEdgeAndTokenStores } from '../../src/adapters/edge-stores.ts';
import { createReactorRunner } from '../../src/adapters/lambda/reactor-runner.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import type { RunInvocationDeps } from '../../src/core/reactors/run-invocation.ts';
import { presentFailure, presentReactorResult } from '../../src/http/present-reactor-result.ts';
import { logFailure } from '../../src/lambda/request-log.ts';
import { parseTokenInput } from '../../src/http/token-input.ts';
import { environment } from './config.ts';

/** Longest wait for the answer of an instance, in ms: the longest run (spec.md, Limits) and what it takes to start. */
const ANSWER_WITHIN_MS = 240_000;

/**
 * Publishes how long an invocation has waited, in CloudWatch's embedded metric format: a log line that becomes a metric.
 * It costs only while something waits.
 */
function publishWaits(namespace: string): RunInvocationDeps['onGivenBack'] {
  const metrics = new Metrics({ namespace, serviceName: 'reactor-worker' });
  return (waitedMs) => {
    metrics.addMetric('InvocationWaitSeconds', MetricUnit.Seconds, Math.round(waitedMs / 1000));
    metrics.publishStoredMetrics();
  };
}

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): RunInvocationDeps {
  const config = environment.parse(env);
  const { dynamodb, ...stores } = createEdgeAndTokenStores(
    {
      accessTable: config.ACCESS_TABLE,
      ephemeralTable: config.EPHEMERAL_TABLE,
      tokensTable: config.TOKENS_TABLE,
      listShards: config.LIST_SHARDS,
      keyId: config.KEY_ID,
    },
    Date.now,
  );
  const reactors = { client: dynamodb, name: config.REACTORS_TABLE };
  const sqs = withoutLogger(new SQSClient(CLIENT_SETTINGS));
  return {
    ...stores,
    reactorStore: createReactorStore(reactors),
    invocationStore: createInvocationStore(reactors, { client: dynamodb, name: config.EPHEMERAL_TABLE }),
    invocationQueue: createInvocationQueue(sqs, config.INVOCATIONS_QUEUE_URL),
    deliveryQueue: createInvocationQueue(sqs, config.DELIVERIES_QUEUE_URL),
    reactorRunner: createReactorRunner(
      withoutLogger(new LambdaClient(invokeClientSettings(ANSWER_WITHIN_MS))),
      {
        namePrefix: config.REACTOR_FUNCTION_PREFIX,
        egressAllowList: config.EGRESS_ALLOW_LIST,
      },
    ),
    parseTokenInput,
    presentResult: presentReactorResult,
    presentFailure,
    onFailure: logFailure('runInvocation'),
    onGivenBack: publishWaits(config.SERVICE_NAME),
    cvcLifetimeMs: config.CVC_LIFETIME_SECONDS * 1000,
    clock: Date.now,
  };
}
