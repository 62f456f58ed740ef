import { randomUUID } from 'node:crypto';
import { timeOfPosition } from '../../../src/core/audit/audit-record.ts';
import { exportStep } from '../../../src/core/audit/export-trail.ts';
import { statementOf } from '../../../src/core/audit/seal.ts';
import { newSealerMemory } from '../../../src/core/audit/seal-trail.ts';
import { IndexBuilder, placesBetween } from '../../../src/core/audit/token-index.ts';
import { whoSawStep } from '../../../src/core/audit/who-saw.ts';
import { tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import { bytesOfName, nameOfToken } from '../../../src/core/audit/token-reference.ts';
import { someIndexPages } from '../../support/fakes/an-index.ts';
import { someRecordsAt, someTrailPages } from '../../support/fakes/an-audit-trail.ts';
import { MINUTE, START, TENANTS, Trail } from './a-trail.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const HOUR_START = START - (START % HOUR);

async function found(trail: Trail, tokenId: string, withoutIndex: boolean, limit?: (n: number) => number) {
  const pages = someIndexPages(trail);
  const deps = {
    trailPages: someTrailPages(trail.records),
    indexPages: limit === undefined ? pages : {
      ...pages,
      places: (h: any, b: any, n: number) =>
        Promise.resolve(placesBetween(h, h.entries ?? Buffer.alloc(0), b).slice(0, limit(n))),
    },
    recordsAt: someRecordsAt(trail.records),
    referredIds: () => Promise.resolve(trail.ids),
    clock: () => trail.now,
  };
  const seen: string[] = [];
  let before: string | undefined;
  do {
    const step = await whoSawStep(deps as any, TENANTS[0], { tokenId, withoutIndex }, before);
    seen.push(...step.views.map(({ position }) => position));
    before = step.next;
  } while (before !== undefined);
  return seen;
}
const indexed = (trail: Trail) =>
  [...trail.seals.values()].map(statementOf).flatMap(({ indexes = [] }) => indexes);

/** A sort key between those of an hour whose first nine characters are no time. */
function falsePosition(from: number): string {
  for (let at = from; ; at += 1_000) {
    const text = sortableTime(at);
    if (text[5] === '9') return `${text.slice(0, 5)}_${'x'.repeat(15)}`;
  }
}

describe('R1 a false record whose key is no time', () => {
  it('does not stop the indexes of all trails', async () => {
    const trail = new Trail();
    await trail.seal();
    trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
    trail.insert(trail.make(TENANTS[1], 1, { tokens: { reveal: ['a'] } }));
    trail.insert(trail.make(TENANTS[0], 1, {}, { position: falsePosition(START) }));
    const errors: unknown[] = [];
    const onIndexingFailed = (error: unknown) => errors.push(error);
    const memory = newSealerMemory();
    for (let at = 0; at < 50 * 4; at += 1) {
      trail.now += 15 * MINUTE;
      await trail.seal({ memory, onIndexingFailed });
    }
    console.log('R1', errors.length, errors[0], indexed(trail).length);
    expect(errors[0]).toBeUndefined();
    expect(indexed(trail).map(([id]) => id)).toContain(TENANTS[1]);
  });

  it('does not end verify-audit --index', async () => {
    const trail = new Trail();
    await trail.seal();
    trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
    trail.now = START + 2 * HOUR;
    await trail.seal();
    await trail.seal();
    trail.insert(trail.make(TENANTS[0], 1, {}, { position: falsePosition(START) }));
    expect((await trail.verifyAll({}, { indexContents: true })).failures).toBeGreaterThan(0);
  });
});

it('R2 a part of this hour hides no record of the hour before it, which is not indexed yet', async () => {
  const trail = new Trail();
  const memory = newSealerMemory();
  await trail.seal({ memory });
  for (let at = 0; at < 9; at += 1) trail.insert(trail.make(`a${String(at)}`, 1, {}, { key: undefined }));
  trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
  // After an hour the run has time for a batch of trails alone.
  const store = trail.sealDeps().indexes;
  const indexes = {
    ...store,
    insert: async (index: any) => {
      await store.insert(index);
      trail.now += 3_000;
    },
  };
  trail.now = HOUR_START + HOUR;
  trail.now += MINUTE + 1_000;
  for (let at = 0; at < 8_000; at += 1)
    trail.insert(trail.make(TENANTS[0], 2, {}, { at: HOUR_START + HOUR + at }), HOUR_START + HOUR);
  await trail.seal({ memory, indexes });
  trail.now = HOUR_START + HOUR + 2 * MINUTE + 1_000;
  await trail.seal({ memory, indexes: { ...store, insert: async (index: any) => { await store.insert(index); trail.now += 20_001; } } });
  console.log('R2', indexed(trail).map(([id, level, from, to]) => [id, level, (from - HOUR_START) / MINUTE, (to - HOUR_START) / MINUTE]));
  expect(await found(trail, 'a', true)).toHaveLength(1);
  expect(await found(trail, 'a', false)).toHaveLength(1);
});

it('R2b the same without any fault: 1,100 trails are active, a seal names 1,000 indexes', async () => {
  const trail = new Trail();
  const memory = newSealerMemory();
  await trail.seal({ memory });
  for (let at = 0; at < 1_100; at += 1) trail.insert(trail.make(`a${String(at)}`, 1, {}, { key: undefined }));
  trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
  trail.now = HOUR_START + HOUR + MINUTE + 1_000;
  await trail.seal({ memory });
  for (let at = 0; at < 8_000; at += 1)
    trail.insert(trail.make(TENANTS[0], 2, {}, { at: HOUR_START + HOUR + at }), HOUR_START + HOUR);
  trail.now += MINUTE;
  // Readers see what this run has inserted so far.
  const store = trail.sealDeps().indexes;
  const counts = new Set<number>();
  const insert = async (index: any) => {
    await store.insert(index);
    counts.add((await found(trail, 'a', false)).length);
  };
  await trail.seal({ memory, indexes: { ...store, insert } });
  expect([...counts]).toEqual([1]);
}, 60_000);

it('R3 a page that ends within a ms loses no record', async () => {
  const trail = new Trail();
  await trail.seal();
  for (const shard of [3, 5]) trail.insert(trail.make(TENANTS[0], shard, { tokens: { mask: ['a'] } }));
  for (let at = 1; at < 100; at += 1) {
    trail.now = START + at;
    trail.insert(trail.make(TENANTS[0], 7, { tokens: { mask: ['a'] } }));
  }
  trail.now = START + 3 * HOUR;
  await trail.seal();
  await trail.seal();
  expect(await found(trail, 'a', true)).toHaveLength(101);
  expect(await found(trail, 'a', false)).toHaveLength(101);
});

it('R4 the clock going back for a ms leaves no trail unsealed', async () => {
  const trail = new Trail();
  await trail.seal();
  for (let at = 0; at < 40; at += 1)
    trail.insert(trail.make(`a${String(at).padStart(2, '0')}`, 1, {}, { key: undefined }));
  trail.now += 2 * MINUTE;
  let calls = 0;
  const base = trail.now;
  // The time of a part ends, then the clock is set back by some ms.
  const clock = () => {
    calls += 1;
    return calls === 20 ? base + 8_001 : base + 1;
  };
  await trail.seal({ clock });
  const sealed = [...trail.seals.values()].map(statementOf).flatMap(({ entries }) => entries);
  expect(sealed).toHaveLength(40);
});

it('R5 a request that is inserted before a half-done one does not stop all requests', async () => {
  const trail = new Trail();
  const memory = newSealerMemory();
  await trail.seal({ memory });
  const ids = Array.from({ length: 100 }, () => randomUUID());
  for (let at = 0; at < 2_500; at += 1)
    trail.insert(trail.make(TENANTS[0], 1, { tokens: { mask: ids } }, { at: START + at }), START + at);
  trail.now = START + 50 * HOUR;
  const errors: unknown[] = [];
  const onIndexingFailed = (error: unknown) => errors.push(error);
  for (let at = 0; at < 3; at += 1) { await trail.seal({ memory, onIndexingFailed }); trail.now += 2 * MINUTE; }
  const day = START - (START % DAY);
  trail.requests.push({ id: `${sortableTime(trail.now - 1_000)}b`, trail: TENANTS[0], day });
  const store = trail.sealDeps().indexes;
  const slow = { ...store, insert: async (index: any) => { await store.insert(index); trail.now += 20_001; } };
  await trail.seal({ memory, indexes: slow, onIndexingFailed });
  const progress = () => statementOf([...trail.seals.values()].toSorted((a, b) => a.from - b.from).at(-1)!).progress;
  console.log('R5', progress());
  // Any function that writes records can insert this one; an operator's clock may be late, too.
  trail.requests.unshift({ id: `${sortableTime(trail.now - 100_000)}a`, trail: TENANTS[0], day: day - DAY });
  const last = `${sortableTime(trail.now)}c`;
  trail.requests.push({ id: last, trail: TENANTS[1], day });
  for (let at = 0; at < 5; at += 1) { trail.now += 2 * MINUTE; await trail.seal({ memory, onIndexingFailed }); }
  console.log('R5', progress(), errors.length, errors[0]);
  expect(progress().asked?.done).toBe(last);
});

it('R6 a false position after 200,000 records hides nothing', async () => {
  const trail = new Trail();
  await trail.seal();
  const ids = Array.from({ length: 100 }, () => randomUUID());
  trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
  for (let at = 0; at < 2_000; at += 1)
    trail.insert(trail.make(TENANTS[0], 1, { tokens: { mask: ids } }, { at: START + 1 + at }), START);
  // An upper-case letter sorts before the lower-case ones, but is the same digit.
  let position = '';
  for (let at = START + 3_000; position === ''; at += 1_000)
    if (sortableTime(at)[5] === '9') position = `${sortableTime(at).slice(0, 4)}Z${'x'.repeat(16)}`;
  for (let at = START + 3_000; timeOfPosition(position) < HOUR_START + HOUR || position > sortableTime(HOUR_START + HOUR); at += 1_000) {
    if (at > HOUR_START + HOUR) { console.log('R6 none'); break; }
    const text = sortableTime(at);
    for (let digit = 0; digit < 9; digit += 1) {
      const each = `${text.slice(0, digit)}Z${'z'.repeat(20 - digit)}`;
      if (each > sortableTime(START + 3_000) && each < sortableTime(HOUR_START + HOUR) && timeOfPosition(each) > HOUR_START + HOUR) position = each;
    }
  }
  console.log('R6', position, sortableTime(START), (timeOfPosition(position) - HOUR_START) / MINUTE);
  trail.insert(trail.make(TENANTS[0], 1, {}, { position }), START);
  trail.now = START + 3 * HOUR;
  trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['b'] } }), trail.now);
  trail.now = START + 5 * HOUR;
  const errors: unknown[] = [];
  const onIndexingFailed = (error: unknown) => errors.push(error);
  for (let at = 0; at < 3; at += 1) { await trail.seal({ onIndexingFailed }); trail.now += 2 * MINUTE; }
  console.log('R6', errors[0], indexed(trail).map(([id, level, from, to]) => [id, level, (from - HOUR_START) / MINUTE, (to - HOUR_START) / MINUTE]));
  expect(await found(trail, ids[0] as string, true)).toHaveLength(2_000);
  expect(await found(trail, ids[0] as string, false)).toHaveLength(2_000);
});

