import type { Seal } from '../../../src/core/trail/trail-store.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { randomOfFile } from '../../../packages/test-kit/src/thoroughness.ts';
import { DEPLOYMENT } from '../../../src/core/audit/audit-record.ts';
import { statementOf } from '../../../src/core/trail/seal.ts';
import type { SealTrailDeps } from '../../../src/core/trail/seal-trail.ts';
import { inSteps, type Step } from '../../support/fakes/in-steps.ts';
import { aTrail, MINUTE, START, TENANTS, Trail } from './a-trail.ts';

const random = randomOfFile();

const statements = (trail: Trail) => trail.seals.values().map(statementOf);

function inStepsOf(trail: Trail, step: Step, over: Partial<SealTrailDeps> = {}): SealTrailDeps {
  const deps = trail.sealDeps(over);
  const ports = { trail: inSteps(deps.trail, step), seals: inSteps(deps.seals, step) };
  return { ...deps, ...ports, head: inSteps(deps.head, step), signer: inSteps(deps.signer, step) };
}

class Killed extends Error {}

/** A process that dies before or after its step with this number; `isDead` reports its death. */
function dyingAt(number: number, isAfter: boolean) {
  let steps = 0;
  const life = { isDead: false };
  const step: Step = async (act) => {
    steps += 1;
    const isLast = steps === number;
    if (isLast) life.isDead = true;
    if (isLast && !isAfter) throw new Killed();
    const result = await act();
    if (isLast) throw new Killed();
    return result;
  };
  return { life, step };
}

