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

// oxlint-disable-next-line max-lines-per-function -- one owner of the instances and the queue
export function createFunctionPool(options: PoolOptions): FunctionPool {
  const instances = new Set<FunctionInstance>();
  const starting = new Set<FunctionInstance>();
  const stopping = new Set<Promise<void>>();
  const queue: Waiting[] = [];
  let idle: Idle[] = [];
  let finishing = 0;
  let closed = false;
  let retired: PromiseWithResolvers<undefined> | undefined;

  const reserved = (): number => (retired === undefined ? (options.reserved?.() ?? 0) : 0);

  const sweep = setInterval(() => {
    const tooOld = Date.now() - options.idleMs;
    // The longest idle come first; provisioned ones stay, whatever their age.
    const spare = idle.slice(0, Math.max(0, idle.length - reserved()));
    for (const { instance } of spare.filter(({ since }) => since < tooOld)) drop(instance);
  }, options.idleMs / 4);
  sweep.unref();

  /** Every instance is removed here, once. */
  function forget(instance: FunctionInstance): void {
    if (!instances.delete(instance)) return;
    idle = idle.filter((candidate) => candidate.instance !== instance);
    const stopped = instance.stop();
    stopping.add(stopped);
    void stopped.then(() => stopping.delete(stopped));
    options.budget?.give();
  }

  function drop(instance: FunctionInstance): void {
    forget(instance);
    settleRetired();
  }

  function settleRetired(): void {
    if (retired === undefined || instances.size > 0 || queue.length > 0) return;
    clearInterval(sweep);
    const { resolve } = retired;
    void Promise.all(stopping).then(() => {
      resolve(undefined);
    });
  }

  function release(instance: FunctionInstance): void {
    if (!instances.has(instance)) return;
    if (instance.usable) idle.push({ instance, since: Date.now() });
    else forget(instance);
    dispatch();
    if (idle.some((candidate) => candidate.instance === instance)) {
      if (retired === undefined) options.budget?.offer();
      else forget(instance);
    }
    settleRetired();
  }

  async function run(instance: FunctionInstance, invocation: Invocation): Promise<InvocationOutcome> {
    const startedMs = performance.now();
    const outcome = await instance.run(invocation);
    options.observer?.ran(outcome.failed, performance.now() - startedMs);
    return outcome;
  }

  /**
   * An instance that could not load the code still responds with the reason. The last one responds
   * to all: otherwise each waiting invocation would wait for another instance that fails to load.
   */
  function answerFor(instance: FunctionInstance): void {
    for (const { invocation, settle } of queue.splice(0, instances.size === 1 ? queue.length : 1))
      settle(run(instance, invocation));
  }

  async function start(): Promise<void> {
    const instance = options.startInstance();
    instances.add(instance);
    starting.add(instance);
    await instance.initialized;
    starting.delete(instance);
    if (!instance.usable) answerFor(instance);
    release(instance);
  }

  /** The most recently used idle instance that is alive, so that the others age. */
  function takeIdle(): FunctionInstance | undefined {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (last.instance.usable) return last.instance;
      forget(last.instance);
    }
    return undefined;
  }

  async function finish(instance: FunctionInstance): Promise<void> {
    finishing += 1;
    let trusted = true;
    const distrust = (): void => {
      if (!trusted) return;
      trusted = false;
      finishing -= 1;
    };
    const timer = setTimeout(() => {
      distrust();
      dispatch();
    }, FINISHING_MS);
    await instance.untilReady();
    clearTimeout(timer);
    distrust();
    release(instance);
    // An instance that died in an invocation is replaced; one that never loaded is not, or it would
    // be started forever.
    if (!instance.usable) void startUpTo(options.reserved?.() ?? 0);
  }

  function execute(instance: FunctionInstance, { invocation, settle }: Waiting): void {
    const outcome = run(instance, invocation);
    settle(outcome);
    void outcome.then(() => finish(instance));
  }

  function mayStart(): boolean {
    if (instances.size >= options.maxInstances()) return false;
    return options.budget?.take() ?? true;
  }

  function dispatch(): void {
    while (!closed && queue.length > 0) {
      const instance = takeIdle();
      if (instance === undefined) break;
      const waiting = queue.shift();
      if (waiting !== undefined) execute(instance, waiting);
    }
    const most = options.maxStarting ?? Infinity;
    while (!closed && queue.length > starting.size + finishing && starting.size < most && mayStart())
      void start();
  }

  async function startUpTo(count: number): Promise<void> {
    const started: Promise<void>[] = [];
    while (!closed && retired === undefined && instances.size < count && mayStart()) started.push(start());
    await Promise.all(started);
  }

  return {
    invoke: (invocation) => {
      if (closed || options.maxInstances() === 0 || queue.length >= options.maxQueued) {
        options.observer?.throttled();
        throw new AwsError('TooManyRequestsException', 429, 'Rate Exceeded.', {
          Reason: 'ConcurrentInvocationLimitExceeded',
        });
      }
      const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
      queue.push({ invocation, settle: resolve });
      dispatch();
      return promise;
    },
    prestart: (count = 1) => startUpTo(count),
    dispatch,
    get instanceCount() {
      return instances.size;
    },
    get oldestIdle() {
      const [oldest] = idle;
      return oldest === undefined ? undefined : { since: oldest.since, reserved: idle.length <= reserved() };
    },
    stopOldestIdle: () => {
      const [oldest] = idle;
      if (oldest !== undefined) drop(oldest.instance);
    },
    retire: async () => {
      retired ??= Promise.withResolvers();
      const { promise } = retired;
      for (const { instance } of [...idle]) forget(instance);
      // No call waits for starting instances, unless an invocation waits.
      if (queue.length === 0) for (const instance of [...starting]) forget(instance);
      settleRetired();
      await promise;
    },
    close: async () => {
      closed = true;
      clearInterval(sweep);
      for (const instance of [...instances]) forget(instance);
      for (const { settle } of queue.splice(0))
        settle(failure('Runtime.ExitError', 'the function host has stopped'));
      settleRetired();
      await Promise.all(stopping);
    },
  };
}