it('R7 while a day is half indexed, a search finds the records of the hour where it ends', async () => {
  const trail = new Trail();
  const H = HOUR_START;
  const at = (minute: number) => H + minute * MINUTE;
  const times = [at(1), ...Array.from({ length: 50 }, (_, n) => at(15) + n), ...Array.from({ length: 50 }, (_, n) => at(45) + n)];
  for (const time of times) trail.put(trail.make(TENANTS[0], 1, { tokens: { mask: ['a'] } }, { at: time }));
  const name = bytesOfName(nameOfToken('a'));
  const add = (level: 'part' | 'day', from: number, to: number) => {
    const builder = new IndexBuilder({ trail: TENANTS[0], level, from, salt: Buffer.alloc(16) });
    for (const time of times) if (time >= from && time < to) builder.add([name], { at: time, shard: 1 });
    const index = builder.build({ to, expires: 1e10 });
    trail.indexes.set(`${level} ${String(from)}`, index);
  };
  add('part', at(0), at(10));
  add('part', at(10), at(40));
  add('part', at(40), at(60));
  add('day', H - (H % DAY), at(30));
  trail.now = H + 40 * HOUR;
  expect(await found(trail, 'a', true)).toHaveLength(101);
  expect(await found(trail, 'a', false)).toHaveLength(101);
});

