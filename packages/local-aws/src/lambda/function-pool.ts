import { AwsError } from '../aws-service.ts';
import { failure, type Invocation, type InvocationOutcome } from './function-definition.ts';
import type { FunctionInstance } from './function-instance.ts';

/** Sees the invocations of a function. */
export interface InvocationObserver {
  /** An invocation has ended. `durationMs` excludes the wait for an instance. */
  ran(failed: boolean, durationMs: number): void;
  /** An invocation was refused. */
  throttled(): void;
}

export interface PoolOptions {
  readonly startInstance: () => FunctionInstance;
  readonly maxInstances: () => number;
  readonly maxQueued: number;
  /** How many instances start concurrently. Default: as many as invocations wait. */
  readonly maxStarting?: number;
  /** An instance that was idle this long is stopped, unless it is provisioned. */
  readonly idleMs: number;
  /** How many stay, whatever their age. Default 0. */
  readonly reserved?: () => number;
  /**
   * Asked before each start; `give` follows when the instance is gone, `offer` when it becomes
   * idle. Without it only `maxInstances` counts.
   */
  readonly budget?: { take(): boolean; give(): void; offer(): void };
  /** Default: none. */
  readonly observer?: InvocationObserver;
}

/**
 * The instances of one function: idle ones are reused, more are started while all are busy, up to a
 * cap.
 */
export interface FunctionPool {
  /** Throws {@link AwsError} `TooManyRequestsException` if too many invocations wait already. */
  invoke(invocation: Invocation): Promise<InvocationOutcome>;
  /**
   * Starts instances until there are `count` (default 1), so that invocations do not wait for the
   * code to load.
   */
  prestart(count?: number): Promise<void>;
  /** Checks again whether waiting invocations can run: the budget has room. */
  dispatch(): void;
  readonly instanceCount: number;
  /** When the longest idle instance became idle, and whether it is provisioned. */
  readonly oldestIdle: { readonly since: number; readonly reserved: boolean } | undefined;
  /** Stops the longest idle instance. */
  stopOldestIdle(): void;
  /** Runs the waiting invocations, stops every idle instance, and resolves when none is left. */
  retire(): Promise<void>;
  /** Ends running and waiting invocations. */
  close(): Promise<void>;
}

interface Waiting {
  readonly invocation: Invocation;
  readonly settle: (outcome: InvocationOutcome | Promise<InvocationOutcome>) => void;
}

interface Idle {
  readonly instance: FunctionInstance;
  readonly since: number;
}

/**
 * How long a waiting invocation waits for an instance that has responded; then it starts another
 * one.
 */
const FINISHING_MS = 250;

