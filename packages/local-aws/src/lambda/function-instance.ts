import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SharedClock } from '../clock.ts';
import {
  failure,
  MAX_PAYLOAD_BYTES,
  type FunctionDefinition,
  type Invocation,
  type InvocationOutcome,
} from './function-definition.ts';
import type { InstanceMessage, InstanceSettings, InvocationMessage } from './instance-messages.ts';

/** Decides which invocations of functions are killed, and when. */
export interface FunctionKills {
  /** How long after its beginning an invocation dies, in ms; undefined if it lives. */
  deathAfter(functionName: string): number | undefined;
  /**
   * Records the duration of an invocation that was not killed, so that kills happen within
   * realistic run times.
   */
  ended(functionName: string, durationMs: number): void;
}

/**
 * One execution environment of a function: it has loaded the code and runs one invocation at a
 * time.
 */
export interface FunctionInstance {
  /** Settles when the code is loaded or has failed to; never rejects. */
  readonly initialized: Promise<void>;
  /**
   * False once it failed to load, timed out, crashed or was stopped: it takes no invocation then.
   */
  readonly usable: boolean;
  /** Must not be called while an earlier call runs. Never rejects. */
  run(invocation: Invocation): Promise<InvocationOutcome>;
  /** Settles when it can accept the next invocation, or has ended; never rejects. */
  untilReady(): Promise<void>;
  stop(): Promise<void>;
}

export interface InstanceOptions {
  readonly definition: FunctionDefinition;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (text: string) => void;
  /** Longest time for loading the code; AWS allows 10 s, a busy laptop needs more. */
  readonly initTimeoutMs?: number;
  /** Certificates in PEM form that the code accepts in addition to Node's own. Default: none. */
  readonly trustedCertificates?: readonly string[];
  /** Decides which invocations are killed. Default: none. */
  readonly kills?: FunctionKills;
  /** The folder in which Node caches compiled code for the next instance. Default: none. */
  readonly compileCache?: string;
  /** Sets `Date` in the code. Default: the machine's time. */
  readonly clock?: SharedClock;
}

const WORKER_FILE = join(import.meta.dirname, 'instance-worker.ts');

function describeCrash(error: Error, requestId: string): InvocationOutcome {
  const outOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!outOfMemory) return failure(error.name, error.message);
  return failure(
    'Runtime.OutOfMemory',
    `RequestId: ${requestId} Error: Runtime exited with error: signal: killed`,
  );
}

/**
 * Variables that Node needs at its start and the function must not see: Lambda sets none of them.
 */
function hiddenEnvironment({ environment, compileCache }: InstanceOptions): Readonly<Record<string, string>> {
  if (compileCache === undefined || 'NODE_COMPILE_CACHE' in environment) return {};
  return { NODE_COMPILE_CACHE: compileCache };
}

function startWorker(options: InstanceOptions): Worker {
  const { definition, environment, log, clock } = options;
  const hidden = hiddenEnvironment(options);
  const settings: InstanceSettings = {
    hiddenVariables: Object.keys(hidden),
    taskRoot: definition.codeDirectory,
    handler: definition.handler,
    functionName: definition.name,
    trustedCertificates: options.trustedCertificates ?? [],
    memoryMb: definition.memoryMb,
    logGroup: definition.logGroup,
    logStream: `${new Date().toISOString().slice(0, 10).replaceAll('-', '/')}/[$LATEST]local`,
    ...(clock !== undefined && { clock }),
  };
  const worker = new Worker(WORKER_FILE, {
    workerData: settings,
    env: { ...environment, ...hidden },
    execArgv: [],
    stdout: true,
    stderr: true,
    name: definition.name,
    // A function that fits its Lambda also fits this heap: only runaway code reaches the limit.
    resourceLimits: { maxOldGenerationSizeMb: Math.max(256, definition.memoryMb) },
  });
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', log);
  }
  return worker;
}

/** Runs a function on this Node, in a worker thread. */
class WorkerInstance implements FunctionInstance {
  readonly #options: InstanceOptions;
  readonly #worker: Worker;
  readonly #initialized = Promise.withResolvers<undefined>();
  readonly #initTimer: NodeJS.Timeout;
  #initFailure: InvocationOutcome | undefined;
  #usable = true;
  #requestId = '';
  #isKilled = false;
  #settleInvocation: ((outcome: InvocationOutcome) => void) | undefined;

