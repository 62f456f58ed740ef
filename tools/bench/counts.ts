// `npm run bench -- counts`: the AWS calls of each operation, as the first request of a new
// instance and as a later one, and the price of a million of them by AWS's list prices.
import { BUDGETS } from './budgets.ts';
import { effort } from './effort.ts';
import { measureCounts, type OperationCount } from './counts/measure-counts.ts';
import { pricesOf } from './counts/prices.ts';
import { measureReads } from './counts/measure-reads.ts';
import type { WireCost } from './counts/wire.ts';
import { report, type Budget } from './section.ts';

/** The operations that the budgets name. */
const FEWEST = [...Object.keys(BUDGETS.warmCalls), ...Object.keys(BUDGETS.coldCallsInSequence)];

const counts = await measureCounts(effort(undefined, (name: string) => FEWEST.includes(name)));

function countOf(wanted: string): OperationCount {
  const found = counts.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`${wanted} was not counted`);
  return found;
}

/** A budget for a count, which has no reference. */
const counted = (budget: string, limit: number, measured: number, which = ''): Budget => ({
  budget,
  limit: String(limit),
  measured: `${String(measured)}${which}`,
  reference: '',
  isMet: measured <= limit,
  isExact: true,
});

const { warm: card } = countOf('create a card');
const get = countOf('get a card');
const kmsCalls = counts.reduce((sum, { warm }) => sum + warm.kmsCalls, 0);
const coldKmsCalls = Math.max(...counts.map(({ cold }) => cold.kmsCalls));

const { hotItem } = BUDGETS;
const reads = await measureReads();
const [mostRead] = reads.toSorted((a, b) => b.most - a.most) as [(typeof reads)[number]];
const percent = (share: number) => `${(100 * share).toFixed(0)}%`;

const cells = ({
  calls: count,
  sequential,
  readUnits,
  writeUnits,
  auditUnits,
  kmsCalls: kms,
  bytesOut,
  bytesIn,
}: WireCost) =>
  [count, sequential, readUnits, writeUnits, auditUnits, kms, bytesOut, bytesIn].map((value) =>
    value.toLocaleString('en'),
  );
const rowsOf = ({ name, cold, warm, trailBytes, afterwards }: OperationCount) => [
  [name, 'warm', ...cells(warm), trailBytes.toLocaleString('en'), warm.names],
  ['', 'cold', ...cells(cold), '', cold.names],
  ...afterwards.map((each) => [each.name, '', ...cells(each.warm), '', each.warm.names]),
];
const dollars = (value: number) => (value === 0 ? '' : value.toFixed(2));

report({
  budgets: [
    ...Object.entries(BUDGETS.warmCalls).map(([name, limit]) => {
      const { calls, names } = countOf(name).warm;
      return counted(`AWS calls, warm: ${name}`, limit, calls, ` (${names})`);
    }),
    ...Object.entries(BUDGETS.coldCallsInSequence).map(([name, limit]) => {
      const { calls, sequential } = countOf(name).cold;
      return counted(`AWS calls in sequence, cold: ${name}`, limit, sequential, ` of ${String(calls)} calls`);
    }),
    counted('AWS calls of the audit trail, warm: get a card', BUDGETS.auditCalls.warm, get.warm.auditCalls),
    counted('AWS calls of the audit trail, cold: get a card', BUDGETS.auditCalls.cold, get.cold.auditCalls),
    counted('write units of the audit trail: get a card', BUDGETS.auditWriteUnits, get.warm.auditUnits),
    counted('KMS calls of all warm operations', BUDGETS.kmsCalls.warm, kmsCalls),
    counted('KMS calls of any cold operation', BUDGETS.kmsCalls.cold, coldKmsCalls),
    counted('write units of a default card', BUDGETS.cardWriteUnits, card.writeUnits - card.auditUnits),
    {
      budget: 'most reads of one item by one API key',
      limit: `${percent(hotItem.share)} of requests`,
      measured: `${percent(mostRead.most / mostRead.requests)} (${mostRead.name})`,
      reference: `${String(hotItem.requests)} of ${String(hotItem.instances)} instances`,
      isMet: mostRead.most <= hotItem.share * mostRead.requests,
    },
  ],
  figures: [
    {
      title: 'On the wire',
      columns: [
        'operation',
        '',
        'calls',
        'in sequence',
        'read units',
        'write units',
        'of the audit trail',
        'KMS',
        'bytes out',
        'bytes in',
        'trail bytes stored',
        'which',
      ],
      rows: counts.flatMap(rowsOf),
      note: 'What is stored of the trail includes the records of programs afterwards, and the 100 bytes that DynamoDB bills for each item.',
    },
    {
      title: 'Reads of items by one API key',
      columns: ['requests', '', 'reads', 'different items', 'most of one item'],
      rows: reads.map(({ name, requests, all, items, most }) => [
        ...[name, ...[requests, all, items, most].map(String)],
      ]),
      note: `${String(hotItem.instances)} instances that are cold at first. Of the table that holds credentials and tenants.`,
    },
    {
      title: 'Dollars per million operations',
      columns: [
        'operation',
        'DynamoDB',
        'audit trail',
        'Lambda',
        'API Gateway',
        'SQS',
        'KMS',
        'logs',
        'traces',
        'total',
        'over retention',
      ],
      rows: pricesOf(counts).map(
        ({ name, database, audit, lambda, gateway, queues, keys, logs, traces, total, overRetention }) => [
          name,
          ...[database, audit, lambda, gateway, queues, keys, logs, traces, total, overRetention].map(
            dollars,
          ),
        ],
      ),
    },
  ],
});
