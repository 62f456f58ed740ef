import { createHash } from 'node:crypto';
import { cases, fc } from '../../../test-kit/src/properties.ts';
import type { Item } from '../../src/dynamodb/item.ts';
import { aDynamoDb, aThing, n, ofBytes, s, thingKey, type TestDynamoDb } from './a-dynamodb.ts';

async function putThings(database: TestDynamoDb, items: readonly Item[]): Promise<void> {
  await Promise.all(items.map((Item) => database.send('PutItem', { TableName: 'Things', Item })));
}

/** Follows LastEvaluatedKey to the end. */
async function allPages({ send }: TestDynamoDb, target: string, input: object): Promise<readonly Item[][]> {
  const pages: Item[][] = [];
  let start: Item | undefined;
  do {
    const page = await send(target, { ...input, ...(start !== undefined && { ExclusiveStartKey: start }) });
    pages.push([...(page.Items ?? [])]);
    start = page.LastEvaluatedKey;
    if (pages.length > 1000) throw new Error('the pages never end');
  } while (start !== undefined);
  return pages;
}

const byGroup = (group: string, IndexName: string): object => ({
  TableName: 'Things',
  IndexName,
  KeyConditionExpression: '#g = :g',
  ExpressionAttributeNames: { '#g': 'group' },
  ExpressionAttributeValues: { ':g': s(group) },
});

describe('paging', () => {
  it.each([true, false])(
    'every item of an index is returned exactly once, forward %s',
    async (ScanIndexForward) => {
      const database = await aDynamoDb();
      // Many items under one index key: dynalite alone would place some of them on top of each
      // other.
      const things = Array.from({ length: 300 }, (_, index) =>
        aThing(`p${String(index)}`, '1', { group: s('g') }),
      );
      await putThings(database, things);
      for (const Limit of [1, 7, 100]) {
        const pages = await allPages(database, 'Query', {
          ...byGroup('g', 'by-group'),
          Limit,
          ScanIndexForward,
        });
        const names = pages.flat().map(({ pk }) => pk?.S);
        expect(names).toHaveLength(300);
        expect(new Set(names).size).toBe(300);
        expect(pages.every((page) => page.length <= Limit)).toBe(true);
      }
    },
  );

  /** Two partition keys whose index entries dynalite alone would give the same key. */
  function collidingKeys(): readonly [string, string] {
    const seen = new Map<string, string>();
    for (let index = 0; ; index += 1) {
      const pk = `p${String(index)}`;
      const hash = createHash('md5').update(`Outliers${pk}1`).digest('hex').slice(0, 6);
      const other = seen.get(hash);
      if (other !== undefined) return [other, pk];
      seen.set(hash, pk);
    }
  }

  it.each([true, false])(
    'entries with the same hash are both returned, across pages, forward %s',
    async (forward) => {
      const database = await aDynamoDb();
      const keys = collidingKeys();
      await putThings(
        database,
        keys.map((pk) => aThing(pk, '1', { group: s('g') })),
      );
      const query = { ...byGroup('g', 'by-group'), Limit: 1, ScanIndexForward: forward };
      const pages = await allPages(database, 'Query', query);
      expect(
        pages
          .flat()
          .map(({ pk }) => pk?.S)
          .toSorted(),
      ).toEqual(keys.toSorted());
    },
  );

  it('a page ends near 1 MB', async () => {
    const database = await aDynamoDb();
    await putThings(
      database,
      Array.from({ length: 12 }, (_, index) =>
        aThing('a', String(index).padStart(2, '0'), { v: ofBytes(200_000) }),
      ),
    );
    const pages = await allPages(database, 'Query', {
      TableName: 'Things',
      KeyConditionExpression: 'pk = :a',
      ExpressionAttributeValues: { ':a': s('a') },
    });
    expect(pages.map(({ length }) => length)).toEqual([6, 6, 0]);
    expect(pages.flat().map(({ sk }) => sk?.S)).toEqual(
      Array.from({ length: 12 }, (_, index) => String(index).padStart(2, '0')),
    );
  });

  it('a scan visits every item once', async () => {
    const database = await aDynamoDb();
    await putThings(
      database,
      Array.from({ length: 100 }, (_, index) => aThing(`p${String(index)}`, '1')),
    );
    const pages = await allPages(database, 'Scan', { TableName: 'Things', Limit: 9 });
    expect(new Set(pages.flat().map(({ pk }) => pk?.S)).size).toBe(100);
    expect(pages.flat()).toHaveLength(100);
  });

  it('a start key of another table or index is rejected', async () => {
    const { failureOf } = await aDynamoDb();
    const failure = await failureOf('Query', {
      ...byGroup('g', 'by-rank'),
      ExclusiveStartKey: thingKey('a'),
    });
    expect(failure.message).toMatch(/starting key is invalid/);
  });
});

