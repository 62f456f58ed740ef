import { setImmediate } from 'node:timers';
import type { APIGatewayProxyStructuredResultV2, SQSBatchResponse } from 'aws-lambda';
import type { EgressInstance } from '../../../src/adapters/egress/egress-instance.ts';
import { oldestDue } from '../../../src/adapters/dynamodb/due-index.ts';
import { applicationKey, canBeInKey, tokenKey } from '../../../src/adapters/dynamodb/keys.ts';
import { isTombstone, readTokenItem } from '../../../src/adapters/dynamodb/token-item.ts';
import type { LocalClients } from '../../../src/adapters/aws/client-settings.ts';
import type { EgressAllowList } from '../../../src/core/egress/destination.ts';
import type { Platform } from '../../../src/core/shared/platform.ts';
import type { MemoryKms } from './aws/memory-kms.ts';
import { MemoryLambda, type Functions } from './aws/memory-lambda.ts';
import { MemoryQueues } from './aws/memory-queues.ts';
import {
  createMemoryEgress,
  Destinations,
  type RegisteredDestinations,
  type SentRequest,
} from './destinations.ts';
import { MemoryDynamoDb, type Contents } from './dynamodb/memory-dynamodb.ts';
import { TABLES } from './dynamodb/table-definitions.ts';
import { failedCall, Failures } from './faults.ts';
import {
  answerOf,
  eventOf,
  FAILED,
  integrated,
  OPERATIONS,
  route,
  TOO_LARGE,
  type ApiFunctionName,
  type GatewayAnswer,
  type GatewayCall,
} from './gateway.ts';
import {
  API_FUNCTIONS,
  BACKGROUND_FUNCTIONS,
  ENVIRONMENT,
  type Environment,
  type FunctionDefinition,
  type Handler,
} from './functions.ts';
import type { AskedRequest, AskedResponse } from './reactors/bridge-message.ts';
import { createThreads, type Threads } from './reactors/run-in-thread.ts';
import { RunningWork } from './running-work.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface ServiceSettings {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly egressAllowList: EgressAllowList;
  /** Ms since the epoch. */
  readonly now: number;
  /** Receives each line that a function logs and that a reactor prints. */
  readonly print: (line: string) => void;
  /** Receives what the author of the test has to mend. */
  readonly warn: (error: unknown) => void;
  /** Opens the keys in every state of a vault. */
  readonly kms: MemoryKms;
}

/** The whole state of a service at one moment. */
export interface ServiceState {
  readonly contents: Contents;
  readonly functions: Functions;
  readonly messages: MemoryQueues['messages'];
  readonly now: number;
  readonly deliveries: readonly SentRequest[];
  readonly destinations: RegisteredDestinations;
  readonly coming: Failures['coming'];
}

type FunctionName = ApiFunctionName | keyof typeof BACKGROUND_FUNCTIONS;

const FUNCTIONS: Readonly<Record<FunctionName, FunctionDefinition>> = {
  ...API_FUNCTIONS,
  ...BACKGROUND_FUNCTIONS,
};

/** Lets the event loop turn once. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

const MINUTE_MS = 60_000;
/** How much a reactor's code reads of one response. */
const ASKED_MAX_BYTES = 50_000_000;
/** SQS delivers a failed message again after so long. */
const REDELIVERED_MS = 60_000;

const QUEUE_FUNCTIONS: Readonly<Record<string, FunctionName>> = {
  [ENVIRONMENT['INVOCATIONS_QUEUE_URL'] ?? '']: 'reactor-worker',
  [ENVIRONMENT['DELIVERIES_QUEUE_URL'] ?? '']: 'webhook-sender',
};

/**
 * The functions of the service over stores in memory, in this process. Another state is another
 * service: what still runs in the old one has no effect on the new one.
 */
export class MemoryService {
  readonly clock: VirtualClock;
  readonly destinations: Destinations;
  readonly failures = new Failures(OPERATIONS);
  readonly #settings: ServiceSettings;
  readonly #environment: Environment;
  readonly #dynamodb = new MemoryDynamoDb();
  readonly #queues: MemoryQueues;
  readonly #lambda: MemoryLambda;
  readonly #platform: Platform;
  readonly #threads: Threads;
  readonly #work = new RunningWork();
  /** The messages of queues that are processed. */
  readonly #received = new Set<Promise<void>>();
  readonly #handlers = new Map<FunctionName, Handler>();
  #deliveries: readonly SentRequest[] = [];
  #isWoken = false;
  #hasEnded = false;
  /** Settles after all moves of the clock until now. */
  #advanced: Promise<void> = Promise.resolve();

