// crash.test.ts runs and kills it in a separate process: writes transactions without end and prints
// the acknowledged ones.
import { writeSync } from 'node:fs';
import { aDynamoDb, aThing, n, s, thingKey } from './a-dynamodb.ts';

const [, , directory = '', firstRound = '0', worker = ''] = process.argv;
const { send } = await aDynamoDb(directory);

/**
 * One round puts two items, moves the previous one to another group and deletes the one before
 * that.
 */
async function write(round: number, lane: string): Promise<void> {
  const name = (offset: number): string => `${worker}${lane}-${String(round - offset)}`;
  await send('TransactWriteItems', {
    TransactItems: [
      {
        Put: {
          TableName: 'Things',
          Item: aThing(name(0), '1', { group: s('new'), rank: n(round), round: n(round) }),
        },
      },
      { Put: { TableName: 'Plain', Item: { id: s(name(0)), v: s('x'.repeat(2000)) } } },
      {
        Update: {
          TableName: 'Things',
          Key: thingKey(name(1)),
          UpdateExpression: 'SET #g = :old, #r = if_not_exists(#r, :round)',
          ExpressionAttributeNames: { '#g': 'group', '#r': 'rank' },
          ExpressionAttributeValues: { ':old': s('old'), ':round': n(round - 1) },
        },
      },
      { Delete: { TableName: 'Things', Key: thingKey(name(2)) } },
    ],
  });
  writeSync(1, `${name(0)}\n`);
}

async function lane(name: string): Promise<never> {
  for (let round = Number(firstRound); ; round += 1) await write(round, name);
}

writeSync(1, 'ready\n');
await Promise.all(['a', 'b', 'c'].map(lane));