describe('the content of a page', () => {
  it('an index contains its projection and no more', async () => {
    const database = await aDynamoDb();
    const item = aThing('a', '1', { group: s('g'), rank: n(1), name: s('x'), secret: s('y') });
    await putThings(database, [item]);
    const read = async (input: object): Promise<Item | undefined> =>
      (await database.send('Query', input)).Items?.[0];
    expect(await read(byGroup('g', 'by-group'))).toEqual(aThing('a', '1', { group: s('g') }));
    const { secret: _secret, ...included } = item;
    expect(await read(byGroup('g', 'by-rank'))).toEqual(included);
    const whole = {
      TableName: 'Things',
      IndexName: 'whole',
      KeyConditionExpression: '#r = :r',
      ExpressionAttributeNames: { '#r': 'rank' },
      ExpressionAttributeValues: { ':r': n(1) },
    };
    expect(await read(whole)).toEqual(item);
  });

  it('an item without the index key is not in the index, and leaves it when it loses the key', async () => {
    const database = await aDynamoDb();
    await putThings(database, [
      aThing('a', '1', { rank: n(1) }),
      aThing('b', '1', { group: s('g'), rank: n(1) }),
    ]);
    expect((await database.send('Query', byGroup('g', 'by-rank'))).Count).toBe(1);
    await database.send('UpdateItem', {
      TableName: 'Things',
      Key: thingKey('b'),
      UpdateExpression: 'REMOVE #g',
      ExpressionAttributeNames: { '#g': 'group' },
    });
    expect((await database.send('Query', byGroup('g', 'by-rank'))).Count).toBe(0);
  });

  it('COUNT counts and sends no items', async () => {
    const database = await aDynamoDb();
    await putThings(database, [aThing('a', '1', { group: s('g') }), aThing('b', '1', { group: s('g') })]);
    const page = await database.send('Query', { ...byGroup('g', 'by-group'), Select: 'COUNT' });
    expect(page).toMatchObject({ Count: 2, ScannedCount: 2 });
    expect(page).not.toHaveProperty('Items');
  });

  it('a limit counts the items before the filter', async () => {
    const database = await aDynamoDb();
    await putThings(
      database,
      [1, 2, 3, 4].map((rank) => aThing('a', String(rank), { rank: n(rank) })),
    );
    const page = await database.send('Query', {
      TableName: 'Things',
      KeyConditionExpression: 'pk = :a',
      FilterExpression: '#r > :two',
      ExpressionAttributeNames: { '#r': 'rank' },
      ExpressionAttributeValues: { ':a': s('a'), ':two': n(2) },
      Limit: 3,
    });
    expect(page).toMatchObject({ Count: 1, ScannedCount: 3, LastEvaluatedKey: thingKey('a', '3') });
  });

  it('a projection expression picks attributes and parts of them', async () => {
    const database = await aDynamoDb();
    await putThings(database, [aThing('a', '1', { m: { M: { x: n(1), y: n(2) } }, v: n(3) })]);
    const page = await database.send('Query', {
      TableName: 'Things',
      KeyConditionExpression: 'pk = :a AND sk = :one',
      ExpressionAttributeValues: { ':a': s('a'), ':one': s('1') },
      ProjectionExpression: 'sk, m.y',
    });
    expect(page.Items).toEqual([{ sk: s('1'), m: { M: { y: n(2) } } }]);
  });

  it.each(['Query', 'Scan'])('a consistent %s of an index is rejected', async (target) => {
    const { failureOf } = await aDynamoDb();
    const { KeyConditionExpression: _condition, ...scan } = byGroup('g', 'by-group') as Record<
      string,
      unknown
    >;
    const input =
      target === 'Query' ? byGroup('g', 'by-group') : { TableName: scan['TableName'], IndexName: 'by-group' };
    const failure = await failureOf(target, { ...input, ConsistentRead: true });
    expect(failure.message).toBe('Consistent reads are not supported on global secondary indexes');
  });

  it('an unknown index is rejected by name', async () => {
    const { failureOf } = await aDynamoDb();
    expect((await failureOf('Query', byGroup('g', 'by-nothing'))).message).toMatch(/by-nothing/);
  });
});

