import { createDynamoDb } from '../../src/dynamodb/create-dynamodb.ts';
import { account, aCall, aThing, n, s, thingKey, things, type Response } from './a-dynamodb.ts';

/** A table that had one item with rank 1 at time 0, and rank 2 from time 1,000 on. */
async function aChangedTable(lagMs: number) {
  let now = 0;
  const service = await createDynamoDb({ ...account, now: () => now, lagMs: () => lagMs });
  await service.createTable(things);
  const send = async (operation: string, input: object): Promise<Response> =>
    JSON.parse((await service.handle(aCall(operation, input))).body.toString()) as Response;
  const put = (rank: number) =>
    send('PutItem', { TableName: 'Things', Item: aThing('a', '1', { group: s('g'), rank: n(rank) }) });
  await put(1);
  now = 1_000;
  await put(2);
  now = 1_500;
  return send;
}

const rankOf = ({ Item, Items }: Response) => (Item ?? Items?.[0])?.['rank']?.N;

const READS = {
  GetItem: { Key: thingKey('a', '1') },
  Query: { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': s('a') } },
  Scan: {},
} as const;

describe('reads that lag', () => {
  it.each(Object.keys(READS) as (keyof typeof READS)[])(
    'an eventually consistent %s sees the content of then, and a consistent one that of now',
    async (operation) => {
      for (const [lagMs, seen] of [
        [0, '2'],
        [499, '2'],
        [501, '1'],
        [1_400, '1'],
      ] as const) {
        const send = await aChangedTable(lagMs);
        const read = { TableName: 'Things', ...READS[operation] };
        expect(rankOf(await send(operation, read))).toBe(seen);
        expect(rankOf(await send(operation, { ...read, ConsistentRead: true }))).toBe('2');
      }
    },
  );

  it('an index shows the entries of then', async () => {
    const send = await aChangedTable(700);
    const entries = await send('Query', {
      TableName: 'Things',
      IndexName: 'by-rank',
      KeyConditionExpression: '#group = :g',
      ExpressionAttributeNames: { '#group': 'group' },
      ExpressionAttributeValues: { ':g': s('g') },
    });
    expect(rankOf(entries)).toBe('1');
  });

  it('a batch lags for the tables that ask for no consistent read', async () => {
    const send = await aChangedTable(700);
    const Keys = [thingKey('a', '1')];
    const ranks = async (more: object) => {
      const { Responses } = await send('BatchGetItem', { RequestItems: { Things: { Keys, ...more } } });
      return (Responses as { Things: { rank: { N: string } }[] }).Things.map(({ rank }) => rank.N);
    };
    expect([await ranks({}), await ranks({ ConsistentRead: true })]).toEqual([['1'], ['2']]);
  });
});
