// SQS in a thread of its own: fauxqs, called in process. Its server would listen on all of the
// machine's addresses.
import { mkdirSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp, type BuildAppOptions } from 'fauxqs';
import type { QueueAnswer, QueueRequest, QueueWorkerSettings } from './queue-messages.ts';

type Stores = NonNullable<BuildAppOptions['stores']>;

interface Persistence {
  loadSqsAndSns(sqs: Stores['sqsStore'], sns: Stores['snsStore']): void;
  close(): void;
}

const settings = workerData as QueueWorkerSettings;

/** Only fauxqs's server sets its persistence up; its parts are exported by no name. */
async function part<T>(path: string, name: string): Promise<T> {
  const module = (await import(new URL(path, import.meta.resolve('fauxqs')).href)) as Record<string, T>;
  const found = module[name];
  if (found === undefined) throw new Error(`this version of fauxqs has no ${name} in ${path}`);
  return found;
}

interface Opened {
  readonly stores?: Stores;
  close(): void;
}

async function openStores(dataDir: string | undefined): Promise<Opened> {
  if (dataDir === undefined) return { close: () => undefined };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const PersistenceManager = await part<new (directory: string) => Persistence>(
    'persistence.js',
    'PersistenceManager',
  );
  const SqsStore = await part<new () => Stores['sqsStore']>('sqs/sqsStore.js', 'SqsStore');
  const SnsStore = await part<new () => Stores['snsStore']>('sns/snsStore.js', 'SnsStore');
  const S3Store = await part<new () => Stores['s3Store']>('s3/s3Store.js', 'S3Store');
  const persistence = new PersistenceManager(dataDir);
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  // What is loaded is in the file already: the stores write only from here on.
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  Object.assign(stores.sqsStore, { persistence });
  for (const queue of stores.sqsStore.allQueues()) Object.assign(queue, { persistence });
  return {
    stores,
    close: () => {
      persistence.close();
    },
  };
}

const opened = await openStores(settings.dataDir);
const app = buildApp({
  logger: false,
  defaultRegion: settings.region,
  ...(opened.stores !== undefined && { stores: opened.stores }),
});
await app.ready();

function post(answer: QueueAnswer): void {
  parentPort?.postMessage(answer);
}

async function call(id: number, target: string, body: string): Promise<void> {
  const response = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${target}` },
    payload: body,
  });
  post({ kind: 'answer', id, status: response.statusCode, body: response.payload });
}

parentPort?.on('message', (request: QueueRequest) => {
  if (request.kind === 'call') {
    void call(request.id, request.target, request.body);
    return;
  }
  void app.close().then(() => {
    opened.close();
    post({ kind: 'closed' });
    parentPort?.close();
  });
});