it('R10 records from more than 15 minutes before the first run of the sealer are found', async () => {
  const trail = new Trail();
  trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
  trail.now += 3 * HOUR;
  const memory = newSealerMemory();
  await trail.seal({ memory });
  trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['b'] } }));
  for (let at = 0; at < 2; at += 1) { trail.now += HOUR; await trail.seal({ memory }); }
  await trail.seal({ memory });
  expect(await found(trail, 'a', true)).toHaveLength(1);
  expect(await found(trail, 'a', false)).toHaveLength(1);
});

it('R9 a request that is stored late, with an earlier key, is carried out', async () => {
  const trail = new Trail();
  const memory = newSealerMemory();
  await trail.seal({ memory });
  trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
  trail.now = START + 50 * HOUR;
  for (let at = 0; at < 3; at += 1) { await trail.seal({ memory }); trail.now += 2 * MINUTE; }
  const day = START - (START % DAY);
  const ofDays = () => indexed(trail).filter(([, level]) => level === 'day').length;
  const before = ofDays();
  // Two operators: the first one's insert takes some ms longer, or its clock is late.
  trail.requests.push({ id: `${sortableTime(trail.now - 5)}b`, trail: TENANTS[1], day });
  await trail.seal({ memory });
  trail.requests.unshift({ id: `${sortableTime(trail.now - 10)}a`, trail: TENANTS[0], day });
  for (let at = 0; at < 5; at += 1) { trail.now += 2 * MINUTE; await trail.seal({ memory }); }
  expect(ofDays()).toBe(before + 1);
});

