import { createSecretKey, randomBytes } from 'node:crypto';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { newRecordPosition, placeText } from '../../../src/core/audit/audit-record.ts';
import type { Broken } from '../../../src/core/trail/seal-link.ts';
import type { Checked } from '../../../src/core/trail/verification.ts';
import { verifyStep, type VerifyCursor } from '../../../src/core/trail/verify-trail.ts';
import { inSteps, type Step } from '../../support/fakes/in-steps.ts';
import { aTrail, MINUTE, recordsOf, START, TENANTS, Writer, type Trail } from './a-trail.ts';
import { changes, type Change } from './changes.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const DAY = 86_400_000;
const NOTHING: Checked = {
  seals: 0,
  records: 0,
  unchecked: 0,
  beforeSeals: 0,
  afterSeals: 0,
  expired: 0,
  indexes: 0,
};

/** Takes all steps of a range. Each has one interval, or lasts as long as the time permits. */
async function inTurn(trail: Trail, from: number, to: number, stepMs: number) {
  const total = { ...NOTHING };
  let steps = 0;
  for (let next: VerifyCursor | undefined = { from }; next !== undefined; steps += 1) {
    // Each read of the clock takes 1 ms.
    const deps = trail.verifyDeps({ clock: () => (trail.now += 1) });
    const verified = await verifyStep(deps, {
      coverage: 'complete',
      tenants: TENANTS,
      to,
      ...next,
      deadline: trail.now + stepMs,
    });
    expect(verified.broken).toEqual([]);
    for (const name of Object.keys(total) as (keyof Checked)[]) total[name] += verified.checked[name];
    ({ next } = verified);
  }
  return { total, steps };
}

