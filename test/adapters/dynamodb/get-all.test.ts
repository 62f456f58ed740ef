import type { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { getAll } from '../../../src/adapters/dynamodb/get-all.ts';

const KEYS = ['a', 'b', 'c'].map((pk) => ({ pk, sk: 'x' }));

/** A table that answers, of what each call asks for, all but what it leaves for later. */
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
  return { table: { client: { send } as unknown as DynamoDBDocumentClient, name: 'table' }, calls };
}

describe('a batch that DynamoDB throttles', () => {
  it('asks again for what is missing alone', async () => {
    const { table, calls } = aTable((asked) => asked.slice(1));
    const items = await getAll(table, KEYS);
    expect(items.map(({ pk }) => pk)).toEqual(['a', 'b', 'c']);
    expect(calls).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']]);
  });

  it('gives up after some tries', async () => {
    const { table, calls } = aTable((asked) => asked);
    await expect(getAll(table, KEYS)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    expect(calls.length).toBe(8);
  });
});
