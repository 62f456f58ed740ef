import { DEPLOYMENT, placeText } from '../../../src/core/audit/audit-record.ts';
import { referenceOf, referenceText } from '../../../src/core/audit/token-reference.ts';
import type { TokenIndex } from '../../../src/core/trail/token-index.ts';
import { aTrail, MINUTE, recordsOf, START, TENANTS, type Trail } from './a-trail.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const CONTENTS = { indexContents: true } as const;

/** A trail whose hour, or whose day, is over and indexed. */
async function indexed(after = HOUR): Promise<Trail> {
  const { trail } = await aTrail();
  trail.now = START + after;
  await trail.seal();
  return trail;
}

/** Finds an index of a tenant and its key. */
function indexOf(trail: Trail, level: TokenIndex['level'] = 'part', nth = 0): readonly [string, TokenIndex] {
  const found = [...trail.indexes].filter(([, index]) => index.trail === TENANTS[1] && index.level === level)[
    nth
  ];
  if (found === undefined) throw new Error('no index');
  return found;
}

const found = async (trail: Trail, input: object = {}) =>
  (await trail.verifyAll({}, { to: trail.now, ...input })).broken.map(({ what }) => what);

describe('an index that a seal names', () => {
  it('is compared with it, and leads to each record', async () => {
    const trail = await indexed();
    for (const coverage of ['complete', 'sealed'] as const)
      expect(await trail.verify({}, { coverage, ...CONTENTS })).toMatchObject({ checked: { indexes: 4 } });
    expect(await found(trail, CONTENTS)).toEqual([]);
    const one = { trails: [TENANTS[0]] };
    expect((await trail.verify({}, one)).checked.indexes).toBe(1);
  });

  it.each(['complete', 'sealed'])('is missed by a %s walk', async (coverage) => {
    const trail = await indexed();
    const [key, { from }] = indexOf(trail);
    trail.indexes.delete(key);
    expect(await found(trail, { coverage })).toEqual([
      `the index of ${new Date(from).toISOString()} is gone`,
    ]);
  });

  it('may not differ in any byte', async () => {
    const whole = await indexed();
    // Two hours of the trail, so that there is an older index.
    whole.insert(whole.make(TENANTS[1], 3, { tokens: { reveal: ['x'] } }));
    whole.now += 2 * HOUR;
    await whole.seal();
    const [key, index] = indexOf(whole, 'part', 1);
    const what = `the index of ${new Date(index.from).toISOString()} is not the sealed one`;
    const another = (of: (other: TokenIndex) => boolean) =>
      [...whole.indexes.values()].find((other) => other.hash !== index.hash && of(other));
    const ofOther = another(({ trail }) => trail === TENANTS[0]);
    const older = another(({ trail, level }) => trail === index.trail && level === index.level);
    const others: readonly (Partial<TokenIndex> | undefined)[] = [
      { from: index.from + MINUTE },
      { entries: Buffer.alloc(0) },
      // Another valid index in its place, as it is or under the same range.
      ofOther,
      { salt: ofOther?.salt ?? index.salt, entries: ofOther?.entries ?? index.entries },
      older,
      { salt: older?.salt ?? index.salt, entries: older?.entries ?? index.entries },
      { entries: Buffer.from(index.entries.map((byte, at) => (at === 5 ? byte ^ 1 : byte))) },
      { entries: index.entries.subarray(8) },
      { salt: Buffer.alloc(16) },
    ];
    for (const other of others) {
      expect(other).toBeDefined();
      const trail = whole.copy();
      // The hash is that of the reader: the check computes its own.
      trail.indexes.set(key, { ...index, ...other });
      expect(await found(trail)).toEqual([what]);
    }
  });

  it('that lacks a record since it was made is found only by a look at its contents', async () => {
    const { trail } = await aTrail();
    const [hidden] = recordsOf(trail, TENANTS[1], 1);
    if (hidden === undefined) throw new Error('no record');
    trail.remove(hidden);
    trail.now = START + HOUR;
    await trail.seal();
    trail.put(hidden);
    expect(await found(trail)).toEqual([]);
    const { broken } = await trail.verifyAll({}, CONTENTS);
    expect(broken).toEqual([
      expect.objectContaining({ place: placeText(hidden), what: 'its index does not lead to it' }),
    ]);
  });

  it('may be gone, in part too, 45 days after its end', async () => {
    const trail = await indexed();
    const [key, index] = indexOf(trail);
    trail.now = index.to + 45 * DAY;
    trail.indexes.set(key, { ...index, entries: index.entries.subarray(8) });
    expect(await found(trail, { to: START + 2 * HOUR })).toEqual([]);
    trail.indexes.delete(key);
    expect(await found(trail, { to: START + 2 * HOUR })).toEqual([]);
    trail.now -= 1;
    expect(await found(trail, { to: START + 2 * HOUR })).toHaveLength(1);
  });

  it('an index of a day may be gone when no record of it is left', async () => {
    const trail = await indexed(2 * DAY);
    const [key] = indexOf(trail, 'day');
    trail.indexes.delete(key);
    const range = { coverage: 'sealed', from: START + DAY, to: START + 2 * DAY };
    expect(await found(trail, range)).toHaveLength(1);
    trail.now = START + 399 * DAY;
    expect(await found(trail, range)).toHaveLength(1);
    for (const record of trail.records.values()) trail.remove(record);
    expect(await found(trail, range)).toEqual([]);
  });

  it('leads to each record by each token, or the record is reported once', async () => {
    const trail = await indexed();
    const late = trail.make(TENANTS[1], 3, { tokens: { reveal: ['x'], mask: ['y'] } }, { at: START + 9_000 });
    trail.insert(late);
    expect(await found(trail, CONTENTS)).toEqual([
      'found 4 records, sealed 3',
      'its index does not lead to it',
    ]);
    expect(await found(trail)).toHaveLength(1);
  });
});