describe('an intact trail', () => {
  it('is checked as a whole, including records whose writers got no response', async () => {
    const { trail } = await aTrail();
    expect(await trail.verify()).toEqual({ checked: { ...NOTHING, seals: 4, records: 56 } });
  });

  it('is checked by MACs and links if it is not sealed yet', async () => {
    const { trail } = await aTrail({ sealed: 2 });
    expect(await trail.verify()).toEqual({
      checked: { ...NOTHING, seals: 2, records: 56, afterSeals: 28 },
    });
    const { trail: unsealed } = await aTrail({ sealed: 0 });
    expect(await unsealed.verify()).toEqual({ checked: { ...NOTHING, records: 56, afterSeals: 56 } });
  });

  it('has the same result in steps of any size, for any range', async () => {
    const { trail } = await aTrail({ minutes: 5, sealed: 4 });
    const { total } = await inTurn(trail, START - 60 * MINUTE, trail.now, 0);
    expect(total).toEqual({ ...NOTHING, seals: 4, records: 70, afterSeals: 14 });
    const time = fc.integer({ min: -20 * 60, max: 8 * 60 }).map((seconds) => START + 1000 * seconds);
    await fc.assert(
      fc.asyncProperty(time, time, fc.integer({ min: 0, max: 30 }), async (from, to, stepMs) => {
        const whole = await inTurn(trail.copy(), from, to, Infinity);
        const parts = await inTurn(trail.copy(), from, to, stepMs);
        expect(whole.steps).toBe(1);
        expect(parts.total).toEqual(whole.total);
      }),
      { numRuns: cases(15) },
    );
  });

  it('ends a step at its deadline, but after at least one interval of a trail', async () => {
    const { trail } = await aTrail();
    const { steps, total } = await inTurn(trail, START, START + 3 * MINUTE, 0);
    expect({ steps, records: total.records }).toEqual({ steps: 12, records: 42 });
  });

  it('is checked for requested trails, or for those of seals and of existing tenants', async () => {
    const { trail } = await aTrail();
    expect(await trail.verify({}, { trails: [TENANTS[2]] })).toEqual({
      checked: { ...NOTHING, seals: 4, records: 8 },
    });
    const tenants: readonly string[] = [];
    expect((await trail.verify({}, { tenants })).checked.records).toBe(56);
    // An unsealed record of a tenant that no seal names.
    const { trail: unsealed } = await aTrail({ sealed: 0 });
    expect((await unsealed.verify({}, { tenants })).checked.records).toBe(16);
  });

  it('reports how many records are older than the first seal', async () => {
    const { trail } = await aTrail({ minutes: 2, sealed: 0 });
    trail.now += 20 * MINUTE;
    await trail.seal();
    expect((await trail.verify()).checked).toEqual({ ...NOTHING, seals: 1, records: 28, beforeSeals: 28 });
  });

  it('may lack records of an expired interval, even if later records name them', async () => {
    const { trail, writers } = await aTrail();
    const sealedTo = START + 4 * MINUTE;
    trail.now += 399 * DAY;
    for (const record of trail.records.values()) trail.remove(record);
    for (const writer of writers) writer.write(TENANTS[0]);
    trail.now += 1_000;
    // Before they expire, there is no excuse.
    const { broken } = await trail.verify({}, { from: sealedTo + 300 * DAY });
    expect(broken?.what).toMatch(/^the record before it is gone: /);
    trail.now += 2 * DAY;
    expect(await trail.verify()).toEqual({
      checked: { ...NOTHING, seals: 4, records: 4, expired: 4, afterSeals: 4 },
    });
    expect((await trail.verify({}, { from: sealedTo })).broken).toBeUndefined();
  });

  it('may lose records that expire during the check', async () => {
    const { trail } = await aTrail();
    trail.now += 399 * DAY;
    const { trail: reader } = trail.verifyDeps();
    const records: typeof reader.records = async function* (...range) {
      trail.now += 2 * DAY;
      for (const record of trail.records.values()) trail.remove(record);
      yield* reader.records(...range);
    };
    const input = { from: START, to: START + 4 * MINUTE };
    expect((await trail.verify({ trail: { ...reader, records } }, input)).broken).toBeUndefined();
  });

  it('is intact also if it is sealed while it is verified', async () => {
    for (let number = 1, isSealed = true; isSealed; number += 1) {
      const { trail } = await aTrail({ minutes: 3, sealed: number % 2 });
      let call = 0;
      isSealed = false;
      const step: Step = async (act) => {
        call += 1;
        if (call === number) isSealed = (await trail.seal()).intervals > 0;
        return act();
      };
      const deps = trail.verifyDeps();
      const ports = { seals: inSteps(deps.seals, step), head: inSteps(deps.head, step) };
      const { broken, checked } = await trail.verify(ports);
      expect({ broken, records: checked.records }).toEqual({ broken: undefined, records: 42 });
    }
  });

  it('may lack a record before the first seal that another one names', async () => {
    const { trail, writers } = await aTrail({ minutes: 2, sealed: 0 });
    trail.now += 20 * MINUTE;
    await trail.seal();
    writers[0]?.write(TENANTS[0]);
    for (const record of recordsOf(trail, TENANTS[0], 1)) trail.remove(record);
    expect((await trail.verify({}, { from: trail.now - MINUTE, to: trail.now + 1 })).broken).toBeUndefined();
  });

  it('is checked only by its seals if the keys of a tenant are destroyed', async () => {
    const { trail } = await aTrail({ sealed: 3 });
    trail.keys.set(TENANTS[2], 'destroyed');
    expect(await trail.verify()).toEqual({
      checked: { ...NOTHING, seals: 3, records: 56, unchecked: 8, afterSeals: 14 },
    });
    const [record] = recordsOf(trail, TENANTS[2], 1);
    if (record !== undefined) trail.put({ ...record, body: record.body.replace('200', '201') });
    expect((await trail.verify()).broken?.what).toMatch(/, not the same ones$/);
  });

  it('is checked only by its seals after a root was replaced, and is broken without them', async () => {
    const { trail } = await aTrail();
    trail.keys.set(TENANTS[2], new Map([[5, createSecretKey(randomBytes(32))]]));
    expect((await trail.verify()).checked.unchecked).toBe(8);
    const { trail: unsealed } = await aTrail({ sealed: 2 });
    unsealed.keys.set(TENANTS[2], new Map([[5, createSecretKey(randomBytes(32))]]));
    expect((await unsealed.verify()).broken).toMatchObject({
      interval: 'not sealed yet',
      trail: TENANTS[2],
      what: 'the MAC is under key 1, which was replaced, and it is not sealed',
    });
  });

  it('may have two records of one time, the second of which sorts first', async () => {
    const { trail } = await aTrail({ sealed: 0 });
    const [b, a] = [
      newRecordPosition(machinePlatform.random, trail.now),
      newRecordPosition(machinePlatform.random, trail.now),
    ]
      .toSorted()
      .toReversed();
    const first = trail.make(TENANTS[0], 1, {}, { position: b as string });
    trail.insert(first);
    trail.insert(trail.make(TENANTS[0], 1, { after: placeText(first) }, { position: a as string }));
    expect((await trail.verify({}, { to: trail.now + 1 })).broken).toBeUndefined();
  });
});

