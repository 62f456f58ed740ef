import { dynamoDbClient, lambdaControlClient } from '../../src/adapters/aws/clients.ts';
import { createReactorIndex } from '../../src/adapters/dynamodb/reactor-index.ts';
import { createReactorStore } from '../../src/adapters/dynamodb/reactor-store.ts';
import { createRollStore } from '../../src/adapters/dynamodb/roll-store.ts';
import type { Instance } from '../../src/adapters/instance.ts';
import { createLayerMover } from '../../src/adapters/lambda/layer-mover.ts';
import { createPace, paced } from '../../src/adapters/lambda/pace.ts';
import { createRollQueue } from '../../src/adapters/lambda/roll-queue.ts';
import type { RollQueue } from '../../src/core/republish/roll.ts';
import type { WorkRollDeps } from '../../src/core/republish/work-roll.ts';
import { presentLayers } from '../../src/lambda/present-layer.ts';
import { createLog, type WriteLog } from '../../src/lambda/request-log.ts';
import { environment } from './config.ts';

/** Lambda allows an account 15 calls a second. The others are for those who change reactors. */
const CALLS_PER_SECOND = 10;

export type RepublisherDeps = WorkRollDeps & {
  readonly rollQueue: RollQueue;
  readonly writeLog: WriteLog;
};

/**
 * Wires the function from its environment. Throws at the start of an instance if a variable is
 * missing.
 */
export function dependencies(env: NodeJS.ProcessEnv, instance: Instance): RepublisherDeps {
  const config = environment.parse(env);
  const { aws, platform, print } = instance;
  const reactors = { client: dynamoDbClient(aws), platform, name: config.REACTORS_TABLE };
  const client = lambdaControlClient(aws);
  const control = paced(client, createPace(platform, CALLS_PER_SECOND));
  const namePrefix = config.REACTOR_FUNCTION_PREFIX;
  const log = createLog(print);
  return {
    ...platform,
    reactorStore: createReactorStore(reactors),
    reactorIndex: createReactorIndex(reactors),
    rollStore: createRollStore(reactors),
    rollQueue: createRollQueue(client, config.REPUBLISHER),
    layerMover: createLayerMover(
      { client, platform },
      { namePrefix, architecture: config.REACTOR_ARCHITECTURE, tags: config.RESOURCE_TAGS },
      control,
    ),
    presentLayers: presentLayers(config),
    onFailure: log.failure('moveReactor'),
    writeLog: log.write,
  };
}
