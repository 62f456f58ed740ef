// `npm run bench -- growth`: calls and units of lists, searches, sweeps, deduplication and
// authentication at 1,000, 10,000 and 100,000 tokens, beside a Scan of the table with a filter.
import {
  CONSTANT,
  GROWING,
  measureGrowth,
  type Cost,
  type GrowthOperation,
} from './growth/measure-growth.ts';
import { report, type Budget } from './section.ts';

const SIZES = [1_000, 10_000, 100_000];

const thousands = (count: number) => count.toLocaleString('en');
const found: Readonly<Record<GrowthOperation, Cost>>[] = [];
for (const size of SIZES) found.push(await measureGrowth(size));
const costsOf = (name: GrowthOperation) => found.map((costs) => costs[name]);
const text = ({ calls, units }: Cost) => `${thousands(calls)} calls, ${thousands(units)} units`;

report({
  budgets: CONSTANT.map((name): Budget => {
    const costs = costsOf(name);
    const texts = [...new Set(costs.map(text))];
    const scan = costsOf('reference: Scan with a filter').at(-1);
    return {
      budget: `${name}, at ${SIZES.map(thousands).join(', ')} tokens`,
      limit: 'the same',
      measured: texts.join('; '),
      reference: `Scan of ${thousands(SIZES.at(-1) ?? 0)}: ${scan === undefined ? '' : text(scan)}`,
      isMet: texts.length === 1,
    };
  }),
  figures: [
    {
      title: 'Growth',
      columns: ['', ...SIZES.map((size) => `${thousands(size)} tokens`)],
      rows: [...CONSTANT, ...GROWING].map((name) => [name, ...costsOf(name).map(text)]),
      note: 'Calls and units of the storage alone, without authentication. A list by number also counts, up to 10,000 entries.',
    },
  ],
});
