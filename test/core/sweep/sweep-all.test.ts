import { sweepAll, type DueWork, type DueWorkName } from '../../../core/sweep/sweep.ts';

const RUN_MS = 50_000;

/** A kind of work with so many records, each of which takes a time of its own. */
function aWork(name: DueWorkName, records: number, eachMs: number, clock: { now: number }): DueWork {
  let left = records;
  return {
    name,
    async *due() {
      await Promise.resolve();
      while (left > 0) {
        yield Array.from({ length: Math.min(left, 100) }, () => ({
          dueAt: 0,
          act: () => {
            clock.now += eachMs;
            left -= 1;
            return Promise.resolve();
          },
        }));
      }
    },
  };
}

async function swept(works: (clock: { now: number }) => readonly DueWork[]) {
  const clock = { now: 1_000 };
  const onFailure = (error: unknown) => {
    throw error;
  };
  const reports = await sweepAll(works(clock), {
    clock: () => clock.now,
    deadline: 1_000 + RUN_MS,
    onFailure,
  });
  return { reports, took: clock.now - 1_000 };
}

describe('a run over several kinds of work', () => {
  test('a backlog without end keeps none of the others waiting, and gets the time that they do not need', async () => {
    const { reports, took } = await swept((clock) => [
      aWork('cvc', 1e9, 1, clock),
      aWork('tokens', 1e9, 1, clock),
      aWork('applications', 20, 10, clock),
      aWork('keys', 1, 100, clock),
    ]);
    const done = reports.map(({ done: count }) => count);
    expect(done.slice(2)).toEqual([20, 1]);
    expect(reports.map(({ isUnfinished }) => isUnfinished)).toEqual([true, true, false, false]);
    // Nothing is left of the time, and the two share what the others leave.
    expect(took).toBeGreaterThanOrEqual(RUN_MS - 50);
    for (const count of done.slice(0, 2)) expect(count).toBeGreaterThan(RUN_MS * 0.35);
  });

  test('a run that gets everything done ends with it, and tells of each kind once', async () => {
    const { reports, took } = await swept((clock) => [
      aWork('cvc', 250, 1, clock),
      aWork('reactors', 0, 1, clock),
    ]);
    expect(reports).toEqual([
      { name: 'cvc', done: 250, failed: 0, oldestDueMs: 1_000, isUnfinished: false },
      { name: 'reactors', done: 0, failed: 0, oldestDueMs: 0, isUnfinished: false },
    ]);
    expect(took).toBe(250);
  });
});
