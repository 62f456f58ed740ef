import { randomUUID } from 'node:crypto';
import { timeOfPosition } from '../../../src/core/audit/audit-record.ts';
import type { IndexStore } from '../../../src/core/trail/index-store.ts';
import { statementOf } from '../../../src/core/trail/seal.ts';
import { newSealerMemory } from '../../../src/core/trail/seal-trail.ts';
import { createIndexBuilder, type TokenIndex } from '../../../src/core/trail/token-index.ts';
import { bytesOfName, nameOfToken } from '../../../src/core/audit/token-reference.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import { MINUTE, START, TENANTS, Trail } from './a-trail.ts';

/*
 * Where an index could hide records from readers: false keys, slow and failing runs, pages and
 * indexes that end in the middle of something, requests out of order.
 */

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const HOUR_START = START - (START % HOUR);
const [TENANT, OTHER] = TENANTS;
/** A hundredth of the sizes of a service: an index is full after 20 records of 100 tokens. */
const SMALL = { indexSizes: { full: 80, most: 2_000 } };

/** Whether a search finds so many records, each once, with the index and without. */
async function expectFound(trail: Trail, tokenId: string, count: number): Promise<void> {
  const all = await trail.found(tokenId, true);
  expect(all).toHaveLength(count);
  expect(await trail.found(tokenId, false)).toEqual(all);
}

const statements = (trail: Trail) => trail.seals.values().map(statementOf);
const indexed = (trail: Trail) => statements(trail).flatMap(({ indexes = [] }) => indexes);

/** A store whose inserts do something else afterwards. */
function inserting(trail: Trail, after: (index: TokenIndex) => unknown): IndexStore {
  const store = trail.sealDeps().indexes;
  return {
    ...store,
    insert: async (index: TokenIndex) => {
      await store.insert(index);
      await after(index);
    },
  };
}

/** Puts so many records of a busy writer into the trail, a ms apart. */
function write(trail: Trail, count: number, from: number, tokens: readonly string[] = []): void {
  for (let at = from; at < from + count; at += 1) {
    const entry = tokens.length === 0 ? {} : { tokens: { mask: tokens } };
    trail.insert(trail.make(TENANT, 2, entry, { at }), from);
  }
}

/** A key between those of an hour, whose first nine characters are no time. */
function falsePosition(from: number): string {
  for (let at = from; ; at += 1_000) {
    const text = sortableTime(at);
    if (text[5] === '9') return `${text.slice(0, 5)}_${'x'.repeat(15)}`;
  }
}

describe('a false record whose key is no time', () => {
  it('does not stop the indexes of all trails', async () => {
    const trail = new Trail();
    await trail.seal();
    for (const tenant of [TENANT, OTHER]) trail.insert(trail.make(tenant, 1, { tokens: { reveal: ['a'] } }));
    trail.insert(trail.make(TENANT, 1, {}, { position: falsePosition(START) }));
    const memory = newSealerMemory();
    for (let run = 0; run < 60; run += 1) {
      trail.now += 50 * MINUTE;
      await trail.seal({ memory });
    }
    expect(indexed(trail).map(([id]) => id)).toEqual(expect.arrayContaining([TENANT, OTHER]));
    await expectFound(trail, 'a', 1);
  });

  it('is reported by verify-audit --index', async () => {
    const trail = new Trail();
    await trail.seal();
    trail.insert(trail.make(TENANT, 1, { tokens: { reveal: ['a'] } }));
    trail.now = START + 2 * HOUR;
    await trail.seal();
    await trail.seal();
    trail.insert(trail.make(TENANT, 1, {}, { position: falsePosition(START) }));
    expect((await trail.verifyAll({}, { indexContents: true })).failures).toBeGreaterThan(0);
  });

  it('does not move the end of an index beyond its hour', async () => {
    const trail = new Trail();
    await trail.seal();
    const ids = Array.from({ length: 100 }, () => randomUUID());
    write(trail, 20, START, ids);
    // A capital letter sorts before the small ones, but is the same digit.
    const after = sortableTime(START + 3_000);
    const before = sortableTime(HOUR_START + HOUR);
    const position = Array.from({ length: 3_600 }, (_, second) => sortableTime(START + second * 1_000))
      .flatMap((text) =>
        Array.from({ length: 9 }, (_, digit) => `${text.slice(0, digit)}Z${'z'.repeat(20 - digit)}`),
      )
      .find((text) => text > after && text < before && timeOfPosition(text) > HOUR_START + HOUR);
    // The sealer reads this shard, because it has true records too.
    trail.insert(trail.make(TENANT, 2, {}, { position: position ?? '' }), START);
    for (const hours of [3, 5, 6]) {
      trail.now = START + hours * HOUR;
      trail.insert(trail.make(TENANT, 1, { tokens: { reveal: ['b'] } }));
      await trail.seal(SMALL);
    }
    expect(position).toBeDefined();
    const ends = indexed(trail).map(([, , , to]) => to);
    expect(ends.filter((to) => to % HOUR > 0)).toEqual([]);
    await expectFound(trail, ids[0] ?? '', 20);
    await expectFound(trail, 'b', 3);
  });
});

