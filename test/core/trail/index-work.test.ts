import { randomUUID } from 'node:crypto';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { IS_THOROUGH } from '../../../packages/test-kit/src/thoroughness.ts';
import { sortableTime } from '../../../src/core/shared/position.ts';
import { INDEX_SIZES } from '../../../src/core/trail/index-work.ts';
import { statementOf } from '../../../src/core/trail/seal.ts';
import { newSealerMemory } from '../../../src/core/trail/seal-trail.ts';
import { saltOf, type TokenIndex } from '../../../src/core/trail/token-index.ts';
import { keyOf } from '../../support/fakes/an-index.ts';
import { MINUTE, START, TENANTS, Trail } from './a-trail.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const indexed = (trail: Trail) =>
  trail.seals
    .values()
    .map(statementOf)
    .flatMap(({ indexes = [] }) => indexes);

describe('the indexes of a trail', () => {
  it('lead to the same records as reading all of them, at any time and after any pause', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            pause: fc.constantFrom(0, 1, MINUTE, 20 * MINUTE, 5 * HOUR, 50 * HOUR),
            shard: fc.constantFrom(0, 7, 31),
            token: fc.constantFrom('a', 'b', '0f2c7a52-7f0e-4d7e-8a86-0b7f7b1d3c11'),
            seals: fc.integer({ min: 0, max: 3 }),
            isForgotten: fc.boolean(),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        async (writes) => {
          const trail = new Trail();
          let memory = newSealerMemory();
          await trail.seal({ memory });
          for (const { pause, shard, token, seals, isForgotten } of writes) {
            trail.now += pause;
            trail.insert(trail.make(TENANTS[0], shard, { tokens: { mask: [token, 'c'] } }));
            if (isForgotten) memory = newSealerMemory();
            for (let run = 0; run < seals; run += 1) {
              trail.now += 2 * MINUTE;
              await trail.seal({ memory });
            }
            for (const id of ['a', 'c'])
              expect(await trail.found(id, false)).toEqual(await trail.found(id, true));
          }
          trail.now += 60 * HOUR;
          await trail.seal({ memory });
          await trail.seal({ memory });
          expect(await trail.found('c', false)).toHaveLength(writes.length);
          expect((await trail.verify()).broken).toBeUndefined();
        },
      ),
      { numRuns: cases(3) },
    );
  });

  it('are made later if they cannot be written, while the records are sealed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        async (fates, isForgotten) => {
          const trail = new Trail();
          let memory = newSealerMemory();
          let call = 0;
          let failures = 0;
          const store = trail.sealDeps().indexes;
          const failing =
            <Args extends readonly unknown[]>(write: (...args: Args) => Promise<void>) =>
            async (...args: Args) => {
              const fails = fates[call] === true;
              call += 1;
              if (fails) throw new Error('throttled');
              await write(...args);
            };
          const insert = failing((index: TokenIndex) => store.insert(index));
          const list = failing((...of: readonly [number, string]) => store.list(...of));
          const indexes = { ...store, insert, list };
          const onIndexingFailed = () => (failures += 1);
          for (let hour = 0; hour < 30; hour += 1) {
            trail.now = START + hour * HOUR;
            for (const tenant of TENANTS) trail.insert(trail.make(tenant, 1, { tokens: { reveal: ['a'] } }));
            trail.now += 2 * MINUTE;
            if (isForgotten) memory = newSealerMemory();
            const { lagMs } = await trail.seal({ memory, indexes, onIndexingFailed });
            expect(lagMs).toBeLessThanOrEqual(2 * MINUTE);
          }
          for (let run = 0; run < 50; run += 1) {
            trail.now += MINUTE;
            await trail.seal({ memory, indexes, onIndexingFailed });
          }
          expect(failures > 0).toBe(fates.slice(0, call).includes(true));
          expect(indexed(trail).filter(([, level]) => level === 'part')).toHaveLength(30 * TENANTS.length);
          expect(await trail.found('a', false)).toEqual(await trail.found('a', true));
          expect((await trail.verify()).broken).toBeUndefined();
        },
      ),
      { numRuns: cases(3) },
    );
  });

  it('have at most 200,000 entries, so that a partition of DynamoDB takes them in seconds', async () => {
    expect(INDEX_SIZES.most).toBe(200_000);
    const indexSizes = { ...INDEX_SIZES, most: IS_THOROUGH ? INDEX_SIZES.most : 2_000 };
    const count = indexSizes.most / 100 + 10;
    const trail = new Trail();
    await trail.seal();
    const ids = Array.from({ length: 100 }, () => randomUUID());
    for (let at = 0; at < count; at += 1) {
      trail.now = START + at;
      trail.insert(trail.make(TENANTS[0], at % 4, { tokens: { mask: ids } }));
    }
    trail.now = START + 60 * MINUTE;
    await trail.seal({ indexSizes });
    await trail.seal({ indexSizes });
    const parts = indexed(trail).map((each) => [each[1], trail.indexes.get(keyOf(each))?.entries.length]);
    expect(parts).toEqual([
      ['part', indexSizes.most * 8],
      ['part', 1_000 * 8],
    ]);
    expect(await trail.found(ids[0] ?? '', false)).toHaveLength(count);
    expect((await trail.verify()).broken).toBeUndefined();
  });

  it('are one of a trail and hour, then one of its day, and none of an idle trail', async () => {
    const trail = new Trail();
    await trail.seal();
    for (let hour = 0; hour < 30; hour += 1) {
      for (const minute of [0, 30]) {
        trail.now = START + hour * HOUR + minute * MINUTE;
        trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
      }
      trail.now += 12 * MINUTE;
      await trail.seal();
    }
    trail.now = START + 60 * HOUR;
    await trail.seal();
    const levels = indexed(trail).map(([, level]) => level);
    expect(levels.filter((level) => level === 'part').length).toBeLessThanOrEqual(31);
    expect(levels.filter((level) => level === 'day').length).toBe(2);
    expect(new Set(indexed(trail).map(([id]) => id))).toEqual(new Set([TENANTS[0]]));
  });
});

