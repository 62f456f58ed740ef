import { IS_THOROUGH } from '../../../packages/test-kit/src/thoroughness.ts';
import { BUDGETS } from '../../../tools/bench/budgets.ts';
import { CONSTANT, measureGrowth } from '../../../tools/bench/growth/measure-growth.ts';
import { measureObjects, OF_OBJECTS } from '../../../tools/bench/growth/measure-objects.ts';
import { BOUNDED, measureTrail, OF_TRAIL } from '../../../tools/bench/growth/measure-trail.ts';

/** Few enough for a test; `npm run bench -- growth` goes up to 100,000. */
const FEW = 100;
const MANY = IS_THOROUGH ? 3_000 : 600;

describe('calls and units, measured on the wire', () => {
  let few: Awaited<ReturnType<typeof measureGrowth>>;
  let many: typeof few;
  beforeAll(async () => {
    few = await measureGrowth(FEW);
    many = await measureGrowth(MANY);
  });

  it.each(CONSTANT)('"%s" costs the same for any number of tokens', (name) => {
    expect(many[name]).toEqual(few[name]);
  });

  it('would show growth: a Scan grows', () => {
    const scan = 'reference: Scan with a filter';
    expect(many[scan].units).toBeGreaterThan(5 * few[scan].units);
  });
});

describe('calls and units among few and many objects', () => {
  let few: Awaited<ReturnType<typeof measureObjects>>;
  let many: typeof few;
  beforeAll(async () => {
    few = await measureObjects({ tenants: 2, proxies: 100, reactors: 100 });
    many = await measureObjects({ tenants: 60, proxies: 120, reactors: 150 });
  });

  it.each(OF_OBJECTS)('"%s" costs the same', (name) => {
    expect(many[name]).toEqual(few[name]);
  });
});

describe('calls and units of GET /logs, measured on the wire', () => {
  let few: Awaited<ReturnType<typeof measureTrail>>;
  let many: typeof few;
  beforeAll(async () => {
    few = await measureTrail(1_000);
    many = await measureTrail(IS_THOROUGH ? 100_000 : 10_000);
  });

  it.each(OF_TRAIL)('"%s" cost the same at 1,000 and at ten times as many records', (name) => {
    expect(many[name]).toEqual(few[name]);
    // A query of each partition; by token, for what no index has yet. Then three of the indexes,
    // and one for each record.
    expect(many[name].calls).toBe(name === 'records of a token' ? 32 + 3 + 20 : 32);
  });

  it(`"${BOUNDED}" cost no more than 8,000 records do`, () => {
    expect(few[BOUNDED].calls).toBe(32);
    expect(many[BOUNDED].calls).toBe(32);
    expect(many[BOUNDED].units).toBeGreaterThan(few[BOUNDED].units);
    expect(many[BOUNDED].units).toBeLessThanOrEqual(BUDGETS.filteredTrailUnits);
  });
});
