// `npm run bench -- growth`: calls and units of lists, searches, sweeps, deduplication and
// authentication as tokens, records, tenants, proxies and reactors become many, next to a Scan of
// the table with a filter.
import { BUDGETS } from './budgets.ts';
import { effort } from './effort.ts';
import {
  CONSTANT,
  GROWING,
  measureGrowth,
  type Cost,
  type GrowthOperation,
} from './growth/measure-growth.ts';
import { BOUNDED, measureTrail, OF_TRAIL, type TrailOperation } from './growth/measure-trail.ts';
import { measureObjects, OF_OBJECTS, type ObjectCounts } from './growth/measure-objects.ts';
import { report } from './section.ts';

type Sizes = readonly [number, number, number];
const SIZES = effort<Sizes>(BUDGETS.growth.tokens, [1_000, 1_200, 1_400]);
const RECORDS = effort<Sizes>(BUDGETS.growth.records, [1_000, 1_200, 1_400]);
const OBJECTS = effort<readonly [ObjectCounts, ObjectCounts]>(BUDGETS.growth.objects, [
  { tenants: 2, proxies: 100, reactors: 100 },
  { tenants: 20, proxies: 110, reactors: 110 },
]);

const thousands = (count: number) => count.toLocaleString('en');
const found: Readonly<Record<GrowthOperation, Cost>>[] = [];
const trails: Readonly<Record<TrailOperation, Cost>>[] = [];
for (const size of SIZES) found.push(await measureGrowth(size));
for (const size of RECORDS) trails.push(await measureTrail(size));
const few = await measureObjects(OBJECTS[0]);
const many = await measureObjects(OBJECTS[1]);
const costsOf = (name: GrowthOperation) => found.map((costs) => costs[name]);
const text = ({ calls, units }: Cost) => `${thousands(calls)} calls, ${thousands(units)} units`;

const differing = CONSTANT.filter((name) => new Set(costsOf(name).map(text)).size > 1);
const trailOf = (name: TrailOperation) => trails.map((costs) => costs[name]);
const growing = OF_TRAIL.filter((name) => new Set(trailOf(name).map(text)).size > 1);
const filtered = Math.max(...trailOf(BOUNDED).map(({ units }) => units));
const grown = OF_OBJECTS.filter((name) => text(few[name]) !== text(many[name]));
const named = ({ tenants, proxies, reactors }: ObjectCounts) =>
  `${thousands(tenants)} tenants, ${thousands(proxies)} proxies, ${thousands(reactors)} reactors`;
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
      isExact: true,
    },
    {
      budget: 'get, list, create, authenticate, sweep',
      limit: `as at ${named(OBJECTS[0])}`,
      measured: grown.length === 0 ? `the same at ${named(OBJECTS[1])}` : `differ: ${grown.join('; ')}`,
      reference: '',
      isMet: grown.length === 0,
      isExact: true,
    },
    {
      budget: 'pages of the audit trail, by time and by token',
      limit: `as at ${thousands(RECORDS[0])}`,
      measured:
        growing.length === 0
          ? `the same at ${thousands(RECORDS[2])} records`
          : `differ: ${growing.join('; ')}`,
      reference: '',
      isMet: growing.length === 0,
      isExact: true,
    },
    {
      budget: 'read units of a page of the audit trail whose filter matches nothing',
      limit: String(BUDGETS.filteredTrailUnits),
      measured: String(filtered),
      reference: '',
      isMet: filtered <= BUDGETS.filteredTrailUnits,
      isExact: true,
    },
  ],
  figures: [
    {
      title: 'Growth',
      columns: ['', ...SIZES.map((size) => `${thousands(size)} tokens`)],
      rows: [...CONSTANT, ...GROWING].map((name) => [name, ...costsOf(name).map(text)]),
      note: 'Calls and units of the storage alone, without authentication. A list by number also counts, up to 10,000 entries.',
    },
    {
      title: 'Growth of the audit trail',
      columns: ['', ...RECORDS.map((size) => `${thousands(size)} records`)],
      rows: [...OF_TRAIL, BOUNDED].map((name) => [name, ...trailOf(name).map(text)]),
      note: 'Pages of 20 of `GET /logs`, without authentication and without its own record.',
    },
    {
      title: 'Growth of tenants, proxies and reactors',
      columns: ['', ...OBJECTS.map(named)],
      rows: OF_OBJECTS.map((name) => [name, text(few[name]), text(many[name])]),
      note: 'Proxies and reactors are of one tenant. Calls and units of the storage alone.',
    },
  ],
});