describe('a part of this hour hides no record of an earlier one', () => {
  it('which takes the sealer more than one run', async () => {
    const trail = new Trail();
    const memory = newSealerMemory();
    await trail.seal({ memory });
    for (let at = 0; at < 9; at += 1) trail.insert(trail.make(`a${String(at)}`, 1, {}, { key: undefined }));
    trail.insert(trail.make(TENANT, 1, { tokens: { reveal: ['a'] } }));
    trail.now = HOUR_START + HOUR + MINUTE + 1_000;
    write(trail, 8_000, HOUR_START + HOUR);
    await trail.seal({ memory, indexes: inserting(trail, () => (trail.now += 3_000)) });
    trail.now = HOUR_START + HOUR + 2 * MINUTE + 1_000;
    await trail.seal({ memory, indexes: inserting(trail, () => (trail.now += 20_001)) });
    await expectFound(trail, 'a', 1);
  });

  it('which has more trails than a seal names indexes', async () => {
    const trail = new Trail();
    const memory = newSealerMemory();
    await trail.seal({ memory });
    for (let at = 0; at < 1_100; at += 1)
      trail.insert(trail.make(`a${String(at)}`, 1, {}, { key: undefined }));
    trail.insert(trail.make(TENANT, 1, { tokens: { reveal: ['a'] } }));
    trail.now = HOUR_START + HOUR + MINUTE + 1_000;
    await trail.seal({ memory });
    write(trail, 80, HOUR_START + HOUR);
    trail.now += MINUTE;
    // Readers see what this run has inserted so far. Those of a trail read the indexes of that one.
    const counts = new Set<number>();
    const indexes = inserting(trail, async (index) => {
      if (index.trail === TENANT) counts.add((await trail.found('a', false)).length);
    });
    await trail.seal({ ...SMALL, memory, indexes });
    expect([...counts]).toEqual([1]);
  });

  it('which cannot be indexed at all', async () => {
    const trail = new Trail();
    const memory = newSealerMemory();
    await trail.seal({ memory });
    const store = trail.sealDeps().indexes;
    const indexes = {
      ...store,
      insert: (index: TokenIndex) =>
        index.trail === OTHER ? Promise.reject(new Error('refused')) : store.insert(index),
    };
    const how = { ...SMALL, memory, indexes, onIndexingFailed: () => undefined };
    trail.insert(trail.make(OTHER, 1, {}));
    for (trail.now += MINUTE; trail.now < HOUR_START + HOUR; trail.now += 10 * MINUTE) await trail.seal(how);
    trail.insert(trail.make(TENANT, 1, { tokens: { reveal: ['a'] } }));
    trail.now += HOUR;
    await trail.seal(how);
    write(trail, 80, trail.now);
    for (let run = 0; run < 120; run += 1) {
      trail.now += 30 * MINUTE;
      await trail.seal(how);
    }
    await expectFound(trail, 'a', 1);
  });
});

