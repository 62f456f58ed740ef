import { planOf, type Plan } from './plan.ts';
import type { Result } from './run.ts';
import { shrink } from './shrink.ts';
import { storyOf } from './story.ts';

const FAULTS = 40;
const resultOf = (plan: Plan, isBroken: boolean): Result => ({
  plan,
  problems: isBroken ? [{ judge: 'lost', text: 'a write is lost' }] : [],
  events: [
    { at: 61_001, who: 'c0', what: 'POST /tokens' },
    { at: 61_005, who: 'tokens 1', what: 'PutItem 200' },
    { at: 61_007, who: 'tokens 1', what: 'PutItem (lost) 200' },
    { at: 61_009, who: 'judge', what: 'GET /tokens 200' },
    { at: 61_010, who: 'judge', what: 'BROKEN (lost): a write is lost' },
  ],
  items: [],
  counts: new Map(),
  faults: FAULTS,
  lastedMs: 0,
});

const seedWithFaults = (): Plan => {
  for (let seed = 1; ; seed += 1) {
    const plan = planOf(String(seed));
    if (plan.faults.dynamodb.lost > 0 && plan.life.death > 0 && plan.clients.length > 2) return plan;
  }
};

it('a plan is reduced to the steps and the faults that break the promise', async () => {
  const first = seedWithFaults();
  const ids = first.clients.flat().map(({ id }) => id);
  const needed = [ids[3], ids.at(-2)];
  const isBroken = ({ clients, faults, spared }: Plan) =>
    needed.every((id) => clients.flat().some((step) => step.id === id)) &&
    faults.dynamodb.lost > 0 &&
    !spared.includes(7);
  let runs = 0;
  const { plan, problems } = await shrink(resultOf(first, true), (next) => {
    runs += 1;
    return Promise.resolve(resultOf(next, isBroken(next)));
  });
  expect(problems).toHaveLength(1);
  expect(plan.clients.flat().map(({ id }) => id)).toEqual(needed);
  expect(plan.faults.kms).toEqual(expect.objectContaining({ lost: 0, slow: 0 }));
  expect(Object.values(plan.faults.dynamodb).filter((rate) => rate > 0)).toHaveLength(1);
  expect([plan.life.death, plan.lagMs, plan.paceMs]).toEqual([0, 0, 0]);
  expect(plan.spared).toEqual(Array.from({ length: FAULTS }, (_, index) => index + 1).filter((n) => n !== 7));
  expect(runs).toBeLessThan(200);
});

it('another broken promise is no reduction', async () => {
  const first = seedWithFaults();
  const other = { judge: 'gone', text: 'something else' };
  const { plan } = await shrink(resultOf(first, true), (next) =>
    Promise.resolve({ ...resultOf(next, false), problems: [other] }),
  );
  expect(plan).toEqual(first);
});

it('a story has the requests, the faults and the broken promise, and no call that went well', () => {
  const story = storyOf(resultOf(seedWithFaults(), true));
  expect(story).toMatch(/^seed \d+: lost: a write is lost\nfaults: dynamodb /);
  const lines = story.split('\n').slice(2);
  expect(lines).toEqual([
    '  00:01:01.001  c0              POST /tokens',
    '  00:01:01.007  tokens 1        PutItem (lost) 200',
    '  00:01:01.010  judge           BROKEN (lost): a write is lost',
  ]);
});
