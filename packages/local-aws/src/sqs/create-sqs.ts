import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { AwsError, type AwsAccess, type AwsCall, type AwsResponse, type AwsService } from '../aws-service.ts';
import type { SharedClock } from '../clock.ts';
import { createStorageFailure, STORAGE_RETRY_MS, type StorageFailure } from '../storage-failure.ts';
import { SQS_ACTIONS, type QueueDefinition } from './queue-definitions.ts';
import type { QueueDepth, QueueResponse, QueueRequest, QueueWorkerSettings } from './queue-messages.ts';

export interface SqsOptions {
  readonly accountId: string;
  readonly region: string;
  /** Directory of the messages; without it they live in memory. */
  readonly dataDir?: string;
  /** Default: callers get the failure, and no other report. */
  readonly storageFailure?: StorageFailure;
  /** Determines delays and visibility timeouts. Default: the machine's time. */
  readonly clock?: SharedClock;
}

export interface Sqs extends AwsService {
  /** Creates a queue; an existing one keeps its messages and gets the attributes. */
  createQueue(queue: QueueDefinition): Promise<void>;
  /** Deletes the queue and its messages. */
  deleteQueue(url: string): Promise<void>;
  /**
   * Calls SQS without a permission check, for example for an event source mapping. Throws
   * {@link AwsError} like SQS.
   */
  call(operation: string, input: object): Promise<unknown>;
  /** Counts the messages of all queues. */
  depths(): Promise<readonly QueueDepth[]>;
}

/** The accesses to the key of an encrypted queue, by call (SQS Developer Guide, Key management). */
const keyActions: Readonly<Record<string, readonly string[]>> = {
  SendMessage: ['kms:GenerateDataKey', 'kms:Decrypt'],
  ReceiveMessage: ['kms:Decrypt'],
};

/**
 * Names of failures in SQS's older protocol, which clients still use; all others are the same in
 * both.
 */
const queryCodes: Readonly<Record<string, string>> = {
  KmsAccessDenied: 'KMS.AccessDeniedException',
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  UnsupportedOperation: 'AWS.SimpleQueueService.UnsupportedOperation',
};

const named = z.looseObject({ QueueUrl: z.string().optional(), QueueName: z.string().optional() });
/** A failure without a type is one of fauxqs itself, not of SQS. */
const failed = z.object({ __type: z.string().default('InternalFailure'), message: z.string() });

interface Worked {
  readonly status: number;
  readonly body: string;
}

function parseInput(body: Buffer): z.infer<typeof named> {
  try {
    return named.parse(JSON.parse(body.toString('utf8')));
  } catch {
    throw new AwsError('InvalidParameterValue', 400, 'The request is not JSON of SQS.');
  }
}

function lastPart(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/**
 * If the worker dies, as it does when the disk refuses a write, waiting calls get the reason. A
 * later call starts another from the file; queues in memory are lost, and every later call fails.
 */
function createQueueWorker(settings: QueueWorkerSettings, failure: StorageFailure) {
  let worker: Worker | undefined;
  let died: { readonly reason: AwsError; readonly atMs: number } | undefined;
  let lastId = 0;
  let closed: PromiseWithResolvers<undefined> | undefined;
  const waiting = new Map<number, PromiseWithResolvers<Worked>>();

  function abandon(error: Error): void {
    worker = undefined;
    closed?.resolve(undefined);
    const reason = failure(error);
    died = { reason, atMs: performance.now() };
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  }

  function received(reply: QueueResponse): void {
    if (reply.kind === 'closed') {
      closed?.resolve(undefined);
      return;
    }
    waiting.get(reply.id)?.resolve(reply);
    waiting.delete(reply.id);
  }

  function requireStartable(): void {
    if (died === undefined) return;
    if (settings.dataDir === undefined || performance.now() - died.atMs < STORAGE_RETRY_MS) throw died.reason;
  }

  function start(): Worker {
    requireStartable();
    const started = new Worker(join(import.meta.dirname, 'queue-worker.ts'), {
      workerData: settings,
      execArgv: [],
      name: 'sqs',
    });
    started.on('message', received);
    started.on('error', abandon);
    started.on('exit', () => {
      closed?.resolve(undefined);
      if (worker === started && closed === undefined) abandon(new Error('the queues have stopped'));
    });
    return started;
  }

  function post(request: QueueRequest): void {
    worker ??= start();
    worker.postMessage(request);
  }

  async function ask(request: (id: number) => QueueRequest): Promise<Worked> {
    if (closed !== undefined) throw new Error('the queues have stopped');
    lastId += 1;
    post(request(lastId));
    const reply = Promise.withResolvers<Worked>();
    waiting.set(lastId, reply);
    return await reply.promise;
  }

  return {
    call: (target: string, body: string) => ask((id) => ({ kind: 'call', id, target, body })),
    depths: () => ask((id) => ({ kind: 'depths', id })),
    close: async (): Promise<void> => {
      const closing = worker;
      if (closed !== undefined) return;
      closed = Promise.withResolvers();
      if (closing === undefined) return;
      closing.postMessage({ kind: 'close' } satisfies QueueRequest);
      await closed.promise;
      await closing.terminate();
    },
  };
}

function nameOf(awsCall: AwsCall): string {
  const { QueueUrl, QueueName } = parseInput(awsCall.body);
  return QueueName ?? lastPart(QueueUrl ?? '');
}

function accesses(
  queues: ReadonlyMap<string, QueueDefinition>,
  { region, accountId }: Pick<SqsOptions, 'region' | 'accountId'>,
  awsCall: AwsCall,
): readonly AwsAccess[] {
  const operation = awsCall.target ?? '';
  if (!SQS_ACTIONS.includes(operation))
    throw new AwsError('UnsupportedOperation', 400, `SQS ${operation} does not run locally.`);
  const name = nameOf(awsCall);
  const arn = `arn:aws:sqs:${region}:${accountId}:${name}`;
  const { keyArn } = queues.get(name) ?? {};
  const context = {
    'kms:EncryptionContext:aws:sqs:arn': arn,
    'kms:EncryptionContextKeys': ['aws:sqs:arn'],
    'kms:ViaService': `sqs.${region}.amazonaws.com`,
  };
  const ofKey = keyArn === undefined ? [] : (keyActions[operation] ?? []);
  return [
    { action: `sqs:${operation}`, resource: arn },
    ...ofKey.map((keyAction) => ({ action: keyAction, resource: keyArn ?? '', context })),
  ];
}

function response(status: number, body: string): AwsResponse {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body };
}