describe('key conditions', () => {
  const ranks = [-120, -7.5, -1, 0, 0.001, 3, 20, 1e9, 12345678901];

  it.each<[string, readonly number[]]>([
    ['#r = :x', [3]],
    ['#r < :x', [-120, -7.5, -1, 0, 0.001]],
    ['#r <= :x', [-120, -7.5, -1, 0, 0.001, 3]],
    ['#r > :x', [20, 1e9, 12345678901]],
    ['#r >= :x', [3, 20, 1e9, 12345678901]],
    ['#r BETWEEN :low AND :x', [-7.5, -1, 0, 0.001, 3]],
  ])('numbers sort as numbers: %s', async (condition, expected) => {
    const database = await aDynamoDb();
    await putThings(
      database,
      ranks.map((rank, index) => aThing(`p${String(index)}`, '1', { group: s('g'), rank: n(rank) })),
    );
    const query = (ScanIndexForward: boolean) =>
      database.send('Query', {
        TableName: 'Things',
        IndexName: 'by-rank',
        KeyConditionExpression: `#g = :g AND ${condition}`,
        ExpressionAttributeNames: { '#g': 'group', '#r': 'rank' },
        ExpressionAttributeValues: {
          ':g': s('g'),
          ':x': n(3),
          ...(condition.includes(':low') && { ':low': n(-7.5) }),
        },
        ScanIndexForward,
      });
    const forward = (await query(true)).Items?.map(({ rank }) => Number(rank?.N));
    expect(forward).toEqual(expected);
    const backward = (await query(false)).Items?.map(({ rank }) => Number(rank?.N));
    expect(backward).toEqual(expected.toReversed());
  });

  it('text is sorted by its bytes in UTF-8, also for begins_with and between', async () => {
    const database = await aDynamoDb();
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1 }),
        fc.uniqueArray(text, { minLength: 1, maxLength: 12 }),
        async (pk, sks) => {
          await putThings(
            database,
            sks.map((sk) => aThing(pk, sk)),
          );
          const query = async (
            condition: string,
            values: Item,
          ): Promise<(string | undefined)[] | undefined> => {
            const page = await database.send('Query', {
              TableName: 'Things',
              KeyConditionExpression: `pk = :pk${condition}`,
              ExpressionAttributeValues: { ':pk': s(pk), ...values },
            });
            return page.Items?.map(({ sk }) => sk?.S);
          };
          const sorted = sks.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          const first = String.fromCodePoint(sorted[0]?.codePointAt(0) ?? 0);
          expect(await query('', {})).toEqual(expect.arrayContaining(sorted));
          expect(await query(' AND begins_with(sk, :x)', { ':x': s(first) })).toEqual(
            expect.arrayContaining(sorted.filter((sk) => sk.startsWith(first))),
          );
          const all = (await query('', {})) ?? [];
          expect(all).toEqual(
            all.toSorted((a, b) => Buffer.compare(Buffer.from(a ?? ''), Buffer.from(b ?? ''))),
          );
        },
      ),
      { numRuns: cases(15) },
    );
  });
});

describe('an empty value of a key', () => {
  const empty = 'The AttributeValue for a key attribute cannot contain an empty';
  const prefix = 'One or more parameter values are not valid.';

  it.each([
    ['of the partition key', 'pk = :v', s(''), undefined, `${prefix} ${empty} string value. Key: pk`],
    ['of the sort key', 'pk = :a AND sk > :v', s(''), undefined, `${prefix} ${empty} string value. Key: sk`],
    [
      'that the sort key begins with',
      'pk = :a AND begins_with(sk, :v)',
      s(''),
      undefined,
      `${prefix} ${empty} string value. Key: sk`,
    ],
    [
      'of another type than the key has',
      'pk = :v',
      { B: '' },
      undefined,
      'One or more parameter values were invalid: Condition parameter type does not match schema type',
    ],
    [
      'of an index',
      '#g = :v',
      s(''),
      'by-group',
      `${prefix} A value specified for a secondary index key is not supported. ${empty} string value. IndexName: by-group, IndexKey: group`,
    ],
  ])('%s is rejected in a query', async (_title, condition, value, IndexName, message) => {
    const { failureOf } = await aDynamoDb();
    const failure = await failureOf('Query', {
      TableName: 'Things',
      ...(IndexName !== undefined && {
        IndexName,
        ExpressionAttributeNames: { '#g': 'group' },
      }),
      KeyConditionExpression: condition,
      ExpressionAttributeValues: { ':v': value, ...(condition.includes(':a') && { ':a': s('a') }) },
    });
    expect(failure).toMatchObject({ code: 'ValidationException', message });
  });
});
