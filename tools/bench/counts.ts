// `npm run bench -- counts`: what each operation does on the wire to AWS, as the first request of a
// fresh instance and as a later one, and what a million of them costs by AWS's list prices.
import { measureCounts, type OperationCount } from './counts/measure-counts.ts';
import { pricesOf } from './counts/prices.ts';
import type { WireCost } from './counts/wire.ts';
import { report, type Budget } from './section.ts';

const counts = await measureCounts();

function countOf(wanted: string): OperationCount {
  const found = counts.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`${wanted} was not counted`);
  return found;
}

const calls = (count: number) => `${String(count)} ${count === 1 ? 'call' : 'calls'}`;

function callBudget(
  name: string,
  when: 'warm' | 'cold',
  limits: { readonly calls?: number; readonly sequential: number },
): Budget {
  const { calls: count, sequential, names } = countOf(name)[when];
  const total = limits.calls === undefined ? '' : `${calls(limits.calls)}, `;
  return {
    budget: `AWS calls, ${when}: ${name}`,
    limit: `${total}${String(limits.sequential)} in sequence`,
    measured: `${calls(count)}, ${String(sequential)} in sequence (${names})`,
    reference: '',
    isMet: count <= (limits.calls ?? Infinity) && sequential <= limits.sequential,
  };
}

/** The item itself, and its copies in the indexes `list` and `fingerprint`. */
const CARD_WRITE_UNITS = 3;
const { warm: card } = countOf('create a card');
const kmsCalls = counts.reduce((sum, { warm }) => sum + warm.kmsCalls, 0);
const coldKmsCalls = Math.max(...counts.map(({ cold }) => cold.kmsCalls));

const cells = ({
  calls: count,
  sequential,
  readUnits,
  writeUnits,
  kmsCalls: kms,
  bytesOut,
  bytesIn,
}: WireCost) =>
  [count, sequential, readUnits, writeUnits, kms, bytesOut, bytesIn].map((value) =>
    value.toLocaleString('en'),
  );
const rowsOf = ({ name, cold, warm, afterwards }: OperationCount) => [
  [name, 'warm', ...cells(warm), warm.names],
  ['', 'cold', ...cells(cold), cold.names],
  ...afterwards.map((each) => [each.name, '', ...cells(each.warm), each.warm.names]),
];
const dollars = (value: number) => (value === 0 ? '' : value.toFixed(2));

report({
  budgets: [
    callBudget('get a card', 'warm', { calls: 1, sequential: 1 }),
    callBudget('create a card', 'warm', { calls: 2, sequential: 2 }),
    callBudget('PATCH a card', 'warm', { calls: 2, sequential: 2 }),
    callBudget('delete a card', 'warm', { calls: 2, sequential: 2 }),
    callBudget('detokenize 100', 'warm', { sequential: 2 }),
    callBudget('get a card', 'cold', { sequential: 2 }),
    callBudget('create a card', 'cold', { sequential: 3 }),
    callBudget('PATCH a card', 'cold', { sequential: 3 }),
    callBudget('list 20 by cursor', 'cold', { sequential: 4 }),
    {
      budget: 'KMS calls of all warm operations',
      limit: '0',
      measured: String(kmsCalls),
      reference: '',
      isMet: kmsCalls === 0,
    },
    {
      budget: 'KMS calls of any cold operation',
      limit: '1',
      measured: String(coldKmsCalls),
      reference: '',
      isMet: coldKmsCalls <= 1,
    },
    {
      budget: 'write units of a default card',
      limit: `${String(CARD_WRITE_UNITS)}: 1 and those of 2 index copies`,
      measured: String(card.writeUnits),
      reference: '',
      isMet: card.writeUnits <= CARD_WRITE_UNITS,
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
        'KMS',
        'bytes out',
        'bytes in',
        'which',
      ],
      rows: counts.flatMap(rowsOf),
    },
    {
      title: 'Dollars per million operations',
      columns: ['operation', 'DynamoDB', 'Lambda', 'API Gateway', 'SQS', 'KMS', 'logs', 'traces', 'total'],
      rows: (await pricesOf(counts)).map(
        ({ name, database, lambda, gateway, queues, keys, logs, traces, total }) => [
          name,
          ...[database, lambda, gateway, queues, keys, logs, traces, total].map(dollars),
        ],
      ),
    },
  ],
});
