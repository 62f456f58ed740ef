import { createSecretKey, randomBytes } from 'node:crypto';
import { DEPLOYMENT } from '../../../src/core/audit/audit-record.ts';
import { checkLatest, type LatestCheck } from '../../../src/core/trail/check-latest.ts';
import type { VerifyDeps } from '../../../src/core/trail/verification.ts';
import { createCheckCursor } from '../../../src/adapters/dynamodb/check-cursor.ts';
import { tablesInMemory } from '../../support/stores-in-memory.ts';
import { aTrail, MINUTE, recordsOf, START, TENANTS, Trail, Writer } from './a-trail.ts';

const HOUR = 60 * MINUTE;

/** A check of a trail, hour after hour, with the number of partitions that it reads. */
class Checks {
  readonly trail: Trail;

  readonly cursor = createCheckCursor(tablesInMemory().table('Access'));

  reads = 0;

  constructor(trail: Trail) {
    this.trail = trail;
  }

  deps(over: Partial<VerifyDeps> = {}): VerifyDeps {
    const deps = this.trail.verifyDeps(over);
    return {
      ...deps,
      trail: {
        find: deps.trail.find,
        records: (...of) => {
          this.reads += 1;
          return deps.trail.records(...of);
        },
      },
    };
  }

  run(over: Partial<VerifyDeps> = {}, limitMs = 240_000): Promise<LatestCheck> {
    const deps = { ...this.deps(over), cursor: this.cursor };
    return checkLatest(deps, this.trail.now + limitMs);
  }
}

const forge = (trail: Trail, at: number) => {
  const record = trail.make(TENANTS[0], 7, {}, { at, key: createSecretKey(randomBytes(32)) });
  trail.put(record);
  return record;
};

/** Seals the minutes up to now, one interval each. */
async function sealMinutes(trail: Trail, until: number): Promise<void> {
  while (trail.now < until) {
    trail.now += MINUTE;
    await trail.seal();
  }
}

describe('the check of the schedule', () => {
  it('verifies two hours at first, and then what was sealed since', async () => {
    const { trail, writers } = await aTrail();
    const checks = new Checks(trail);
    expect(await checks.run()).toEqual({
      isFinished: true,
      lagMs: MINUTE,
      seals: 4,
      records: 56,
      failures: 0,
      broken: [],
    });
    await sealMinutes(trail, trail.now + 10 * MINUTE);
    writers[0]?.write(TENANTS[0]);
    await sealMinutes(trail, trail.now + 5 * MINUTE);
    expect(await checks.run()).toMatchObject({ isFinished: true, seals: 15, records: 1, failures: 0 });
    expect(await checks.run()).toMatchObject({ isFinished: true, seals: 0, records: 0, failures: 0 });
  });

  it('begins no earlier than two hours before the newest seal', async () => {
    const { trail, writers } = await aTrail();
    await sealMinutes(trail, START + 5 * HOUR);
    writers[0]?.write(TENANTS[0]);
    await sealMinutes(trail, trail.now + 3 * MINUTE);
    const { seals, records } = await new Checks(trail).run();
    expect({ seals, records }).toEqual({ seals: 121, records: 1 });
  });

  it('is finished without seals, and reports that all were removed', async () => {
    expect(await new Checks(new Trail()).run()).toMatchObject({ isFinished: true, failures: 0 });
    const { trail } = await aTrail();
    trail.seals.clear();
    expect((await new Checks(trail).run()).broken).toEqual([
      { interval: { from: trail.now - 2 * HOUR }, what: 'all seals are gone: there is a head' },
    ]);
  });

  it('reads one partition for each shard that a seal names, and nothing for 10,000 idle tenants', async () => {
    const { trail } = await aTrail({ minutes: 1 });
    for (let at = 0; at < 10_000; at += 1) trail.keys.set(`idle-${String(at)}`, new Map());
    const checks = new Checks(trail);
    await checks.run();
    // Writers use the shards 3, 7 and 30: tenant-a and deployment all of them, others fewer.
    expect(checks.reads).toBe(3 + 2 + 2 + 3);
    await sealMinutes(trail, trail.now + HOUR);
    expect(await checks.run()).toMatchObject({ isFinished: true, seals: 60 });
    expect(checks.reads).toBe(10);
  });

  it('goes on from the cursor when its time ends, within an interval too', async () => {
    const trail = new Trail();
    for (const tenant of TENANTS) for (const shard of [3, 8]) new Writer(trail, shard).write(tenant);
    trail.now += 2 * MINUTE;
    await trail.seal();
    const checks = new Checks(trail);
    const runs: LatestCheck[] = [];
    for (let isFinished = false; !isFinished;) {
      // Each run has the time for one trail.
      runs.push(await checks.run({ clock: () => (trail.now += 10) }, 35));
      isFinished = runs.at(-1)?.isFinished ?? true;
    }
    expect(runs.length).toBeGreaterThan(2);
    expect(runs.reduce((sum, { records }) => sum + records, 0)).toBe(6);
    expect(runs.reduce((sum, { seals }) => sum + seals, 0)).toBe(1);
    // Late is not broken.
    expect(runs.map(({ failures }) => failures)).toEqual(runs.map(() => 0));
    expect(checks.reads).toBe(6);
  });

  it('verifies all trails of the minutes that are sealed after a run that was cut off', async () => {
    for (const tenant of [...TENANTS, DEPLOYMENT]) {
      const { trail, writers } = await aTrail({ minutes: 1 });
      const checks = new Checks(trail);
      const cutOff = await checks.run({ clock: () => (trail.now += 10) }, 60);
      expect(cutOff.isFinished).toBe(false);
      const record = writers[0]?.write(tenant);
      await sealMinutes(trail, trail.now + 5 * MINUTE);
      if (record !== undefined) trail.remove(record);
      expect(await checks.run()).toMatchObject({ isFinished: true, failures: 1 });
    }
  });

  it('repeats only the last step after a run that died', async () => {
    const { trail } = await aTrail();
    const checks = new Checks(trail);
    let calls = 0;
    const dying = checks.deps().trail;
    const records: typeof dying.records = (...of) => {
      calls += 1;
      if (calls > 12) throw new Error('died');
      return dying.records(...of);
    };
    const died = await checks.run({ trail: { ...dying, records }, clock: () => (trail.now += 1_000) });
    expect(died).toMatchObject({ isFinished: false, failures: 0, failed: { error: new Error('died') } });
    const next = await checks.run();
    expect(next.isFinished).toBe(true);
    expect(next.records + died.records).toBe(56);
    expect(next.records).toBeLessThan(56);
  });

  it('lets one of two concurrent runs go on', async () => {
    const { trail } = await aTrail();
    const checks = new Checks(trail);
    const slow = () => (trail.now += 300);
    const runs = await Promise.all([checks.run({ clock: slow }), checks.run({ clock: slow })]);
    expect(runs.filter(({ isFinished }) => isFinished)).toHaveLength(1);
    expect(await checks.run()).toMatchObject({ isFinished: true, failures: 0 });
  });

  it('begins again if the cursor is newer than the newest seal', async () => {
    const { trail } = await aTrail();
    const checks = new Checks(trail);
    await checks.cursor.save({ to: trail.now + HOUR, broken: [] }, 0);
    expect(await checks.run()).toMatchObject({ isFinished: true, seals: 4, records: 56 });
  });
});

