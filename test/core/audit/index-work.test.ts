import { cases, fc } from '../../../packages/local-aws/test/properties.ts';
import { statementOf } from '../../../src/core/audit/seal.ts';
import { newSealerMemory } from '../../../src/core/audit/seal-trail.ts';
import { whoSawStep } from '../../../src/core/audit/who-saw.ts';
import { someIndexPages } from '../../support/fakes/an-index.ts';
import { someRecordsAt, someTrailPages } from '../../support/fakes/an-audit-trail.ts';
import { MINUTE, START, TENANTS, Trail } from './a-trail.ts';

const HOUR = 60 * MINUTE;

/** Positions of the records that name a token, by the index or by reading all of them. */
async function found(trail: Trail, tokenId: string, withoutIndex: boolean) {
  const deps = {
    trailPages: someTrailPages(trail.records),
    indexPages: someIndexPages(trail),
    recordsAt: someRecordsAt(trail.records),
    referredIds: () => Promise.resolve(trail.ids),
    clock: () => trail.now,
  };
  const seen: string[] = [];
  let before: string | undefined;
  do {
    const step = await whoSawStep(deps, TENANTS[0], { tokenId, withoutIndex }, before);
    seen.push(...step.views.map(({ position }) => position));
    before = step.next;
  } while (before !== undefined);
  return seen;
}

const indexed = (trail: Trail) =>
  [...trail.seals.values()].map(statementOf).flatMap(({ indexes = [] }) => indexes);

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
              expect(await found(trail, id, false)).toEqual(await found(trail, id, true));
          }
          trail.now += 60 * HOUR;
          await trail.seal({ memory });
          await trail.seal({ memory });
          expect(await found(trail, 'c', false)).toHaveLength(writes.length);
          expect((await trail.verify()).broken).toBeUndefined();
        },
      ),
      { numRuns: cases(15) },
    );
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