/** Owns the instances, and the queue of the invocations that wait for one. */
class InstancePool implements FunctionPool {
  readonly #options: PoolOptions;
  readonly #instances = new Set<FunctionInstance>();
  readonly #starting = new Set<FunctionInstance>();
  readonly #stopping = new Set<Promise<void>>();
  readonly #queue: Waiting[] = [];
  readonly #sweep: NodeJS.Timeout;
  #idle: Idle[] = [];
  #finishing = 0;
  #closed = false;
  #retired: PromiseWithResolvers<undefined> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => {
      this.#dropIdle();
    }, options.idleMs / 4);
    this.#sweep.unref();
  }

  get instanceCount(): number {
    return this.#instances.size;
  }

  get oldestIdle(): FunctionPool['oldestIdle'] {
    const [oldest] = this.#idle;
    if (oldest === undefined) return undefined;
    return { since: oldest.since, reserved: this.#idle.length <= this.#reserved() };
  }

  invoke(invocation: Invocation): Promise<InvocationOutcome> {
    const { maxInstances, maxQueued, observer } = this.#options;
    if (this.#closed || maxInstances() === 0 || this.#queue.length >= maxQueued) {
      observer?.throttled();
      throw new AwsError('TooManyRequestsException', 429, 'Rate Exceeded.', {
        Reason: 'ConcurrentInvocationLimitExceeded',
      });
    }
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    this.#queue.push({ invocation, settle: resolve });
    this.dispatch();
    return promise;
  }

  async prestart(count = 1): Promise<void> {
    const started: Promise<void>[] = [];
    const mayContinue = () => !this.#closed && this.#retired === undefined && this.#instances.size < count;
    while (mayContinue() && this.#mayStart()) started.push(this.#start());
    await Promise.all(started);
  }

  dispatch(): void {
    while (!this.#closed && this.#queue.length > 0) {
      const instance = this.#takeIdle();
      if (instance === undefined) break;
      const waiting = this.#queue.shift();
      if (waiting !== undefined) this.#execute(instance, waiting);
    }
    const most = this.#options.maxStarting ?? Infinity;
    const isNeeded = () => this.#queue.length > this.#starting.size + this.#finishing;
    while (!this.#closed && isNeeded() && this.#starting.size < most && this.#mayStart()) void this.#start();
  }

  stopOldestIdle(): void {
    const [oldest] = this.#idle;
    if (oldest !== undefined) this.#drop(oldest.instance);
  }

  async retire(): Promise<void> {
    this.#retired ??= Promise.withResolvers();
    const { promise } = this.#retired;
    for (const { instance } of [...this.#idle]) this.#forget(instance);
    // No call waits for starting instances, unless an invocation waits.
    if (this.#queue.length === 0) for (const instance of [...this.#starting]) this.#forget(instance);
    this.#settleRetired();
    await promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const instance of [...this.#instances]) this.#forget(instance);
    for (const { settle } of this.#queue.splice(0))
      settle(failure('Runtime.ExitError', 'the function host has stopped'));
    this.#settleRetired();
    await Promise.all(this.#stopping);
  }

  #reserved(): number {
    return this.#retired === undefined ? (this.#options.reserved?.() ?? 0) : 0;
  }

  #dropIdle(): void {
    const tooOld = Date.now() - this.#options.idleMs;
    // The longest idle come first; provisioned ones stay, whatever their age.
    const spare = this.#idle.slice(0, Math.max(0, this.#idle.length - this.#reserved()));
    for (const { instance } of spare.filter(({ since }) => since < tooOld)) this.#drop(instance);
  }

  /** Every instance is removed here, once. */
  #forget(instance: FunctionInstance): void {
    if (!this.#instances.delete(instance)) return;
    this.#idle = this.#idle.filter((candidate) => candidate.instance !== instance);
    const stopped = instance.stop();
    this.#stopping.add(stopped);
    void stopped.then(() => this.#stopping.delete(stopped));
    this.#options.budget?.give();
  }

  #drop(instance: FunctionInstance): void {
    this.#forget(instance);
    this.#settleRetired();
  }

  #settleRetired(): void {
    if (this.#retired === undefined || this.#instances.size > 0 || this.#queue.length > 0) return;
    clearInterval(this.#sweep);
    const { resolve } = this.#retired;
    void Promise.all(this.#stopping).then(() => {
      resolve(undefined);
    });
  }

  #release(instance: FunctionInstance): void {
    if (!this.#instances.has(instance)) return;
    if (instance.usable) this.#idle.push({ instance, since: Date.now() });
    else this.#forget(instance);
    this.dispatch();
    if (this.#idle.some((candidate) => candidate.instance === instance)) {
      if (this.#retired === undefined) this.#options.budget?.offer();
      else this.#forget(instance);
    }
    this.#settleRetired();
  }

  async #run(instance: FunctionInstance, invocation: Invocation): Promise<InvocationOutcome> {
    const startedMs = performance.now();
    const outcome = await instance.run(invocation);
    this.#options.observer?.ran(outcome.failed, performance.now() - startedMs);
    return outcome;
  }

  /**
   * An instance that could not load the code still responds with the reason. The last one responds
   * to all: otherwise each waiting invocation would wait for another instance that fails to load.
   */
  #answerFor(instance: FunctionInstance): void {
    const count = this.#instances.size === 1 ? this.#queue.length : 1;
    for (const { invocation, settle } of this.#queue.splice(0, count))
      settle(this.#run(instance, invocation));
  }

  async #start(): Promise<void> {
    const instance = this.#options.startInstance();
    this.#instances.add(instance);
    this.#starting.add(instance);
    await instance.initialized;
    this.#starting.delete(instance);
    if (!instance.usable) this.#answerFor(instance);
    this.#release(instance);
  }

  /** The most recently used idle instance that is alive, so that the others age. */
  #takeIdle(): FunctionInstance | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.instance.usable) return last.instance;
      this.#forget(last.instance);
    }
    return undefined;
  }

  async #finish(instance: FunctionInstance): Promise<void> {
    this.#finishing += 1;
    let trusted = true;
    const distrust = (): void => {
      if (!trusted) return;
      trusted = false;
      this.#finishing -= 1;
    };
    const timer = setTimeout(() => {
      distrust();
      this.dispatch();
    }, FINISHING_MS);
    await instance.untilReady();
    clearTimeout(timer);
    distrust();
    this.#release(instance);
    // An instance that died in an invocation is replaced; one that never loaded is not, or it would
    // be started forever.
    if (!instance.usable) void this.prestart(this.#options.reserved?.() ?? 0);
  }

  #execute(instance: FunctionInstance, { invocation, settle }: Waiting): void {
    const outcome = this.#run(instance, invocation);
    settle(outcome);
    void outcome.then(() => this.#finish(instance));
  }

  #mayStart(): boolean {
    if (this.#instances.size >= this.#options.maxInstances()) return false;
    return this.#options.budget?.take() ?? true;
  }
}

export function createFunctionPool(options: PoolOptions): FunctionPool {
  return new InstancePool(options);
}
