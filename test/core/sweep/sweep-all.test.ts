import { AT_ONCE, sweep, sweepAll, type DueWork, type DueWorkName } from '../../../src/core/sweep/sweep.ts';

const RUN_MS = 50_000;

/** A kind of work with a number of records, each of which takes some time. */
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

/** A kind of work that yields these pages, with an act for each record. */
const pagesOf = (name: DueWorkName, ...pages: readonly (readonly (() => Promise<void>)[])[]): DueWork => ({
  name,
  async *due() {
    for (const page of pages) yield await Promise.resolve(page.map((act) => ({ dueAt: 0, act })));
  },
});

const done = () => Promise.resolve();

describe('a sweep of one kind of work', () => {
  it('continues with the next page while a slow record of the previous one is still processed', async () => {
    let release: () => void = () => undefined;
    const slow = () => new Promise<void>((resolve) => (release = resolve));
    const last = () => {
      release();
      return Promise.resolve();
    };
    const deps = { clock: () => 1, deadline: 2, onFailure: () => undefined };
    expect(await sweep(pagesOf('cvc', [slow, done], [done], [last]), deps)).toMatchObject({ done: 4 });
  });

  it('processes many records concurrently', async () => {
    let running = 0;
    let most = 0;
    const act = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const deps = { clock: () => 1, deadline: 2, onFailure: () => undefined };
    await sweep(
      pagesOf(
        'cvc',
        Array.from({ length: 200 }, () => act),
      ),
      deps,
    );
    expect(most).toBe(AT_ONCE);
  });

  it('processes all other records when one fails, and reports that one', async () => {
    const failures: unknown[] = [];
    const deps = { clock: () => 1, deadline: 2, onFailure: (error: unknown) => failures.push(error) };
    const fail = () => Promise.reject(new Error('one'));
    const report = await sweep(pagesOf('cvc', [fail, done], [done, fail]), deps);
    expect([report.done, report.failed, failures.length]).toEqual([2, 2, 2]);
  });

  it('ends at its deadline, also among empty pages', async () => {
    let now = 0;
    const work: DueWork = {
      name: 'sessions',
      async *due() {
        for (;;) {
          now += 1;
          yield await Promise.resolve([]);
        }
      },
    };
    const report = await sweep(work, { clock: () => now, deadline: 10, onFailure: () => undefined });
    expect([now, report.isUnfinished]).toEqual([10, true]);
  });
});

describe('a run over several kinds of work', () => {
  it('an endless backlog delays no other kind, and gets the time that these do not need', async () => {
    const { reports, took } = await swept((clock) => [
      aWork('cvc', 1e9, 1, clock),
      aWork('tokens', 1e9, 1, clock),
      aWork('applications', 20, 10, clock),
      aWork('keys', 1, 100, clock),
    ]);
    const done = reports.map(({ done: count }) => count);
    expect(done.slice(2)).toEqual([20, 1]);
    expect(reports.map(({ isUnfinished }) => isUnfinished)).toEqual([true, true, false, false]);
    // No time is left, and the two share the time that the others do not use.
    expect(took).toBeGreaterThanOrEqual(RUN_MS - 50);
    for (const count of done.slice(0, 2)) expect(count).toBeGreaterThan(RUN_MS * 0.35);
  });

  it('a run ends when all work is done, and reports each kind once', async () => {
    const { reports, took } = await swept((clock) => [
      aWork('cvc', 250, 1, clock),
      aWork('reactors', 0, 1, clock),
    ]);
    expect(reports).toEqual([
      { name: 'cvc', done: 250, failed: 0, oldestDueMs: 1_000, isUnfinished: false, isUnreadable: false },
      { name: 'reactors', done: 0, failed: 0, oldestDueMs: 0, isUnfinished: false, isUnreadable: false },
    ]);
    expect(took).toBe(250);
  });

  it('a kind whose records cannot be read delays no other kind, and is read once', async () => {
    let reads = 0;
    const broken: DueWork = {
      name: 'cvc',
      // oxlint-disable-next-line require-yield
      async *due() {
        reads += 1;
        await Promise.reject(new Error('throttled'));
      },
    };
    const failures: unknown[] = [];
    const deps = { clock: () => 1, deadline: 60_000, onFailure: (error: unknown) => failures.push(error) };
    const reports = await sweepAll([broken, pagesOf('tokens', [done])], deps);
    expect(reports.map(({ isUnreadable, done: count }) => [isUnreadable, count])).toEqual([
      [true, 0],
      [false, 1],
    ]);
    expect([reads, failures.length]).toEqual([1, 1]);
  });
});