describe('a failure', () => {
  const failuresOf = async (checks: Checks, hours: number): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let hour = 0; hour < hours; hour += 1) {
      found.push((await checks.run()).failures);
      // Intervals of a quarter of an hour are the longest, so they need the fewest seals.
      for (let quarter = 0; quarter < 4; quarter += 1) {
        checks.trail.now += HOUR / 4;
        await checks.trail.seal();
      }
    }
    return found;
  };

  it('is found within the hour, and counts in each run for a day', async () => {
    const { trail } = await aTrail();
    forge(trail, START + MINUTE);
    expect(await failuresOf(new Checks(trail), 26)).toEqual([...Array<number>(24).fill(1), 0, 0]);
  });

  it('counts no longer once it is repaired', async () => {
    const { trail } = await aTrail();
    const checks = new Checks(trail);
    const forged = forge(trail, START + MINUTE);
    expect(await failuresOf(checks, 2)).toEqual([1, 1]);
    trail.remove(forged);
    expect(await failuresOf(checks, 1)).toEqual([0]);
  });

  it('does not stop the check, and further ones add up', async () => {
    const { trail, writers } = await aTrail();
    const checks = new Checks(trail);
    forge(trail, START + MINUTE);
    expect(await checks.run()).toMatchObject({ isFinished: true, failures: 1 });
    const record = writers[0]?.write(TENANTS[0]);
    await sealMinutes(trail, trail.now + 5 * MINUTE);
    if (record !== undefined) trail.remove(record);
    expect(await checks.run()).toMatchObject({ isFinished: true, failures: 2 });
  });

  it('a failure of the newest seal counts once, and does not advance the check', async () => {
    const { trail } = await aTrail();
    const checks = new Checks(trail);
    const newest = trail.seals.values().at(-1);
    if (newest === undefined) throw new Error('no seal');
    trail.seals.put({ ...newest, signature: Buffer.from('none') });
    const runs = [await checks.run(), await checks.run(), await checks.run()];
    expect(runs.map(({ failures }) => failures)).toEqual([
      runs[0]?.failures,
      runs[0]?.failures,
      runs[0]?.failures,
    ]);
    expect(runs[0]?.failures).toBe(2);
    expect(await checks.cursor.read()).toMatchObject({ state: { to: newest.from } });
  });

  it('is one of all that are counted, of which few are remembered', async () => {
    const { trail } = await aTrail();
    await sealMinutes(trail, trail.now + HOUR);
    for (let minute = 0; minute < 40; minute += 1)
      for (let at = 0; at < 10; at += 1) forge(trail, START + minute * MINUTE + at);
    const checks = new Checks(trail);
    const { failures, broken } = await checks.run();
    // Minutes without a sealed record are not read: nothing in them was recorded.
    expect(failures).toBe(40);
    expect(broken).toHaveLength(4);
  });
});

describe('what the check of the schedule does not read', () => {
  it('is a record in a partition that no seal names: only verify-audit finds it', async () => {
    const { trail } = await aTrail();
    const forged = trail.make(TENANTS[1], 11, {}, { at: START + MINUTE });
    trail.put(forged);
    expect(await new Checks(trail).run()).toMatchObject({ failures: 0 });
    expect((await trail.verifyAll()).failures).toBe(1);
  });

  it('finds every record that is missing', async () => {
    const { trail } = await aTrail();
    for (const record of recordsOf(trail, TENANTS[1], 2)) {
      const copy = new Checks(trail.copy());
      copy.trail.remove(record);
      expect((await copy.run()).failures).toBeGreaterThan(0);
    }
  });
});