describe('the id of a reference', () => {
  it.each(['complete', 'sealed'])('is missed by the %s walk once, by the first record', async (walk) => {
    const { trail } = await aTrail();
    trail.ids.delete(referenceText(referenceOf('token-1')));
    const { broken } = await trail.verifyAll({}, { coverage: walk as 'complete' });
    expect(broken).toEqual([
      expect.objectContaining({ place: expect.any(String), what: 'the id of a reference is gone' }),
    ]);
  });

  it('may be missing for a token that was only to be created, since its writer may have died', async () => {
    const { trail, writers } = await aTrail();
    writers[0]?.write(TENANTS[0], { outcome: 'begun', tokens: { create: ['chosen'] } });
    trail.now += 1;
    trail.ids.delete(referenceText(referenceOf('chosen')));
    expect(await found(trail)).toEqual([]);
    writers[0]?.write(TENANTS[0], { tokens: { reveal: ['chosen'] } });
    trail.now += 1;
    trail.ids.delete(referenceText(referenceOf('chosen')));
    expect(await found(trail)).toEqual(['the id of a reference is gone']);
  });

  it('is missed if another one is in its place', async () => {
    const { trail } = await aTrail();
    trail.ids.set(referenceText(referenceOf('token-1')), 'token-2');
    expect(await found(trail)).toEqual(['the id of a reference is gone']);
  });

  it('is looked up once a step, 100 in a call', async () => {
    const { trail, writers } = await aTrail();
    const ids = Array.from({ length: 150 }, (_, at) => `id-${String(at)}`);
    for (const id of [...ids, ...ids]) writers[0]?.write(DEPLOYMENT, { tokens: { delete: [id] } });
    const sizes: number[] = [];
    const { referred } = trail.verifyDeps();
    const counted = (references: readonly Buffer[]) => {
      sizes.push(references.length);
      return referred(references);
    };
    const { failures } = await trail.verifyAll({ referred: counted }, { to: trail.now + 1 });
    expect(failures).toBe(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(155);
    expect(sizes.length).toBeLessThanOrEqual(3);
  });

  it('is that of a record: nothing else of the step fails', async () => {
    const { trail } = await aTrail();
    trail.ids.clear();
    const { failures } = await trail.verifyAll();
    // The failures are about token-0 to token-3 and token-m.
    expect(failures).toBe(5);
    expect(recordsOf(trail, TENANTS[0], 0)).not.toHaveLength(0);
  });
});
