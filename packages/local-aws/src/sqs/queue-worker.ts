// SQS in a separate thread: fauxqs, called in process. Its server would listen on all of the
// machine's addresses.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { buildApp, type BuildAppOptions } from 'fauxqs';
import { followClock } from '../clock.ts';
import { errorCode, errorMessage } from '../error-code.ts';
import { damaged } from '../storage-failure.ts';
import type { QueueDepth, QueueResponse, QueueRequest, QueueWorkerSettings } from './queue-messages.ts';

type Stores = NonNullable<BuildAppOptions['stores']>;

interface Persistence {
  readonly db: DatabaseSync;
  loadSqsAndSns(sqs: Stores['sqsStore'], sns: Stores['snsStore']): void;
  close(): void;
}

const settings = workerData as QueueWorkerSettings;
if (settings.clock !== undefined) followClock(settings.clock);

/** Only fauxqs's server sets up its persistence; it does not export the parts. */
async function part<T>(path: string, name: string): Promise<T> {
  const module = (await import(new URL(path, import.meta.resolve('fauxqs')).href)) as Record<string, T>;
  const found = module[name];
  if (found === undefined) throw new Error(`this version of fauxqs has no ${name} in ${path}`);
  return found;
}

interface Opened {
  readonly stores: Stores;
  close(): void;
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOT_A_DATABASE = 26;

function openFailure(dataDir: string, error: unknown): unknown {
  const { errcode } = error as { errcode?: number };
  const isDamaged =
    errcode === SQLITE_CORRUPT || errcode === SQLITE_NOT_A_DATABASE || error instanceof SyntaxError;
  return isDamaged ? damaged(join(dataDir, 'fauxqs.db'), errorMessage(error)) : error;
}

/** All or nothing on disk. In memory a failure leaves an unknown state, so the worker ends. */
function transaction<T>({ db }: Persistence, task: () => T): T {
  db.exec('BEGIN');
  try {
    const result = task();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

type Queue = NonNullable<ReturnType<Stores['sqsStore']['getQueueByName']>>;

/** A message that moves to the dead-letter queue is deleted, and then inserted. */
function dequeueAtomically({ prototype }: { readonly prototype: Queue }, persistence: Persistence): void {
  const dequeue = Reflect.get<Queue, 'dequeue'>(prototype, 'dequeue');
  prototype.dequeue = function (...args) {
    return transaction(persistence, () => dequeue.apply(this, args));
  };
}

async function newStores(): Promise<Stores> {
  const SqsStore = await part<new () => Stores['sqsStore']>('sqs/sqsStore.js', 'SqsStore');
  const SnsStore = await part<new () => Stores['snsStore']>('sns/snsStore.js', 'SnsStore');
  const S3Store = await part<new () => Stores['s3Store']>('s3/s3Store.js', 'S3Store');
  return { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
}

async function loadStores(dataDir: string): Promise<Opened> {
  const PersistenceManager = await part<new (directory: string) => Persistence>(
    'persistence.js',
    'PersistenceManager',
  );
  const SqsQueue = await part<{ readonly prototype: Queue }>('sqs/sqsStore.js', 'SqsQueue');
  const persistence = new PersistenceManager(dataDir);
  const stores = await newStores();
  // The file already contains the loaded data: the stores write only from here on.
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  Object.assign(stores.sqsStore, { persistence });
  for (const queue of stores.sqsStore.allQueues()) Object.assign(queue, { persistence });
  dequeueAtomically(SqsQueue, persistence);
  return {
    stores,
    close: () => {
      persistence.close();
    },
  };
}

async function openStores(dataDir: string | undefined): Promise<Opened> {
  if (dataDir === undefined) return { stores: await newStores(), close: () => undefined };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    return await loadStores(dataDir);
  } catch (error) {
    throw openFailure(dataDir, error);
  }
}

const opened = await openStores(settings.dataDir);
const app = buildApp({ logger: false, defaultRegion: settings.region, stores: opened.stores });
await app.ready();

function post(reply: QueueResponse): void {
  parentPort?.postMessage(reply);
}

/**
 * A call that the disk refused has changed the queues in memory: the worker ends with this error,
 * and the next one reads the file.
 */
function requireStored(status: number, body: string): void {
  if (status < 500) return;
  const error = JSON.parse(body) as { readonly message: string };
  if (errorCode(error) === 'ERR_SQLITE_ERROR') throw new Error(error.message);
}

async function call(id: number, target: string, body: string): Promise<void> {
  const response = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${target}` },
    payload: body,
  });
  requireStored(response.statusCode, response.payload);
  post({ kind: 'answer', id, status: response.statusCode, body: response.payload });
}

/** Counts by the time: fauxqs itself moves messages only when someone receives. */
function depthOf(queue: Queue): QueueDepth {
  const now = Date.now();
  const { ready, delayed, inflight } = queue.inspectMessages();
  const stillDelayed = delayed.filter(({ delayUntil = 0 }) => delayUntil > now).length;
  const stillInFlight = inflight.filter(({ visibilityDeadline }) => visibilityDeadline > now).length;
  const messages = [...ready, ...delayed, ...inflight.map(({ message }) => message)];
  const oldest = messages.reduce((least, { sentTimestamp }) => Math.min(least, sentTimestamp), Infinity);
  return {
    name: queue.name,
    visible: messages.length - stillDelayed - stillInFlight,
    inFlight: stillInFlight,
    delayed: stillDelayed,
    oldestAgeMs: messages.length === 0 ? undefined : Math.max(0, now - oldest),
  };
}

parentPort?.on('message', (request: QueueRequest) => {
  if (request.kind === 'depths') {
    const depths = [...opened.stores.sqsStore.allQueues()].map(depthOf);
    post({ kind: 'answer', id: request.id, status: 200, body: JSON.stringify(depths) });
    return;
  }
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
