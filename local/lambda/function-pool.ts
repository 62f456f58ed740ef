import { AwsError } from '../aws-service.ts';
import { failure } from './function-definition.ts';
import type { Invocation, InvocationOutcome } from './function-definition.ts';
import type { FunctionInstance } from './function-instance.ts';

export interface PoolOptions {
  readonly startInstance: () => FunctionInstance;
  readonly maxInstances: number;
  readonly maxQueued: number;
  /** An instance that was idle this long is stopped, unless it is the last one. */
  readonly idleMs: number;
}

/** The instances of one function: idle ones are reused, more are started while all are busy, up to a cap. */
export interface FunctionPool {
  /** Throws {@link AwsError} `TooManyRequestsException` if too many invocations wait already. */
  invoke(invocation: Invocation): Promise<InvocationOutcome>;
  /** Starts a first instance so that the first invocation does not wait for the code to load. */
  prestart(): Promise<void>;
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

export function createFunctionPool(options: PoolOptions): FunctionPool {
  const instances = new Set<FunctionInstance>();
  const queue: Waiting[] = [];
  let idle: Idle[] = [];
  let starting = 0;
  let closed = false;

  const sweep = setInterval(() => {
    const tooOld = Date.now() - options.idleMs;
    // The longest idle come first; the last one stays, whatever its age.
    for (const { instance } of idle.slice(0, -1).filter(({ since }) => since < tooOld)) drop(instance);
  }, options.idleMs / 4);
  sweep.unref();

  function drop(instance: FunctionInstance): void {
    instances.delete(instance);
    idle = idle.filter((candidate) => candidate.instance !== instance);
    void instance.stop();
  }

  function release(instance: FunctionInstance): void {
    if (instance.usable) idle.push({ instance, since: Date.now() });
    else instances.delete(instance);
    dispatch();
  }

  async function start(): Promise<void> {
    const instance = options.startInstance();
    instances.add(instance);
    starting += 1;
    await instance.initialized;
    starting -= 1;
    // An instance that could not load the code still answers one invocation: with the reason.
    const waiting = instance.usable ? undefined : queue.shift();
    if (waiting !== undefined) waiting.settle(instance.run(waiting.invocation));
    release(instance);
  }

  /** The most recently used idle instance that is still alive, so that the others grow old. */
  function takeIdle(): FunctionInstance | undefined {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (last.instance.usable) return last.instance;
      instances.delete(last.instance);
    }
    return undefined;
  }

  function execute(instance: FunctionInstance, { invocation, settle }: Waiting): void {
    const outcome = instance.run(invocation);
    settle(outcome);
    void outcome.then(() => {
      release(instance);
    });
  }

  function dispatch(): void {
    while (!closed && queue.length > 0) {
      const instance = takeIdle();
      if (instance === undefined) break;
      const waiting = queue.shift();
      if (waiting !== undefined) execute(instance, waiting);
    }
    while (!closed && queue.length > starting && instances.size < options.maxInstances) void start();
  }

  return {
    invoke: (invocation) => {
      if (closed || options.maxInstances === 0 || queue.length >= options.maxQueued)
        throw new AwsError('TooManyRequestsException', 429, 'Rate Exceeded.', {
          Reason: 'ConcurrentInvocationLimitExceeded',
        });
      const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
      queue.push({ invocation, settle: resolve });
      dispatch();
      return promise;
    },
    prestart: async () => {
      if (!closed && instances.size === 0 && options.maxInstances > 0) await start();
    },
    close: async () => {
      closed = true;
      clearInterval(sweep);
      const stopping = [...instances].map((instance) => instance.stop());
      instances.clear();
      for (const { settle } of queue.splice(0))
        settle(failure('Runtime.ExitError', 'the function host has stopped'));
      await Promise.all(stopping);
    },
  };
}
