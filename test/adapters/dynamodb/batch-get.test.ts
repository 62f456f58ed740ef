import type { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../../../src/adapters/dynamodb/batch-get.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const KEYS = ['a', 'b', 'c'].map((pk) => ({ pk, sk: 'x' }));

/**
 * A table that returns all requested items of each call except those that it leaves unprocessed.
 */
function aTable(leaves: (asked: readonly string[]) => readonly string[]) {
  const calls: (readonly string[])[] = [];
  const send = ({ input }: BatchGetCommand) => {
    const keys = input.RequestItems?.['table']?.Keys ?? [];
    const asked = keys.map(({ pk }) => String(pk));
    calls.push(asked);
    const left = leaves(asked);
    return Promise.resolve({
      Responses: { table: keys.filter(({ pk }) => !left.includes(String(pk))) },
      UnprocessedKeys:
        left.length === 0 ? {} : { table: { Keys: keys.filter(({ pk }) => left.includes(String(pk))) } },
    });
  };
  return {
    table: {
      client: { send } as unknown as DynamoDBDocumentClient,
      platform: machinePlatform,
      name: 'table',
    },
    calls,
  };
}

describe('a batch that DynamoDB throttles', () => {
  it('requests only the missing items again', async () => {
    const { table, calls } = aTable((asked) => asked.slice(1));
    const items = await batchGet(table, KEYS);
    expect(items.map(({ pk }) => pk)).toEqual(['a', 'b', 'c']);
    expect(calls).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']]);
  });

  it('fails after some attempts', async () => {
    const { table, calls } = aTable((asked) => asked);
    await expect(batchGet(table, KEYS)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    expect(calls.length).toBe(8);
  });
});