/**
 * SQS for one account on one machine: the queues of the templates, by fauxqs. Calls neither create
 * nor change queues.
 */
export function createSqs(options: SqsOptions): Sqs {
  const { region, dataDir, clock } = options;
  const queues = new Map<string, QueueDefinition>();
  const { storageFailure = createStorageFailure(dataDir ?? 'memory', () => undefined) } = options;
  const worker = createQueueWorker(
    { region, ...(dataDir !== undefined && { dataDir }), ...(clock !== undefined && { clock }) },
    storageFailure,
  );

  /** Resolves to the JSON of the response. */
  async function send(operation: string, input: string): Promise<string> {
    const { status, body } = await worker.call(operation, input);
    if (status < 400) return body === '' ? '{}' : body;
    const { __type, message } = failed.parse(JSON.parse(body));
    throw new AwsError(__type.slice(__type.lastIndexOf('#') + 1), status, message);
  }

  async function call(operation: string, input: object): Promise<unknown> {
    return JSON.parse(await send(operation, JSON.stringify(input)));
  }

  return {
    signingName: 'sqs',
    accesses: (awsCall) => accesses(queues, options, awsCall),
    handle: async (awsCall) => {
      const operation = awsCall.target ?? '';
      const queue = queues.get(nameOf(awsCall));
      if (queue === undefined)
        throw new AwsError('QueueDoesNotExist', 400, 'The specified queue does not exist.');
      // The address of the queue changes with each start.
      if (operation === 'GetQueueUrl') return response(200, JSON.stringify({ QueueUrl: queue.url }));
      return response(200, await send(operation, awsCall.body.toString('utf8')));
    },
    failure: ({ code, status, message, fields }) => {
      const body = JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message, ...fields });
      const { headers } = response(status, body);
      const fault = status < 500 ? 'Sender' : 'Receiver';
      return {
        status,
        headers: { ...headers, 'x-amzn-query-error': `${queryCodes[code] ?? code};${fault}` },
        body,
      };
    },
    close: () => worker.close(),
    createQueue: async (queue) => {
      queues.set(queue.name, queue);
      const QueueName = queue.name;
      const existing = await call('GetQueueUrl', { QueueName }).catch((error: unknown) => {
        if (error instanceof AwsError && error.code === 'QueueDoesNotExist') return undefined;
        throw error;
      });
      if (existing === undefined) await call('CreateQueue', { QueueName, Attributes: queue.attributes });
      else await call('SetQueueAttributes', { QueueUrl: queue.url, Attributes: queue.attributes });
    },
    deleteQueue: async (url) => {
      queues.delete(lastPart(url));
      await call('DeleteQueue', { QueueUrl: url });
    },
    call,
    depths: async () => {
      const { body } = await worker.depths();
      return JSON.parse(body) as readonly QueueDepth[];
    },
  };
}
