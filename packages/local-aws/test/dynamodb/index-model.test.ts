import { cases, fc } from '../../../test-kit/src/properties.ts';
import type { Item } from '../../src/dynamodb/item.ts';
import { aDynamoDb, aThing, n, s, thingKey, type TestDynamoDb } from './a-dynamodb.ts';

interface Write {
  readonly pk: string;
  readonly kind: 'put' | 'delete' | 'update';
  readonly group: string | undefined;
  readonly rank: number | undefined;
  readonly name: string | undefined;
}

const write = fc.record<Write>({
  pk: fc.constantFrom('a', 'b', 'c', 'd'),
  kind: fc.constantFrom('put', 'put', 'update', 'delete'),
  group: fc.constantFrom('g', 'h', undefined),
  rank: fc.constantFrom(1, 2, undefined),
  name: fc.constantFrom('x', 'y', undefined),
});

function itemOf({ pk, group, rank, name }: Write): Item {
  return aThing(pk, '1', {
    ...(group !== undefined && { group: s(group) }),
    ...(rank !== undefined && { rank: n(rank) }),
    ...(name !== undefined && { name: s(name) }),
  });
}

function updateOf({ pk, group }: Write): object {
  return {
    TableName: 'Things',
    Key: thingKey(pk),
    UpdateExpression: group === undefined ? 'REMOVE #g' : 'SET #g = :g',
    ExpressionAttributeNames: { '#g': 'group' },
    ...(group !== undefined && { ExpressionAttributeValues: { ':g': s(group) } }),
  };
}

async function single({ send }: TestDynamoDb, step: Write): Promise<void> {
  if (step.kind === 'put') await send('PutItem', { TableName: 'Things', Item: itemOf(step) });
  else if (step.kind === 'delete') await send('DeleteItem', { TableName: 'Things', Key: thingKey(step.pk) });
  else await send('UpdateItem', updateOf(step));
}

async function together({ send }: TestDynamoDb, steps: readonly Write[]): Promise<void> {
  const distinct = [...new Map(steps.map((step) => [step.pk, step])).values()];
  const TransactItems = distinct.map((step) => {
    if (step.kind === 'put') return { Put: { TableName: 'Things', Item: itemOf(step) } };
    if (step.kind === 'delete') return { Delete: { TableName: 'Things', Key: thingKey(step.pk) } };
    return { Update: updateOf(step) };
  });
  await send('TransactWriteItems', { TransactItems });
}

const sorted = (items: readonly Item[] | undefined): readonly string[] =>
  (items ?? []).map((item) => JSON.stringify(Object.entries(item).toSorted())).toSorted();

const pick = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));

it('every index contains exactly the projections of the items that have its keys, after any writes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(write, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
      async (rounds) => {
        const database = await aDynamoDb();
        for (const steps of rounds) {
          const [only, ...others] = steps;
          if (only !== undefined && others.length === 0) await single(database, only);
          else await together(database, steps);
        }
        const items = (await database.send('Scan', { TableName: 'Things' })).Items ?? [];
        const index = async (IndexName: string) =>
          (await database.send('Scan', { TableName: 'Things', IndexName })).Items;
        const having = (...names: string[]) =>
          items.filter((item) => names.every((name) => item[name] !== undefined));
        expect(sorted(await index('by-group'))).toEqual(
          sorted(having('group').map((item) => pick(item, ['pk', 'sk', 'group']))),
        );
        expect(sorted(await index('by-rank'))).toEqual(sorted(having('group', 'rank')));
        expect(sorted(await index('whole'))).toEqual(sorted(having('rank')));
      },
    ),
    { numRuns: cases(20) },
  );
});