describe('the link of a record', () => {
  const later = (trail: Trail) => newRecordPosition(machinePlatform.random, trail.now + 1);

  it.each([
    ['to itself', (trail: Trail, own: string) => (trail.now > 0 ? own : ''), /^names a record that is not/],
    [
      'to a record after it',
      (trail: Trail) => `01:${later(trail)}`,
      /^names a record that is not before it: 01:/,
    ],
    [
      'to a shard that no trail has',
      (trail: Trail) => `32:${newRecordPosition(machinePlatform.random, trail.now)}`,
      /invalid place/,
    ],
    ['to an invalid place', () => '01:ABC', /^names an invalid place as the record before it$/],
    ['to a position in upper case', () => `01:${'A'.repeat(21)}`, /invalid place/],
  ])('%s is a break', async (_where, after, what) => {
    const { trail } = await aTrail();
    const position = newRecordPosition(machinePlatform.random, trail.now);
    trail.insert(trail.make(TENANTS[0], 1, { after: after(trail, `01:${position}`) }, { position }));
    expect((await trail.verify({}, { to: trail.now + 1 })).broken?.what).toMatch(what);
  });

  it('is followed to more records than are in memory', async () => {
    const { trail } = await aTrail({ minutes: 1 });
    // Each names a record that another one has named before it.
    const [first] = recordsOf(trail, TENANTS[0], 0);
    if (first === undefined) throw new Error('no record');
    for (let at = 0; at < 250; at += 1) trail.insert(trail.make(TENANTS[0], 1, { after: placeText(first) }));
    trail.now += 2 * MINUTE;
    await trail.seal();
    expect((await trail.verify()).broken).toBeUndefined();
    trail.remove(first);
    const { broken } = await trail.verify({}, { from: START + MINUTE });
    expect(broken?.what).toBe(`the record before it is gone: ${placeText(first)}`);
  });
});

describe('a stored record that no service wrote', () => {
  it.each(['', 'null', '[]', '{}', '{"op":1}', '{"op":"x","key":0}', '{"op":"x","key":"1"}'])(
    'is reported: the body %s',
    async (body) => {
      const { trail } = await aTrail({ sealed: 0 });
      const [record] = trail.records.values();
      if (record !== undefined) trail.put({ ...record, body });
      expect((await trail.verify()).broken?.what).toBe('not a record of this service');
    },
  );

  it.each(['{"op":"x","after":1}', '{"op":"x","tokens":null}', '{"op":"x","tokens":{"use":[1]}}'])(
    'is reported: the body %s',
    async (body) => {
      const { trail } = await aTrail({ sealed: 0 });
      const [record] = trail.records.values();
      if (record !== undefined) trail.put({ ...record, body });
      expect((await trail.verify()).broken?.what).toBe('not a record of this service');
    },
  );

  it('is reported: an invalid position, even if it was sealed', async () => {
    for (const end of ['', 'x', 'ABCDEFGHIJKL+', '/'.repeat(12)]) {
      const { trail } = await aTrail({ sealed: 0 });
      const position = newRecordPosition(machinePlatform.random, START).slice(0, 9) + end;
      trail.insert(trail.make(TENANTS[0], 1, {}, { position }), START);
      const broken = { trail: TENANTS[0], place: `01:${position}`, what: 'not a record of this service' };
      expect((await trail.verify()).broken).toEqual({ interval: 'not sealed yet', ...broken });
      await trail.seal();
      expect((await trail.verify()).broken).toMatchObject(broken);
    }
  });
});

