import { whoSawStep, type WhoSaw } from '../../../src/core/trail/who-saw.ts';
import { MINUTE, START, TENANTS, Trail } from './a-trail.ts';

/** A trail with one record a minute, oldest first. */
function trailOf(...entries: readonly Parameters<Trail['make']>[2][]): Trail {
  const trail = new Trail();
  for (const [minute, entry] of entries.entries()) {
    trail.now = START + minute * MINUTE;
    trail.insert(trail.make(TENANTS[0], 1, entry));
  }
  return trail;
}

/** The operations that all steps find together. */
async function seen(trail: Trail, asked: Partial<WhoSaw>, of: string = TENANTS[0]) {
  const operations: string[] = [];
  let before: string | undefined;
  let steps = 0;
  do {
    const step = await whoSawStep(
      trail.searchDeps(),
      of,
      { tokenId: 'a', withoutIndex: false, ...asked },
      before,
    );
    operations.push(...step.views.map(({ entry }) => entry.op));
    before = step.next;
    steps += 1;
  } while (before !== undefined);
  return { operations, steps };
}

const listed = { op: 'listTokens', tokens: { mask: ['a', 'b'] } };
const shown = { op: 'getToken', tokens: { reveal: ['a'] } };
const other = { op: 'getToken', tokens: { reveal: ['b'] } };
const deleted = { op: 'deleteToken', tokens: { delete: ['a'] } };

describe('the list of records of a token', () => {
  it('is newest first, without other tokens and tenants', async () => {
    const trail = trailOf(shown, other, deleted);
    expect(await seen(trail, {})).toEqual({ operations: ['deleteToken', 'getToken'], steps: 1 });
    expect((await seen(trail, {}, TENANTS[1])).operations).toEqual([]);
  });

  it.each([false, true])('includes records that show it masked with others (%s)', async (withoutIndex) => {
    const trail = trailOf(shown, listed, other);
    expect((await seen(trail, { withoutIndex })).operations).toEqual(['listTokens', 'getToken']);
  });

  it('covers a range with an inclusive start and an exclusive end', async () => {
    const trail = trailOf(shown, deleted, shown);
    const range = { from: START + MINUTE, to: START + 2 * MINUTE };
    expect((await seen(trail, range)).operations).toEqual(['deleteToken']);
    expect((await seen(trail, { ...range, withoutIndex: true })).operations).toEqual(['deleteToken']);
  });

  it('has each record once, in several steps', async () => {
    const trail = trailOf(...Array.from({ length: 620 }, (_, at) => ({ ...shown, op: `op${String(at)}` })));
    for (const withoutIndex of [false, true]) {
      const { operations, steps } = await seen(trail, { withoutIndex });
      expect(new Set(operations).size).toBe(620);
      expect(operations).toHaveLength(620);
      expect(steps).toBeGreaterThan(2);
    }
  });

  it('leaves out expired records', async () => {
    const trail = trailOf(shown);
    trail.now += 401 * 24 * 60 * MINUTE;
    expect((await seen(trail, {})).operations).toEqual([]);
  });
});