it('R12 R1 and R2 together: one false record in one trail hides no records of another, for good', async () => {
  const trail = new Trail();
  const memory = newSealerMemory();
  const onIndexingFailed = () => undefined;
  await trail.seal({ memory });
  trail.insert(trail.make(TENANTS[1], 1, {}));
  trail.insert(trail.make(TENANTS[1], 1, {}, { position: falsePosition(START) }));
  const next = HOUR_START + HOUR;
  for (; trail.now < next; ) { trail.now += 10 * MINUTE; await trail.seal({ memory, onIndexingFailed }); }
  trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
  trail.now = next + HOUR + 3 * MINUTE;
  await trail.seal({ memory, onIndexingFailed });
  for (let at = 0; at < 8_000; at += 1) trail.insert(trail.make(TENANTS[0], 2, {}));
  // Days later.
  for (let at = 0; at < 120; at += 1) { trail.now += 30 * MINUTE; await trail.seal({ memory, onIndexingFailed }); }
  const report = await trail.seal({ memory, onIndexingFailed });
  console.log('R12', report.lagMs, (report.indexLagMs ?? 0) / HOUR);
  expect(await found(trail, 'a', true)).toHaveLength(1);
  expect(await found(trail, 'a', false)).toHaveLength(1);
});

it('R13 a step of an export fits into a response of 6 MB, whatever the ids', async () => {
  const trail = new Trail();
  await trail.seal();
  const id = (at: number) => `${String(at).padStart(6, '0')}${'\u{1F600}'.repeat(394)}`;
  expect(tokenIdProblem(id(1))).toBeUndefined();
  for (let at = 0; at < 50; at += 1) {
    trail.now = START + at * 100;
    const ids = Array.from({ length: 100 }, (_, n) => id(at * 100 + n));
    trail.insert(trail.make(TENANTS[0], 1, { op: 'listTokens', tokens: { redact: ids } }));
  }
  trail.now += 5 * MINUTE;
  await trail.seal();
  const { trail: reader, seals, referred: referredIds } = { ...trail.verifyDeps(), seals: trail.sealDeps().seals };
  const step = await exportStep({ trail: reader, seals, referredIds } as any, { trail: TENANTS[0], from: START - HOUR, to: trail.now });
  expect(Buffer.byteLength(JSON.stringify(step))).toBeLessThan(6_000_000);
});