  constructor(settings: ServiceSettings, state?: ServiceState) {
    const { baseUrl, environment, egressAllowList, print, warn } = settings;
    this.#settings = settings;
    this.#environment = { ...ENVIRONMENT, ...environment, PUBLIC_URL: baseUrl };
    this.clock = new VirtualClock(state?.now ?? settings.now);
    this.#platform = this.clock.platform();
    this.destinations = new Destinations(egressAllowList, this.#work, warn);
    this.#queues = new MemoryQueues(this.clock.now, () => this.#wake());
    this.#threads = createThreads({
      ask: (asked) => this.#ask(asked),
      print,
      warn,
      work: this.#work,
      startTimer: this.clock.startTimer,
    });
    this.#lambda = new MemoryLambda(this.#threads.run);
    if (state !== undefined) this.#begin(state);
  }

  #begin({ contents, functions, messages, deliveries, destinations, coming }: ServiceState): void {
    this.#dynamodb.replaceContents(contents);
    this.#lambda.replaceFunctions(functions);
    this.#deliveries = deliveries;
    this.destinations.replaceRegistered(destinations);
    this.failures.replaceComing(coming);
    for (const message of messages) this.#queues.put(message);
  }

  /** The requests of webhooks that reached a destination. */
  get deliveries(): readonly SentRequest[] {
    return this.#deliveries;
  }

  /** Ends what runs and waits. Nothing reaches a destination any more. */
  end(): void {
    this.#hasEnded = true;
    this.destinations.clear();
    this.#threads.end();
    this.clock.endTimers();
  }

  /** Clients that a store of this service needs. */
  get aws(): {
    readonly dynamodb: { readonly client: LocalClients['dynamoDb']; readonly platform: Platform };
    readonly kms: LocalClients['kms'];
  } {
    return {
      dynamodb: { client: this.#clients().dynamoDb, platform: this.#platform },
      kms: this.#clients().kms,
    };
  }

  /** Answers as the gateway does. The service itself never throws. */
  request(call: GatewayCall): Promise<GatewayAnswer> {
    return this.#work.join(() => this.#answer(call));
  }

  async #answer(call: GatewayCall): Promise<GatewayAnswer> {
    this.clock.tick();
    // As a call of a network takes one: timers of the test go on.
    await turn();
    const routed = route(call);
    if ('answer' in routed) return routed.answer;
    const { name, operation, path } = routed;
    const status = operation === undefined ? undefined : this.failures.take(operation);
    if (status !== undefined)
      return answerOf(
        failedCall(status, (problem) => (name === 'proxy' ? { proxy_error: problem } : problem)),
      );
    const event = eventOf(call, path, this.clock.now());
    if (event === undefined) return TOO_LARGE;
    try {
      return integrated((await this.invoke(name, event)) as APIGatewayProxyStructuredResultV2);
    } catch {
      return FAILED;
    }
  }

  #clients(): LocalClients {
    // The classes of the clients have more members than the service calls.
    return {
      dynamoDb: this.#dynamodb as never,
      kms: this.#settings.kms as never,
      sqs: this.#queues as never,
      lambda: this.#lambda as never,
    };
  }

  #instance(name: FunctionName): EgressInstance {
    const { print } = this.#settings;
    const platform = this.#platform;
    const onSent = (sent: SentRequest) => {
      if (name === 'webhook-sender') this.#deliveries = [...this.#deliveries, sent];
    };
    return {
      platform,
      print,
      aws: {
        clients: this.#clients(),
        reach: () => ({}),
        clock: platform.worldClock,
        open: () => undefined,
      },
      createEgress: () => createMemoryEgress(this.destinations, platform, onSent),
    };
  }

  /** Invokes a function, whose instance its first call starts. */
  invoke(name: FunctionName, event: unknown): Promise<unknown> {
    const { timeoutMs, start } = FUNCTIONS[name];
    let handle = this.#handlers.get(name);
    if (handle === undefined) {
      handle = start(this.#environment, this.#instance(name));
      this.#handlers.set(name, handle);
    }
    return handle(event, { getRemainingTimeInMillis: () => timeoutMs });
  }

  /** Sends a request of a reactor's code to the service or to a destination. */
  async #ask({ url: address, method, headers: raw, body }: AskedRequest): Promise<AskedResponse> {
    const url = new URL(address);
    const headers = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
    const answer =
      url.origin === this.#settings.baseUrl
        ? await this.request({ method, url, headers, body: Buffer.from(body) })
        : await this.destinations.ask({ url: address, method, headers, body }, ASKED_MAX_BYTES);
    return { ...answer, headers: answer.headers.flat() };
  }

  /** Starts what is due in the queues, after everything that runs now. */
  #wake(): void {
    if (this.#isWoken || this.#hasEnded) return;
    this.#isWoken = true;
    setImmediate(() => {
      this.#isWoken = false;
      for (let message = this.#queues.take(); message !== undefined; message = this.#queues.take()) {
        const taken = message;
        const received = this.#work
          .start(() => this.#receive(taken))
          .finally(() => this.#received.delete(received));
        this.#received.add(received);
      }
    });
  }

  async #receive(message: NonNullable<ReturnType<MemoryQueues['take']>>): Promise<void> {
    const name = QUEUE_FUNCTIONS[message.queue];
    if (name === undefined) throw new Error(`no function reads the queue ${message.queue}`);
    const again = () => this.#queues.put({ ...message, dueAt: this.clock.now() + REDELIVERED_MS });
    try {
      const event = { Records: [{ messageId: '1', body: message.body }] };
      const { batchItemFailures: failed } = (await this.invoke(name, event)) as SQSBatchResponse;
      if (failed.length > 0) again();
    } catch {
      again();
    }
  }

  /** Resolves when nothing runs and nothing is due in the queues. */
  async settled(): Promise<void> {
    for (;;) {
      if (this.#hasEnded || (this.#received.size === 0 && !this.#hasDueMessages())) return;
      this.#wake();
      await turn();
      await Promise.all(this.#received);
    }
  }

  /** Returns when a schedule or a queue has something to do, in ms since the epoch. */
  async #nextDue(): Promise<number | undefined> {
    const tables = TABLES.filter(({ indexes }) => indexes.length > 0).map(({ name }) => name);
    const times = await Promise.all(tables.map((name) => oldestDue({ ...this.aws.dynamodb, name })));
    const due = [...times, this.#queues.nextDue()].filter((time) => time !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /**
   * Moves the clock, and does on the way what the schedules do every minute: expiry, the end of
   * cvcs and sessions, deliveries that are due again.
   */
  advance(ms: number): Promise<void> {
    const move = () => this.#moveBy(ms);
    // Moves that a test starts together follow each other.
    const moved = this.#advanced.then(move);
    this.#advanced = moved.catch(() => undefined);
    return moved;
  }

  async #moveBy(ms: number): Promise<void> {
    const end = this.clock.now() + Math.round(ms);
    await this.#workRests();
    for (let seen = -1; !this.#hasEnded;) {
      const due = await this.#nextDue();
      // Work that stays due after a sweep waits for something else.
      if (due === undefined || due <= seen) break;
      const next = Math.ceil(Math.max(due, this.clock.now() + 1) / MINUTE_MS) * MINUTE_MS;
      if (next > end) break;
      seen = due;
      await this.#runAt(next);
    }
    await this.#runAt(end);
    this.#dynamodb.expire(this.clock.now());
    await this.#workRests();
  }

  async #runAt(time: number): Promise<void> {
    this.clock.moveTo(time);
    await this.#workRests();
    await this.invoke('sweeper', {});
    await this.#workRests();
  }

  #hasDueMessages(): boolean {
    const due = this.#queues.nextDue();
    return due !== undefined && due <= this.clock.now();
  }

  /** Resolves when all work that does not wait for something has ended. */
  async #workRests(): Promise<void> {
    // A call that the test has just begun becomes work first.
    await turn();
    for (;;) {
      await this.#work.rests();
      if (this.#hasEnded || !this.#hasDueMessages()) return;
      this.#wake();
      await turn();
    }
  }

  hasApplication(tenantId: string, id: string): boolean {
    return canBeInKey(id) && this.#dynamodb.item('Access', applicationKey(tenantId, id)) !== undefined;
  }

  /** The type of a token that callers can find; `undefined` if there is none. */
  typeOf(tenantId: string, id: string): string | undefined {
    const item = canBeInKey(id) ? this.#dynamodb.item('Tokens', tokenKey(tenantId, id)) : undefined;
    if (item === undefined || isTombstone({ ...item })) return undefined;
    const { token, pending } = readTokenItem({ ...item });
    const isOver = token.expiration !== undefined && token.expiration.at <= this.clock.now();
    return pending || isOver ? undefined : token.type;
  }

  state(): ServiceState {
    return {
      contents: this.#dynamodb.contents(),
      functions: this.#lambda.functions,
      messages: this.#queues.messages,
      now: this.clock.now(),
      deliveries: this.#deliveries,
      destinations: this.destinations.registered,
      coming: this.failures.coming,
    };
  }
}
