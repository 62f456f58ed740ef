import { IS_THOROUGH } from '../../../packages/local-aws/test/thoroughness.ts';
import { CONSTANT, measureGrowth } from '../../../tools/bench/growth/measure-growth.ts';

/** Few enough for a test; `npm run bench -- growth` goes up to 100,000. */
const [FEW, MANY] = [100, IS_THOROUGH ? 3_000 : 1_000];

describe('calls and units, measured on the wire', () => {
  let few: Awaited<ReturnType<typeof measureGrowth>>;
  let many: typeof few;
  beforeAll(async () => {
    few = await measureGrowth(FEW);
    many = await measureGrowth(MANY);
  }, 120_000);

  it.each(CONSTANT)('"%s" costs the same however many tokens there are', (name) => {
    expect(many[name]).toEqual(few[name]);
  });

  it('would show it if something grew: a Scan does', () => {
    const scan = 'reference: Scan with a filter';
    expect(many[scan].units).toBeGreaterThan(5 * few[scan].units);
  });
});