describe('a search loses no record', () => {
  it('where a page ends within a ms', async () => {
    const trail = new Trail();
    await trail.seal();
    for (const shard of [3, 5]) trail.insert(trail.make(TENANT, shard, { tokens: { mask: ['a'] } }));
    write(trail, 99, START + 1, ['a']);
    trail.now = START + 3 * HOUR;
    await trail.seal();
    await trail.seal();
    await expectFound(trail, 'a', 101);
  });

  it('a search loses no record while a day is indexed in part, up to the middle of an hour', async () => {
    const trail = new Trail();
    const at = (minute: number) => HOUR_START + minute * MINUTE;
    const fifty = (from: number) => Array.from({ length: 50 }, (_, after) => from + after);
    const times = [at(1), ...fifty(at(15)), ...fifty(at(45))];
    for (const time of times) trail.put(trail.make(TENANT, 1, { tokens: { mask: ['a'] } }, { at: time }));
    const name = bytesOfName(nameOfToken('a'));
    const add = (level: 'part' | 'day', from: number, to: number) => {
      const builder = createIndexBuilder({ trail: TENANT, level, from, salt: Buffer.alloc(16) });
      for (const time of times) if (time >= from && time < to) builder.add([name], { at: time, shard: 1 });
      trail.indexes.set(`${level} ${String(from)}`, builder.build({ to, expires: 1e10 }));
    };
    for (const [from, to] of [
      [0, 10],
      [10, 40],
      [40, 60],
    ] as const)
      add('part', at(from), at(to));
    add('day', HOUR_START - (HOUR_START % DAY), at(30));
    trail.now = HOUR_START + 40 * HOUR;
    await expectFound(trail, 'a', 101);
  });
});

describe('requests for indexes', () => {
  const day = START - (START % DAY);

  /**
   * A trail whose day is long over, and its sealer. The records are stored so late that only
   * requests index them.
   */
  async function ofOldDay(tokens: readonly string[]) {
    const trail = new Trail();
    const memory = newSealerMemory();
    const seal = async (indexes = trail.sealDeps().indexes) => {
      await trail.seal({ ...SMALL, memory, indexes });
      trail.now += 2 * MINUTE;
    };
    await seal();
    trail.now = START + 50 * HOUR;
    for (let run = 0; run < 3; run += 1) await seal();
    write(trail, 21, START, tokens);
    return { trail, seal };
  }
  const idAt = (at: number, last: string) => `${sortableTime(at)}${last}`;

  it('go on after one that is stored before a half-done one', async () => {
    const { trail, seal } = await ofOldDay(Array.from({ length: 100 }, () => randomUUID()));
    trail.requests.push({ id: idAt(trail.now - 5 * MINUTE, 'b'), trail: TENANT, day });
    await seal(inserting(trail, () => (trail.now += 20_001)));
    // Any function that writes records can insert this one; an operator's clock may be late, too.
    trail.requests.unshift({ id: idAt(trail.now - 10 * MINUTE, 'a'), trail: TENANT, day: day - DAY });
    const last = idAt(trail.now, 'c');
    trail.requests.push({ id: last, trail: OTHER, day });
    for (let run = 0; run < 5; run += 1) await seal();
    const newest = statements(trail)
      .toSorted((a, b) => a.from - b.from)
      .at(-1);
    expect(newest?.progress.asked).toEqual({ done: last });
  });

  it('are carried out if they are stored some ms late, with an earlier key', async () => {
    const { trail, seal } = await ofOldDay(['a']);
    const ofDays = () => indexed(trail).filter(([, level]) => level === 'day').length;
    const before = ofDays();
    trail.requests.push({ id: idAt(trail.now - 5, 'b'), trail: OTHER, day });
    await seal();
    trail.requests.unshift({ id: idAt(trail.now - 2 * MINUTE - 10, 'a'), trail: TENANT, day });
    for (let run = 0; run < 5; run += 1) await seal();
    expect(ofDays()).toBe(before + 1);
  });
});