/** An index without entries that no seal names, as a principal who may insert could add it. */
function plant(trail: Trail, { level = 'part', from = START, to = START + MINUTE }: Partial<TokenIndex>) {
  const index = { level, from, to, trail: TENANTS[0], salt: Buffer.alloc(16), entries: Buffer.alloc(0) };
  const hash = `false ${String(trail.indexes.size)}`;
  trail.indexes.set(hash, { ...index, expires: to, hash });
}

/** Makes a trail with a record every ten minutes, and its indexes. */
async function makeBusy(hours: number): Promise<Trail> {
  const trail = new Trail();
  for (let at = 0; at < 6 * hours; at += 1) {
    trail.now = START + at * 10 * MINUTE;
    trail.insert(trail.make(TENANTS[0], 1, { tokens: { reveal: ['a'] } }));
    await trail.seal();
  }
  return trail;
}

const made = new Map<number, Promise<Trail>>();

/** A copy of the busy trail of so many hours, which is made once. */
async function busy(hours: number): Promise<Trail> {
  const trail = made.get(hours) ?? makeBusy(hours);
  made.set(hours, trail);
  return (await trail).copy();
}

it('the salt of an index comes from the signed seal before it, which no caller knows', async () => {
  const trail = await busy(30);
  const named = trail.seals
    .values()
    .map(statementOf)
    .flatMap(({ previous, indexes = [] }) => indexes.map((each) => ({ previous, each })));
  expect(named.length).toBeGreaterThan(25);
  for (const { previous = '', each } of named) {
    const index = trail.indexes.get(keyOf(each));
    expect(previous).not.toBe('');
    expect(index?.salt).toEqual(index && saltOf(Buffer.from(previous, 'base64url'), index));
  }
});

