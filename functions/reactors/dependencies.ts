import {
  dynamoDbClient,
  kmsClient,
  lambdaControlClient,
  lambdaInvokeClient,
  sqsClient,
} from '../../src/adapters/aws/clients.ts';
import { createHotAllowanceStore } from '../../src/adapters/dynamodb/hot-allowance-store.ts';
import { createReactorFunctions } from '../../src/adapters/lambda/reactor-functions.ts';
import { createReactorRunner } from '../../src/adapters/lambda/reactor-runner.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import {
  createPins,
  createReactorStores,
  createStores,
  createTokenStores,
  createTrail,
} from '../../src/adapters/stores.ts';
import { reactorImages } from '../../src/core/reactors/images.ts';
import { makeAgain } from '../../src/core/reactors/make-again.ts';
import type { ChangeReactorDeps } from '../../src/core/reactors/create-reactor.ts';
import type { GetResultDeps } from '../../src/core/reactors/get-result.ts';
import type { ListReactorsDeps } from '../../src/core/reactors/list-reactors.ts';
import type { RunReactorDeps } from '../../src/core/reactors/run-reactor.ts';
import type { StartInvocationDeps } from '../../src/core/reactors/start-invocation.ts';
import type { ParkedDeliveriesDeps } from '../../src/core/webhooks/parked-deliveries.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { apiSettings } from '../../src/http/api-settings.ts';
import type { ApiDeps } from '../../src/http/create-api-handler.ts';
import { tokenInputParser } from '../../src/http/parse-token-input.ts';
import { auditReports } from '../../src/lambda/audit-metrics.ts';
import { presentLayers, presentVersions } from '../../src/lambda/present-layer.ts';
import { environment } from './config.ts';

export type ReactorsDeps = ApiDeps &
  ChangeReactorDeps &
  ListReactorsDeps &
  RunReactorDeps &
  StartInvocationDeps &
  ParkedDeliveriesDeps &
  GetResultDeps & {
    /** Absent if the gateway's own address is the address of the service. */
    readonly publicUrl?: string;
  };

/** The wait for an instance, in ms, must be less than the gateway's timeout. */
const RESPONSE_WITHIN_MS = 30_000;

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): Unaudited<ReactorsDeps> {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const namePrefix = config.REACTOR_FUNCTION_PREFIX;
  const egressAllowList = config.EGRESS_ALLOW_LIST;
  const stores = createStores(dynamodb, kmsClient(aws), config);
  const sqs = sqsClient(aws);
  const making = {
    ...platform,
    ...createReactorStores(dynamodb, config),
    vault: stores.vault,
    reactorFunctions: createReactorFunctions(
      { client: lambdaControlClient(aws), platform },
      {
        namePrefix,
        roleArn: config.REACTOR_ROLE,
        layers: presentVersions(config),
        architecture: config.REACTOR_ARCHITECTURE,
        codeKeyArn: config.KEY_ID,
        tags: config.RESOURCE_TAGS,
      },
    ),
  };
  return {
    ...apiSettings(config, instance),
    ...stores,
    auditLog: createTrail(dynamodb, config, { ...stores, ...auditReports(print, config.SERVICE_NAME) }),
    ...createTokenStores(dynamodb, config, stores.vault),
    invocationQueue: createInvocationQueue(sqs, config.INVOCATIONS_QUEUE_URL),
    deliveryQueue: createInvocationQueue(sqs, config.DELIVERIES_QUEUE_URL),
    ...making,
    ...createPins(dynamodb, config, stores.vault),
    images: reactorImages(config.REACTOR_IMAGES),
    reactorPackages: config.REACTOR_PACKAGES,
    presentLayers: presentLayers(config),
    hotConcurrency: config.HOT_CONCURRENCY,
    reactorMaker: { makeAgain: (reactor) => makeAgain(making, reactor) },
    reactorRunner: createReactorRunner(
      { client: lambdaInvokeClient(aws, RESPONSE_WITHIN_MS), platform },
      {
        namePrefix,
        egressAllowList,
      },
    ),
    parseTokenInput: tokenInputParser(config.CLIENT_COMPATIBILITY),
    reactorsPerTenant: config.REACTORS_PER_TENANT,
    hotAllowanceStore: createHotAllowanceStore({ ...dynamodb, name: config.REACTORS_TABLE }),
    cvcLifetimeMs: config.CVC_LIFETIME_SECONDS * 1000,
    egressAllowList,
    ...(config.PUBLIC_URL !== '' && { publicUrl: config.PUBLIC_URL }),
  };
}
