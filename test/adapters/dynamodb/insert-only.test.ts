import type { BatchExecuteStatementCommand } from '@aws-sdk/client-dynamodb';
import { INSERT_WITHIN_MS, insertAll, insertNew } from '../../../src/adapters/dynamodb/insert-only.ts';
import type { Table } from '../../../src/adapters/dynamodb/table-client.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** A table whose statements have outcomes, and whose time passes by hand. */
function aTable(outcome: () => Promise<object>) {
  let now = 0;
  let calls = 0;
  let timer: { readonly at: number; readonly end: () => void } | undefined;
  let endPause: (() => void) | undefined;
  const table = {
    name: 'Audit',
    client: {
      send: ({ input }: BatchExecuteStatementCommand) => {
        calls += 1;
        return outcome().then((response) => ({ Responses: input.Statements?.map(() => response) }));
      },
    },
    platform: {
      ...machinePlatform,
      worldClock: () => now,
      startTimer(ms: number, end: () => void) {
        timer = { at: now + ms, end };
        return () => (timer = undefined);
      },
      pause: () => new Promise<void>((resolve) => (endPause = resolve)),
    },
  } as unknown as Table;
  return {
    table,
    calls: () => calls,
    hasTimer: () => timer !== undefined,
    /** Time passes, and then the timers fire whose time has come. */
    pass(ms: number) {
      now += ms;
      if (timer !== undefined && timer.at <= now) timer.end();
    },
    /** Time passes in which no timer fires, and then a pause ends first. */
    thaw(ms: number) {
      now += ms;
      endPause?.();
    },
    endPause: () => endPause?.(),
  };
}

const ITEM = { pk: 'a', sk: 'b' };
const FAILED = { Error: { Code: 'ThrottlingError' } };
const UNAVAILABLE = { code: 'dependency_unavailable' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an insert', () => {
  it.each([
    ['several items', (table: Table) => insertAll(table, [ITEM])],
    ['a new item', (table: Table) => insertNew(table, ITEM)],
  ])('rejects after its time for %s, although its call is still under way', async (_what, insert) => {
    const world = aTable(() => new Promise(() => undefined));
    const refused = expect(insert(world.table)).rejects.toMatchObject(UNAVAILABLE);
    world.pass(INSERT_WITHIN_MS);
    await refused;
  });

  it('is repeated until its statements are written, and leaves no timer', async () => {
    const outcomes = [FAILED, FAILED, {}];
    const world = aTable(() => Promise.resolve(outcomes.shift() ?? {}));
    const inserted = insertAll(world.table, [ITEM]);
    for (let attempts = 1; attempts < 3; attempts += 1) {
      await turn();
      world.endPause();
    }
    expect(await inserted).toEqual({ wasThrottled: true });
    expect([world.calls(), world.hasTimer()]).toEqual([3, false]);
  });

  it('begins no other call after its time, also if the instance was frozen in a pause', async () => {
    const world = aTable(() => Promise.resolve(FAILED));
    const refused = expect(insertAll(world.table, [ITEM])).rejects.toMatchObject(UNAVAILABLE);
    await turn();
    world.thaw(3_600_000);
    await refused;
    expect(world.calls()).toBe(1);
  });
});