async function orKilled(run: Promise<unknown>): Promise<void> {
  try {
    await run;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}

describe('the sealer', () => {
  it('begins 15 minutes before the last full minute that ended at least 60 s ago', async () => {
    const { trail } = await aTrail({ sealed: 0 });
    trail.now += 59_999;
    expect(await trail.seal()).toMatchObject({ intervals: 1, records: 56, lagMs: MINUTE + 59_999 });
    expect(statements(trail)).toMatchObject([{ from: START - 11 * MINUTE, to: START + 4 * MINUTE, part: 1 }]);
    expect(await trail.seal()).toMatchObject({ intervals: 0, records: 0 });
  });

  it('seals intervals without a record, and reports the newest seal', async () => {
    const { trail } = await aTrail();
    trail.now += 2 * MINUTE;
    const report = await trail.seal();
    expect(report).toMatchObject({ intervals: 2, records: 0, lagMs: MINUTE });
    expect(report.newest).toBe(trail.seals.headHash?.toString('base64url'));
    expect(statements(trail).at(-1)?.entries).toEqual([]);
  });

  it('catches up with longer and longer intervals, of 15 minutes at most, each within an hour', async () => {
    const { trail } = await aTrail();
    trail.now += 60 * MINUTE;
    expect(await trail.seal()).toMatchObject({ intervals: 8, lagMs: MINUTE });
    const lengths = statements(trail).map(({ from, to }) => (to - from) / MINUTE);
    expect(lengths.slice(4)).toEqual([1, 2, 4, 8, 15, 6, 15, 9]);
  });

  it('leaves no trail unsealed if the clock goes back when the time of a part is over', async () => {
    const trail = new Trail();
    await trail.seal();
    for (let at = 0; at < 40; at += 1)
      trail.insert(trail.make(`a${String(at).padStart(2, '0')}`, 1, {}, { key: undefined }));
    const base = trail.now + 2 * MINUTE;
    let reads = 0;
    const clock = () => {
      reads += 1;
      return reads === 20 ? base + 8_001 : base + 1;
    };
    await trail.seal({ clock });
    expect(statements(trail).flatMap(({ entries }) => entries)).toHaveLength(40);
  });

  it('stops at the deadline, and the next run continues', async () => {
    const { trail } = await aTrail();
    trail.now += 60 * MINUTE;
    const begun = trail.now;
    // Four reads of the clock for an interval, and more with records.
    const clock = () => (trail.now += 10);
    expect(await trail.seal({ clock, deadline: begun + 45 })).toMatchObject({ intervals: 2 });
    expect(await trail.seal({ clock, deadline: begun })).toMatchObject({ intervals: 0 });
    expect((await trail.seal()).intervals).toBeGreaterThan(0);
    expect((await trail.verify()).broken).toBeUndefined();
  });

  it('ignores a mark for a shard that does not exist', async () => {
    const { trail } = await aTrail({ sealed: 0 });
    trail.marks.set('?', { minute: START, trail: TENANTS[0], shard: 32 });
    trail.marks.set('??', { minute: START, trail: 'gone', shard: 1 });
    expect(await trail.seal()).toMatchObject({ records: 56 });
    expect((await trail.verify()).broken).toBeUndefined();
  });

  it('ignores the mark of a trail whose name would be long in a seal, or in a key', async () => {
    const { trail } = await aTrail({ sealed: 0 });
    for (const name of ['x'.repeat(37), '\0'.repeat(36), '\u20ac', 'tenant-a#log#01', '']) {
      const record = { ...trail.make(TENANTS[0], 1, {}, { at: START }), trail: name };
      trail.insert(record, START);
    }
    expect(await trail.seal()).toMatchObject({ records: 56 });
    const sealed = statements(trail).flatMap(({ entries }) => entries.map(([name]) => name));
    expect(new Set(sealed)).toEqual(new Set([...TENANTS, DEPLOYMENT]));
  });

  it('does not excuse an interval because of a forged expiry', async () => {
    const { trail } = await aTrail({ sealed: 0 });
    const [record] = trail.records.values();
    if (record === undefined) throw new Error('no record');
    for (const expires of [1, NaN, 2 ** 60, -1]) trail.put({ ...record, expires });
    await trail.seal();
    expect(statements(trail)[0]?.expires).toBeGreaterThan(trail.now / 1000 + 89 * 86_400);
  });

  it('names each trail once when an interval needs several parts', async () => {
    for (const partSize of [1, 2, 3, 4]) {
      const { trail } = await aTrail({ over: { partSize } });
      const parts = Math.ceil(4 / partSize);
      expect(trail.seals.values()).toHaveLength(4 * parts);
      expect(statements(trail)[parts - 1]).toMatchObject({ part: parts, from: START - 14 * MINUTE });
      expect((await trail.verify()).broken).toBeUndefined();
    }
  });

  it.each([
    ['before', false],
    ['after', true],
  ])('may be killed %s any of its steps', async (_when, isAfter) => {
    const { trail: begun } = await aTrail({ minutes: 3, sealed: 1, over: { partSize: 3 } });
    for (let number = 1, isDead = true; isDead; number += 1) {
      const trail = begun.copy();
      const { life, step } = dyingAt(number, isAfter);
      await orKilled(trail.seal(inStepsOf(trail, step, { partSize: 3 })));
      ({ isDead } = life);
      // Verification before the next run finds nothing wrong either.
      expect((await trail.verify()).broken).toBeUndefined();
      expect((await trail.seal({ partSize: 3 })).broken).toBeUndefined();
      expect(await trail.verify()).toEqual({
        checked: expect.objectContaining({ records: 42, afterSeals: 0 }),
      });
    }
  });

  it('finishes the parts of an interval with a late record, which verify reports', async () => {
    for (const [late, what] of [
      [TENANTS[2], undefined],
      [TENANTS[0], 'found 6 records, sealed 5'],
    ] as const) {
      const { trail } = await aTrail({ minutes: 1, sealed: 0 });
      // Dies when three of four parts are inserted.
      let inserted = 0;
      const deps = trail.sealDeps({ partSize: 1 });
      const insert: typeof deps.seals.insert = (seal) =>
        inserted++ < 3 ? deps.seals.insert(seal) : Promise.reject(new Killed());
      await orKilled(trail.seal({ partSize: 1, seals: { ...deps.seals, insert } }));
      expect(trail.seals.values()).toHaveLength(3);
      // An interval is sealed only with its last part.
      expect((await trail.verify()).checked).toMatchObject({ seals: 0, records: 14, afterSeals: 14 });
      trail.insert(trail.make(late, 8, {}, { at: START + 40_000 }), START);
      await trail.seal({ partSize: 1 });
      expect(statements(trail).map(({ part }) => part)).toEqual([1, 2, 3, 4]);
      expect(statements(trail).map(({ more }) => more !== undefined)).toEqual([true, true, true, false]);
      expect((await trail.verify()).broken?.what).toBe(what);
    }
  });

  it('goes on after the last trail of a part, with trails that were marked late', async () => {
    const { trail } = await aTrail({ minutes: 1, sealed: 0 });
    const { life, step } = dyingAt(2, true);
    const { seals } = trail.sealDeps();
    const insert: typeof seals.insert = (seal) => step(() => seals.insert(seal));
    await orKilled(trail.seal({ partSize: 2, seals: { ...seals, insert } }));
    expect(life.isDead).toBe(true);
    trail.seals.delete(trail.seals.values()[1] as Seal);
    for (const late of ['tenant-bb', 'tenant-d'])
      trail.insert(trail.make(late, 8, { key: 1 }, { at: START + 40_000 }), START);
    await trail.seal({ partSize: 2 });
    const trails = statements(trail).map(({ entries }) => entries.map(([id]) => id));
    expect(trails).toEqual([
      ['deployment', TENANTS[0]],
      [TENANTS[1], 'tenant-bb'],
      [TENANTS[2], 'tenant-d'],
    ]);
  });

  it('may run twice concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.boolean(), async (partSize, isFirst) => {
        const { trail } = await aTrail({ minutes: 3, sealed: isFirst ? 0 : 1 });
        const slow: Step = async (act) => {
          for (let ticks = Math.floor(20 * random()); ticks > 0; ticks -= 1) await Promise.resolve();
          return act();
        };
        trail.now += 10 * MINUTE;
        const runs = [1, 2, 3].map(() => trail.seal(inStepsOf(trail, slow, { partSize })));
        for (const { broken } of await Promise.all(runs)) expect(broken).toBeUndefined();
        expect(await trail.verify()).toEqual({
          checked: expect.objectContaining({ records: 42, afterSeals: 0 }),
        });
      }),
      { numRuns: cases(10) },
    );
  });

  it('does not continue after a seal that another key signed', async () => {
    const { trail } = await aTrail();
    const newest = trail.seals.values().at(-1);
    if (newest === undefined) throw new Error('no seal');
    trail.seals.headHash = Buffer.from(statementOf(newest).previous ?? '', 'base64url');
    trail.seals.put({ ...newest, signature: Buffer.from('3006020101020101', 'hex') });
    trail.now += MINUTE;
    expect(await trail.seal()).toEqual({
      intervals: 0,
      records: 0,
      broken: 'the newest seal is not the head and its signature is not valid',
    });
  });
});
