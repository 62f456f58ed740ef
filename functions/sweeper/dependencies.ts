import type { Metrics } from '@aws-lambda-powertools/metrics';
import {
  dynamoDbClient,
  lambdaControlClient,
  lambdaOnceClient,
  sqsClient,
} from '../../src/adapters/aws/clients.ts';
import { dueApplications, dueKeyRotations, dueSessions } from '../../src/adapters/dynamodb/due-access.ts';
import { countParked, dueInvocations, dueReactors } from '../../src/adapters/dynamodb/due-reactors.ts';
import { dueCvcs, dueTokens } from '../../src/adapters/dynamodb/due-tokens.ts';
import { createHotAllowanceStore } from '../../src/adapters/dynamodb/hot-allowance-store.ts';
import { createHotPlaceStore, createWaitingReactors } from '../../src/adapters/dynamodb/hot-place-store.ts';
import { createReactorIndex } from '../../src/adapters/dynamodb/reactor-index.ts';
import { createNotedLayers } from '../../src/adapters/dynamodb/roll-store.ts';
import type { Table } from '../../src/adapters/dynamodb/table-client.ts';
import { createTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import { LIST_SHARDS } from '../../src/adapters/dynamodb/token-tables.ts';
import { createReactorHeat } from '../../src/adapters/lambda/reactor-heat.ts';
import { createReactorRepairs } from '../../src/adapters/lambda/reactor-repairs.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import { createReactorStores } from '../../src/adapters/stores.ts';
import type { KeepHotDeps } from '../../src/core/reactors/hot-decision.ts';
import { countCold, keepHot } from '../../src/core/reactors/keep-hot.ts';
import type { Clock } from '../../src/core/shared/clock.ts';
import { noteLayers } from '../../src/core/republish/note-layer.ts';
import { presentLayers } from '../../src/lambda/present-layer.ts';
import { parkedReports } from '../../src/lambda/delivery-report.ts';
import { printedMetrics } from '../../src/lambda/printed-metrics.ts';
import { createLog } from '../../src/lambda/request-log.ts';
import { DUE_WORKS, type DueWork, type DueWorkName } from '../../src/core/sweep/sweep.ts';
import { environment } from './config.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SweeperDeps {
  readonly clock: Clock;
  /** Each kind of work occurs once. The most urgent is the first. */
  readonly works: readonly DueWork[];
  /** The number of deliveries that wait for an operator. */
  readonly parkedDeliveries: () => Promise<number>;
  /**
   * Gives running instances to reactors that wait for them, and takes those of others. Begins no
   * call after `until`, in ms since the epoch.
   */
  readonly keepHot: (until: number) => Promise<void>;
  /** The number of reactors that the account's concurrency quota leaves cold. */
  readonly coldReactors: () => Promise<number>;
  /**
   * The number of reactors that have had another layer than that of the deployment for 14 days.
   */
  readonly outdatedReactors: () => Promise<number>;
  /** Created with the first run, which loads the library (tools/assets/bundle.ts). */
  readonly metrics: () => Metrics;
  /** Called with the failure of one piece of work. The others go on. */
  readonly onFailure: (error: unknown) => void;
}

function runningInstances(
  reactors: Table,
  deps: Omit<KeepHotDeps, 'until' | 'hotPlaceStore' | 'hotAllowanceStore' | 'waitingReactors'>,
): Pick<SweeperDeps, 'keepHot' | 'coldReactors'> {
  const places = {
    hotPlaceStore: createHotPlaceStore(reactors),
    hotAllowanceStore: createHotAllowanceStore(reactors),
    waitingReactors: createWaitingReactors(reactors),
  };
  return {
    keepHot: (until) => keepHot({ ...deps, ...places, until }),
    coldReactors: () => countCold(places),
  };
}

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): SweeperDeps {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const { clock } = platform;
  const log = createLog(print);
  const dynamodb = { client: dynamoDbClient(aws), platform };
  const tables = {
    ...dynamodb,
    tokensTable: config.TOKENS_TABLE,
    ephemeralTable: config.EPHEMERAL_TABLE,
    listShards: LIST_SHARDS,
  };
  const ephemeral = { ...dynamodb, name: config.EPHEMERAL_TABLE };
  const reactors = { ...dynamodb, name: config.REACTORS_TABLE };
  const sqs = sqsClient(aws);
  const lambda = { client: lambdaControlClient(aws), platform };
  const access = { ...dynamodb, name: config.ACCESS_TABLE };
  const { reactorStore, invocationStore } = createReactorStores(dynamodb, config);
  const works: Readonly<Record<DueWorkName, DueWork>> = {
    cvc: dueCvcs(tables, clock),
    tokens: dueTokens(tables, clock),
    applications: dueApplications(access, clock),
    sessions: dueSessions(ephemeral, clock),
    keys: dueKeyRotations(access, {
      ...platform,
      tenantStore: createTenantStore(access),
      keyRotationMs: config.KEY_ROTATION_DAYS * DAY_MS,
    }),
    invocations: dueInvocations(reactors, {
      invocationStore,
      invocationQueue: createInvocationQueue(sqs, config.INVOCATIONS_QUEUE_URL),
      deliveryQueue: createInvocationQueue(sqs, config.DELIVERIES_QUEUE_URL),
      clock,
      onParked: parkedReports(print, config.SERVICE_NAME),
    }),
    reactors: dueReactors(reactors, {
      ...platform,
      reactorStore,
      reactorFunctions: createReactorRepairs(lambda, { namePrefix: config.REACTOR_FUNCTION_PREFIX }),
    }),
  };
  return {
    clock,
    works: DUE_WORKS.map((name) => works[name]),
    parkedDeliveries: () => countParked(reactors),
    ...runningInstances(reactors, {
      clock,
      reactorStore,
      reactorHeat: createReactorHeat(
        { client: lambdaOnceClient(aws), platform },
        config.REACTOR_FUNCTION_PREFIX,
      ),
      hotInstances: config.HOT_INSTANCES,
      hotConcurrency: config.HOT_CONCURRENCY,
      onCold: log.cold,
      onFailure: log.failure('keepReactorHot'),
    }),
    outdatedReactors: () =>
      noteLayers({
        clock,
        notedLayers: createNotedLayers(reactors),
        reactorIndex: createReactorIndex(reactors),
        presentLayers: presentLayers(config),
      }),
    metrics: printedMetrics(print, config.SERVICE_NAME, 'sweeper'),
    onFailure: log.failure('sweep'),
  };
}
