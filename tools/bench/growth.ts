// `npm run bench -- growth`: calls and units of lists, searches, sweeps, deduplication and
// authentication at 1,000, 10,000 and 100,000 tokens, beside a Scan of the table with a filter.
import { BUDGETS } from './budgets.ts';
import {
  CONSTANT,
  GROWING,
  measureGrowth,
  type Cost,
  type GrowthOperation,
} from './growth/measure-growth.ts';
import { report } from './section.ts';

const SIZES = BUDGETS.growth.tokens;

const thousands = (count: number) => count.toLocaleString('en');
const found: Readonly<Record<GrowthOperation, Cost>>[] = [];
for (const size of SIZES) found.push(await measureGrowth(size));
const costsOf = (name: GrowthOperation) => found.map((costs) => costs[name]);
const text = ({ calls, units }: Cost) => `${thousands(calls)} calls, ${thousands(units)} units`;

const differing = CONSTANT.filter((name) => new Set(costsOf(name).map(text)).size > 1);
const scan = costsOf('reference: Scan with a filter').at(-1);

report({
  budgets: [
    {
      budget: 'list, search, filter, sweep, dedupe, authenticate',
      limit: `as at ${thousands(SIZES[0])}`,
      measured:
        differing.length === 0
          ? `the same at ${thousands(SIZES[2])} tokens`
          : `differ: ${differing.join('; ')}`,
      reference: `a Scan: ${thousands(scan?.units ?? NaN)} units`,
      isMet: differing.length === 0,
    },
  ],
  figures: [
    {
      title: 'Growth',
      columns: ['', ...SIZES.map((size) => `${thousands(size)} tokens`)],
      rows: [...CONSTANT, ...GROWING].map((name) => [name, ...costsOf(name).map(text)]),
      note: 'Calls and units of the storage alone, without authentication. A list by number also counts, up to 10,000 entries.',
    },
  ],
});