describe('a false index', () => {
  it.each<[string, (now: number) => Partial<TokenIndex>]>([
    ['that ends later than now', (now) => ({ from: now - (now % HOUR), to: now + 1 })],
    ['of a day that is not over', (now) => ({ level: 'day', from: now - (now % DAY), to: now })],
    ['of several days', (now) => ({ level: 'day', from: 0, to: now - 3 * HOUR })],
    ['of several hours', (now) => ({ from: now - 5 * HOUR, to: now })],
    ['that ends before it begins', (now) => ({ from: now + DAY, to: now })],
    ['that begins before 1970', (now) => ({ from: -DAY, to: now })],
  ])('%s hides no record', async (_, of) => {
    const trail = await busy(30);
    plant(trail, of(trail.now));
    const all = await trail.found('a', true);
    expect(all).toHaveLength(180);
    expect(await trail.found('a', false)).toEqual(all);
  });

  it('a false index of the current hour hides what is not indexed yet, until it is', async () => {
    const trail = await busy(2);
    trail.now += MINUTE;
    plant(trail, { from: trail.now - (trail.now % HOUR), to: trail.now });
    const all = await trail.found('a', true);
    const hidden = all.length - (await trail.found('a', false)).length;
    expect(hidden).toBeGreaterThan(0);
    expect(hidden).toBeLessThanOrEqual(6);
    trail.now += HOUR;
    await trail.seal();
    await trail.seal();
    expect(await trail.found('a', false)).toEqual(all);
  });
});

describe('a request for the index of a day', () => {
  const request = (trail: Trail, at: number, day: number, of: string = TENANTS[0]) =>
    trail.requests.push({ id: `${sortableTime(at)}-${String(trail.requests.length)}`, trail: of, day });

  it('is passed over if it is for no whole day that is over', async () => {
    const trail = await busy(30);
    const today = trail.now - (trail.now % DAY);
    const days = [-DAY, -1, today - 1, today - DAY + 1, today, today + DAY, 36 ** 9, Number.MAX_SAFE_INTEGER];
    for (const [at, day] of days.entries()) request(trail, trail.now - 1_000 + at, day);
    const before = indexed(trail).length;
    trail.now += 2 * MINUTE;
    await trail.seal();
    expect(indexed(trail)).toHaveLength(before);
    request(trail, trail.now - 1, today - DAY);
    trail.now += 2 * MINUTE;
    await trail.seal();
    expect(indexed(trail).slice(before)).toEqual([
      [TENANTS[0], 'day', today - DAY, today, expect.any(String)],
    ]);
    expect((await trail.verify({}, { indexContents: true })).broken).toBeUndefined();
  });

  it('is passed over if its trail is none of this service', async () => {
    const trail = await busy(30);
    const yesterday = trail.now - (trail.now % DAY) - DAY;
    const key = trail.key(TENANTS[0]);
    for (const owner of ['x'.repeat(5_000), '\0'.repeat(36), '']) {
      trail.put(trail.make(owner, 1, { tokens: { reveal: ['a'] } }, { at: yesterday + 1, key }));
      request(trail, trail.now, yesterday, owner);
    }
    const before = indexed(trail).length;
    trail.now += 2 * MINUTE;
    await trail.seal();
    expect(indexed(trail)).toHaveLength(before);
  });

  it('does not hide later ones if it seems to be made in the future', async () => {
    const trail = await busy(30);
    const yesterday = trail.now - (trail.now % DAY) - DAY;
    request(trail, trail.now + 9 * DAY, yesterday);
    request(trail, trail.now, yesterday);
    const before = indexed(trail).length;
    for (const rest of [1, 0]) {
      trail.now += 2 * MINUTE;
      await trail.seal();
      if (rest === 1) request(trail, trail.now, yesterday);
      trail.requests.sort((a, b) => (a.id < b.id ? -1 : 1));
    }
    expect(indexed(trail)).toHaveLength(before + 2);
  });
});
