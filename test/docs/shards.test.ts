import { readFileSync } from 'node:fs';
import { LIST_SHARDS } from '../../src/adapters/dynamodb/token-tables.ts';
import { TRAIL_SHARDS } from '../../src/core/audit/audit-record.ts';

/** Stored keys contain a shard: with fewer of them, a list or a trail would miss what exists. */
it.each([
  ['docs/storage.md', /^\| list 20 by cursor .*Query (\d+),/m, LIST_SHARDS],
  ['docs/audit.md', /^\| `shard` .* 00 to (\d+):/m, TRAIL_SHARDS - 1],
])('%s states the shards of stored keys', (page, row, expected) => {
  expect(Number(row.exec(readFileSync(page, 'utf8'))?.[1])).toBe(expected);
});