const names = (change: Change): string => change.name;

describe('a single change to sealed data', () => {
  it('is always found', async () => {
    const { trail: sealed } = await aTrail({ minutes: 3 });
    const { trail: inParts } = await aTrail({ minutes: 3, over: { partSize: 2 } });
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(changes, fc.boolean(), async (change, isInParts) => {
        const trail = (isInParts ? inParts : sealed).copy();
        fc.pre(change.apply(trail));
        seen.add(names(change));
        const { broken } = await trail.verify();
        expect(broken).toBeDefined();
      }),
      { numRuns: cases(100) },
    );
    expect(seen.size).toBe(19);
  });

  it('is found by the sealed walk too, unless it adds a record', async () => {
    const { trail: sealed } = await aTrail({ minutes: 3 });
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        const trail = sealed.copy();
        fc.pre(change.name !== 'a record duplicated' && change.apply(trail));
        const { broken } = await trail.verify({}, { coverage: 'sealed', tenants: [], to: Infinity });
        expect(broken).toBeDefined();
      }),
      { numRuns: cases(50) },
    );
  });
});

describe('one failure', () => {
  const forged = (trail: Trail, at: number, id: string = TENANTS[0]) => {
    const record = trail.make(id, 9, {}, { at, key: createSecretKey(randomBytes(32)) });
    trail.put(record);
    return record;
  };
  const found = async (trail: Trail) =>
    (await trail.verifyAll()).broken.map(({ place, what }) => place ?? what);

  it('does not hide another one in another minute, another trail or the same minute', async () => {
    const { trail } = await aTrail();
    const forgeries = [
      forged(trail, START + 1),
      forged(trail, START + 2),
      forged(trail, START + MINUTE, TENANTS[1]),
      forged(trail, START + 3 * MINUTE),
    ];
    expect(await found(trail)).toEqual(forgeries.map(placeText));
    // In a minute with two forged records.
    const [removed] = recordsOf(trail, TENANTS[0], 0).filter(({ mac, shard }) => mac && shard === 30);
    if (removed === undefined) throw new Error('no record');
    trail.remove(removed);
    expect(await found(trail)).toEqual([
      ...forgeries.slice(0, 2).map(placeText),
      'found 6 records, sealed 5',
      ...forgeries.slice(2, 3).map(placeText),
      placeText(recordsOf(trail, TENANTS[0], 1).find(({ shard }) => shard === 30) ?? removed),
      ...forgeries.slice(3).map(placeText),
    ]);
  });

  it('leaves its minute intact if a false record was stored before the seal', async () => {
    const { trail } = await aTrail({ sealed: 0 });
    const [before, after] = [START + 1, START + 2 * MINUTE].map((at) => forged(trail, at));
    await trail.seal();
    expect(await found(trail)).toEqual([before, after].map((each) => placeText(each ?? forged(trail, 0))));
  });

  it('one failure of the seals hides none of the records, and none of other seals', async () => {
    const { trail } = await aTrail({ minutes: 6 });
    const [, second, third, , fifth] = trail.seals.values();
    if (second === undefined || third === undefined || fifth === undefined) throw new Error('no seals');
    trail.seals.delete(second);
    trail.seals.put({ ...fifth, signature: Buffer.from('none') });
    const forgeries = [1, 2, 4, 5].map((minute) => forged(trail, START + minute * MINUTE));
    const [removed] = recordsOf(trail, TENANTS[1], 3);
    if (removed !== undefined) trail.remove(removed);
    trail.seals.headHash = randomBytes(32);
    const places = forgeries.map(placeText);
    expect(await found(trail)).toEqual([
      places[0],
      'a gap: the seal before it is one up to 2026-11-23T12:21:00.000Z',
      places[1],
      'found 2 records, sealed 3',
      'the signature of the seal is not valid under the key',
      places[2],
      placeText(recordsOf(trail, TENANTS[1], 4).find(({ shard }) => shard === removed?.shard) as never),
      'the seal names another one as that before it',
      places[3],
      'the newest seals are gone: the head is another seal',
    ]);
  });

  it('is one of all that are counted, of which the first are named', async () => {
    const { trail } = await aTrail();
    for (let at = 0; at < 350; at += 1) forged(trail, START + 349 - at);
    const { failures, broken } = await trail.verifyAll();
    expect([failures, broken.length]).toEqual([350, 100]);
    expect(broken[99]?.place?.slice(3, 12)).toBe(
      newRecordPosition(machinePlatform.random, START + 99).slice(0, 9),
    );
  });

  const listed = (broken: readonly Broken[]) =>
    broken
      // A step names the failure of a seal differently if the seals far before it are gone.
      .map(({ what, ...where }) => JSON.stringify(where.trail === undefined ? where : { ...where, what }));

  // Two ids that are gone are two failures of a record, in each step that has one with both.
  const isDistinct = ({ what }: Broken) => what !== 'the id of a reference is gone';
  const repeated = (broken: readonly Broken[]) => {
    const texts = broken.filter(isDistinct).map((each) => JSON.stringify(each));
    return texts.length - new Set(texts).size;
  };

  it('is found once in steps of any size', async () => {
    const { trail } = await aTrail({ minutes: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 4 }), async (several) => {
        const copy = trail.copy();
        for (const change of several) change.apply(copy);
        copy.now = START + 8 * MINUTE;
        const whole = await copy.verifyAll({}, { to: copy.now + 1 });
        const parts = [];
        for (let next: VerifyCursor | undefined = { from: START - 60 * MINUTE }; next !== undefined;) {
          const step = await copy.verifyAll({}, { ...next, to: copy.now + 1, deadline: 0 });
          parts.push(...step.broken);
          ({ next } = step);
        }
        expect(listed(parts)).toEqual(expect.arrayContaining(listed(whole.broken)));
        expect(repeated(parts)).toBeLessThanOrEqual(repeated(whole.broken));
      }),
      { numRuns: cases(12) },
    );
  });
});

