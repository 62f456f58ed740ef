import type { Invocation, InvocationOutcome } from '../../src/lambda/function-definition.ts';
import type { FunctionInstance } from '../../src/lambda/function-instance.ts';
import { createFunctionPool, type FunctionPool } from '../../src/lambda/function-pool.ts';

const OUTCOME: InvocationOutcome = { failed: false, payload: 'null' };
const INVOCATION: Invocation = { requestId: 'r', payload: '{}', invokedFunctionArn: 'arn' };

/** An instance whose start and whose invocations the test ends. */
function anInstance() {
  const started = Promise.withResolvers<undefined>();
  const answered = Promise.withResolvers<undefined>();
  const state = { usable: true, runs: 0 };
  const instance: FunctionInstance = {
    initialized: started.promise,
    get usable() {
      return state.usable;
    },
    run: async () => {
      state.runs += 1;
      if (!state.usable) return { failed: true, payload: '"it does not load"' };
      await answered.promise;
      return OUTCOME;
    },
    untilReady: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  return {
    instance,
    state,
    start: () => started.resolve(undefined),
    fail: () => {
      state.usable = false;
      started.resolve(undefined);
    },
    answer: () => answered.resolve(undefined),
  };
}

type Instance = ReturnType<typeof anInstance>;

let pool: FunctionPool;
let made: Instance[];
let observed: unknown[];

beforeEach(() => {
  made = [];
  observed = [];
  pool = createFunctionPool({
    startInstance: () => {
      made.push(anInstance());
      return (made.at(-1) as Instance).instance;
    },
    maxInstances: () => 8,
    maxQueued: 5,
    maxStarting: 1,
    idleMs: 60_000,
    observer: {
      ran: (failed, durationMs) => observed.push([failed ? 'failed' : 'ran', durationMs < 60_000]),
      throttled: () => observed.push('throttled'),
    },
  });
});

afterEach(() => pool.close());

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('a burst starts one instance, and a second when the first is busy and others still wait', async () => {
  const outcomes = [1, 2, 3].map(() => pool.invoke(INVOCATION));
  await turn();
  expect(made).toHaveLength(1);
  made[0]?.start();
  await turn();
  expect(made).toHaveLength(2);
  made[0]?.answer();
  await Promise.all(outcomes);
  // The first has done all of it before the second existed.
  expect(made.map(({ state }) => state.runs)).toEqual([3, 0]);
});

it('an instance that does not load fails all waiting invocations together', async () => {
  const outcomes = [1, 2, 3, 4, 5].map(() => pool.invoke(INVOCATION));
  made[0]?.fail();
  expect(await Promise.all(outcomes)).toEqual(
    Array.from({ length: 5 }, () => ({ failed: true, payload: '"it does not load"' })),
  );
  expect(made).toHaveLength(1);
});

it('a failing instance next to a working one fails one invocation only', async () => {
  const outcomes = [1, 2, 3].map(() => pool.invoke(INVOCATION));
  made[0]?.start();
  await turn();
  made[1]?.fail();
  await turn();
  made[0]?.answer();
  expect((await Promise.all(outcomes)).map(({ failed }) => failed)).toEqual([false, true, false]);
});

it('the observer sees each invocation that ran, failed or was refused', async () => {
  const outcomes = [1, 2, 3, 4, 5].map(() => pool.invoke(INVOCATION));
  expect(() => pool.invoke(INVOCATION)).toThrow('Rate Exceeded.');
  made[0]?.start();
  await turn();
  made[1]?.fail();
  await turn();
  made[0]?.answer();
  await Promise.all(outcomes);
  expect(observed.toSorted()).toEqual(
    ['failed', 'ran', 'ran', 'ran', 'ran'].map((outcome): unknown => [outcome, true]).concat('throttled'),
  );
});
