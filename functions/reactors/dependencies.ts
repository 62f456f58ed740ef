import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import {
  CLIENT_SETTINGS,
  CONTROL_CLIENT_SETTINGS,
  invokeClientSettings,
  withoutLogger,
} from '../../src/adapters/aws/client-settings.ts';
import { createInvocationStore } from '../../src/adapters/dynamodb/invocation-store.ts';
import { createReactorStore } from '../../src/adapters/dynamodb/reactor-store.ts';
import { createEdgeAndTokenStores } from '../../src/adapters/edge-stores.ts';
import { createReactorFunctions } from '../../src/adapters/lambda/reactor-functions.ts';
import { createReactorRunner } from '../../src/adapters/lambda/reactor-runner.ts';
import { createInvocationQueue } from '../../src/adapters/sqs/invocation-queue.ts';
import type { ChangeReactorDeps } from '../../src/core/reactors/create-reactor.ts';
import type { GetResultDeps } from '../../src/core/reactors/get-result.ts';
import type { ListReactorsDeps } from '../../src/core/reactors/list-reactors.ts';
import type { RunReactorDeps } from '../../src/core/reactors/run-reactor.ts';
import type { StartInvocationDeps } from '../../src/core/reactors/start-invocation.ts';
import type { EdgeDeps } from '../../src/http/create-api-handler.ts';
import { consoleLog, logCold } from '../../src/lambda/request-log.ts';
import { parseTokenInput } from '../../src/http/token-input.ts';
import { environment } from './config.ts';

export type ReactorsDeps = EdgeDeps &
  ChangeReactorDeps &
  ListReactorsDeps &
  RunReactorDeps &
  StartInvocationDeps &
  GetResultDeps & {
    readonly configurationIsOptional: boolean;
    /** Address of the service where it is not the gateway's own. */
    readonly publicUrl?: string;
  };

/** Longest wait for the answer of an instance, in ms: the gateway gives up before. */
const ANSWER_WITHIN_MS = 30_000;

/** Wires the function from its environment. Throws at the start of an instance if a variable is missing. */
export function dependencies(env: NodeJS.ProcessEnv): ReactorsDeps {
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
  const prefix = config.REACTOR_FUNCTION_PREFIX;
  return {
    ...stores,
    reactorStore: createReactorStore(reactors),
    invocationStore: createInvocationStore(reactors, { client: dynamodb, name: config.EPHEMERAL_TABLE }),
    invocationQueue: createInvocationQueue(
      withoutLogger(new SQSClient(CLIENT_SETTINGS)),
      config.INVOCATIONS_QUEUE_URL,
    ),
    reactorFunctions: createReactorFunctions(withoutLogger(new LambdaClient(CONTROL_CLIENT_SETTINGS)), {
      namePrefix: prefix,
      roleArn: config.REACTOR_ROLE,
      layerArn: config.REACTOR_LAYER,
      architecture: config.REACTOR_ARCHITECTURE,
      codeKeyArn: config.KEY_ID,
      hotConcurrency: config.HOT_CONCURRENCY,
    }),
    reactorRunner: createReactorRunner(
      withoutLogger(new LambdaClient(invokeClientSettings(ANSWER_WITHIN_MS))),
      {
        namePrefix: prefix,
        egressAllowList: config.EGRESS_ALLOW_LIST,
      },
    ),
    parseTokenInput,
    cvcLifetimeMs: config.CVC_LIFETIME_SECONDS * 1000,
    egressAllowList: config.EGRESS_ALLOW_LIST,
    ...(config.PUBLIC_URL !== '' && { publicUrl: config.PUBLIC_URL }),
    configurationIsOptional: config.CLIENT_COMPATIBILITY === 'lenient',
    clock: Date.now,
    headerPrefixes: config.HEADER_PREFIXES,
    edgeSecret: config.EDGE_SECRET,
    log: consoleLog,
    onCold: logCold,
  };
}
