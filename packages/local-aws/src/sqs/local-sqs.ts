import { later, storeSettings, type LocalAccount, type LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import { createSqs, type Sqs } from './create-sqs.ts';
import { createQueueDefinitions, type QueueDefinitions } from './queue-definitions.ts';
import { sqsResources } from './sqs-resources.ts';
import { startMappings, type StartMappingsOptions } from './start-mappings.ts';

export interface LocalSqs extends LocalService {
  readonly queues: QueueDefinitions;
  readonly depths: Sqs['depths'];
}

/** SQS, and the event source mappings that read its queues for functions. */
export function createLocalSqs(
  account: LocalAccount,
  lambda: Pick<StartMappingsOptions, 'functions' | 'roles' | 'keyPolicy'>,
): LocalSqs {
  const queues = createQueueDefinitions();
  const store = later<Sqs>('SQS');
  const stopMappings = later<ReturnType<typeof startMappings>>('event source mappings');
  return {
    queues,
    depths: () => store.get().depths(),
    resources: definedIn({ account, queues }, sqsResources),
    removers: {
      'AWS::Lambda::EventSourceMapping': ({ stackName, logicalId }) => {
        stopMappings.get()(`${stackName}/${logicalId}`);
      },
      'AWS::SQS::Queue': ({ identity }) => store.get().deleteQueue(identity.ref),
    },
    open: () => {
      const sqs = store.set(createSqs({ ...storeSettings(account, 'sqs'), clock: account.clock.shared }));
      account.onClose(() => sqs.close());
    },
    deploy: async () => {
      const sqs = store.get();
      for (const queue of queues.all()) await sqs.createQueue(queue);
      return sqs;
    },
    start: () => {
      const stop = startMappings({
        ...lambda,
        mappings: queues.mappings(),
        queues: queues.all(),
        sqs: store.get(),
        log: (line) => {
          account.logs.line('queues', line);
        },
      });
      stopMappings.set(stop);
      account.onClose(() => {
        stop();
      });
    },
  };
}