  constructor(options: InstanceOptions) {
    const { initTimeoutMs = 60_000 } = options;
    this.#options = options;
    this.#worker = startWorker(options);
    this.#initTimer = setTimeout(() => {
      const seconds = (initTimeoutMs / 1000).toFixed(2);
      this.#retire(failure('Sandbox.Timedout', `Error: Init timed out after ${seconds} seconds`));
    }, initTimeoutMs);
    this.#worker.on('message', (message: InstanceMessage) => {
      this.#received(message);
    });
    this.#worker.on('error', (error: Error) => {
      options.log(`${this.#requestId} ERROR ${error.stack ?? error.message}\n`);
      this.#retire(describeCrash(error, this.#requestId));
    });
    this.#worker.on('exit', (code) => {
      const reason = this.#isKilled ? 'signal: killed' : `exit status ${String(code)}`;
      const message = `RequestId: ${this.#requestId} Error: Runtime exited with error: ${reason}`;
      this.#retire(failure('Runtime.ExitError', message));
    });
  }

  get initialized(): Promise<void> {
    return this.#initialized.promise;
  }

  get usable(): boolean {
    return this.#usable;
  }

  async run(invocation: Invocation): Promise<InvocationOutcome> {
    const { definition, kills } = this.#options;
    await this.initialized;
    if (!this.#usable) return this.#initFailure ?? failure('Runtime.ExitError', 'the instance has stopped');
    this.#requestId = invocation.requestId;
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    this.#settleInvocation = resolve;
    const timer = this.#deadlineTimer();
    const message: InvocationMessage = {
      ...invocation,
      deadline: Date.now() + definition.timeoutSeconds * 1000,
    };
    const deathAfterMs = kills?.deathAfter(definition.name);
    const death = deathAfterMs === undefined ? undefined : this.#dieAfter(deathAfterMs);
    const startedMs = performance.now();
    this.#worker.postMessage(message);
    const outcome = await promise;
    clearTimeout(timer);
    clearTimeout(death);
    if (death === undefined) kills?.ended(definition.name, performance.now() - startedMs);
    return withinPayloadLimit(outcome);
  }

  untilReady(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#retire(failure('Runtime.ExitError', 'the instance has stopped'));
    await this.#worker.terminate();
  }

  #settle(outcome: InvocationOutcome): void {
    this.#settleInvocation?.(outcome);
    this.#settleInvocation = undefined;
  }

  /** The end of this instance: all waiting calls get `outcome`. */
  #retire(outcome: InvocationOutcome): void {
    clearTimeout(this.#initTimer);
    if (this.#usable) {
      this.#usable = false;
      this.#initFailure ??= outcome;
      void this.#worker.terminate();
    }
    this.#initialized.resolve(undefined);
    this.#settle(outcome);
  }

  #received(message: InstanceMessage): void {
    if (message.kind !== 'initialized') {
      // The response of an invocation to be killed is late, however fast it was.
      if (!this.#isKilled) this.#settle({ payload: message.payload, failed: message.kind === 'failure' });
      return;
    }
    clearTimeout(this.#initTimer);
    if (message.failure !== undefined) this.#retire({ failed: true, payload: message.failure });
    this.#initialized.resolve(undefined);
  }

  #deadlineTimer(): NodeJS.Timeout {
    const { timeoutSeconds } = this.#options.definition;
    return setTimeout(() => {
      const message = `RequestId: ${this.#requestId} Error: Task timed out after ${timeoutSeconds.toFixed(2)} seconds`;
      this.#options.log(`${message}\n`);
      this.#retire(failure('Sandbox.Timedout', message));
    }, timeoutSeconds * 1000);
  }

  /**
   * Kills the worker in the middle of an invocation. It responds only after the worker has ended,
   * so that nothing of the invocation happens later.
   */
  #dieAfter(delayMs: number): NodeJS.Timeout {
    this.#isKilled = true;
    return setTimeout(() => {
      this.#options.log(`RequestId: ${this.#requestId} killed by a fault\n`);
      void this.#worker.terminate();
    }, delayMs);
  }
}

export function startInstance(options: InstanceOptions): FunctionInstance {
  return new WorkerInstance(options);
}

function withinPayloadLimit(outcome: InvocationOutcome): InvocationOutcome {
  // A string has at most three bytes of UTF-8 per unit: small ones need no counting.
  if (outcome.payload.length * 3 <= MAX_PAYLOAD_BYTES) return outcome;
  const size = Buffer.byteLength(outcome.payload);
  if (size <= MAX_PAYLOAD_BYTES) return outcome;
  return failure(
    'Function.ResponseSizeTooLarge',
    `Response payload size (${String(size)} bytes) exceeded maximum allowed payload size (${String(MAX_PAYLOAD_BYTES)} bytes).`,
  );
}