describe('a failed read', () => {
  it('rejects instead of returning a result', async () => {
    const { trail } = await aTrail({ minutes: 2, sealed: 1 });
    const [record] = recordsOf(trail, TENANTS[0], 0);
    if (record !== undefined) trail.remove(record);
    const run = (step: Step, from: number) => {
      const deps = trail.verifyDeps();
      return trail.verify(
        {
          trail: inSteps(deps.trail, step),
          seals: inSteps(deps.seals, step),
          head: inSteps(deps.head, step),
          keysOf: (id) => step(() => deps.keysOf(id)),
          index: inSteps(deps.index, step),
          referred: (all) => step(() => deps.referred(all)),
        },
        { from },
      );
    };
    // Start after the missing record, so that the link to it, and excuses, are looked up.
    const from = START + MINUTE;
    let calls = 0;
    await run((act) => Promise.resolve(act()).finally(() => (calls += 1)), from);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: calls }), async (failing) => {
        let call = 0;
        const step: Step = (act) => {
          call += 1;
          return call === failing ? Promise.reject(new Error('down')) : Promise.resolve(act());
        };
        await expect(run(step, from)).rejects.toThrow('down');
      }),
      { numRuns: cases(15) },
    );
  });

  it('a failed read of the newest seal rejects instead of returning a result', async () => {
    const { trail } = await aTrail();
    const { seals } = trail.verifyDeps();
    async function* none() {
      yield await Promise.resolve([]);
    }
    await expect(trail.verify({ seals: { ...seals, seals: none } })).rejects.toThrow(
      'the newest seal is not among the seals',
    );
  });
});

it('a new writer in a trail names no record before its first', async () => {
  const { trail } = await aTrail();
  const record = new Writer(trail, 5).write(TENANTS[0]);
  expect(record.body).not.toContain('after');
});
