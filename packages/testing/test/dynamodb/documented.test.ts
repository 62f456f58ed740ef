// Tests the engine in memory where the local account's DynamoDB differs from the documentation.
import { MemoryDynamoDb } from '../../src/dynamodb/memory-dynamodb.ts';
import { answersOf, type Call } from './calls.ts';
import {
  get,
  key,
  list,
  part,
  put,
  query,
  remove,
  sorted,
  transact,
  values,
  walk,
  when,
} from './cases/a-case.ts';

const answers = (...calls: readonly Call[]) => answersOf(new MemoryDynamoDb(), calls);
const REFUSED = { error: 'ValidationException' };

// Constraints.html of the developer guide
it('refuses keys of a table that are too long in bytes', async () => {
  const partition = `${'ü'.repeat(1_024)}x`;
  const sort = `${'ü'.repeat(512)}x`;
  expect(await answers(put(key('s', partition)), put(key(sort)))).toEqual([REFUSED, REFUSED]);
});

const HOLDS = {};
const FAILS = { error: 'TransactionCanceledException', reasons: [{ Code: 'ConditionalCheckFailed' }] };
const isSo = (text: string, passed: Parameters<typeof values>[0]) =>
  transact(part('ConditionCheck', { Key: key('a'), ConditionExpression: text, ...values(passed) }));

// Expressions.OperatorsAndFunctions.html, and the comparison operators of the API reference: texts
// are compared by the bytes of their UTF-8.
it('compares texts of conditions by their bytes, also beyond 16 bits', async () => {
  const found = await answers(
    put({ ...key('a'), x: '\uffff' }),
    isSo('x < :x', { ':x': '\u{10000}' }),
    isSo('x > :x', { ':x': '\u{10000}' }),
    sorted('sk BETWEEN :from AND :to', { ':from': '\uffff', ':to': '\u{10000}' }),
    sorted('sk BETWEEN :from AND :to', { ':from': '\u{10000}', ':to': '\uffff' }),
  );
  expect(found.slice(1)).toEqual([HOLDS, FAILS, { Count: 0, Items: [], ScannedCount: 0 }, REFUSED]);
});

it('compares whole lists and maps', async () => {
  const found = await answers(
    put({ ...key('a'), x: [1, { a: null }], m: { a: 1, b: [] } }),
    isSo('x = :x AND m = :m', { ':x': [1, { a: null }], ':m': { b: [], a: 1 } }),
    isSo('x = :x', { ':x': [1] }),
    isSo('m <> :m', { ':m': { a: 1 } }),
    isSo('m = :m', { ':m': { a: 1, c: [] } }),
  );
  expect(found.slice(1)).toEqual([HOLDS, FAILS, HOLDS, FAILS]);
});

it('finds an empty text in a list of values and between bounds, and binary by its beginning', async () => {
  const found = await answers(
    put({ ...key('a'), x: '', b: new Uint8Array([255, 254]) }),
    isSo('x IN (:x)', { ':x': '' }),
    isSo('x BETWEEN :x AND :y', { ':x': '', ':y': 'a' }),
    isSo('begins_with(b, :b)', { ':b': new Uint8Array([255]) }),
    isSo('begins_with(b, :b)', { ':b': new Uint8Array([254]) }),
  );
  expect(found.slice(1)).toEqual([HOLDS, HOLDS, HOLDS, FAILS]);
});

it('refuses members and values that it would ignore', async () => {
  const unknown = [
    put(key('a'), { ReturnValues: 'ALL_OLD' }),
    {
      call: 'get',
      input: { RequestItems: { Tokens: { Keys: [key('a')], ProjectionExpression: 'pk' } } },
    } as const,
    sorted('sk > :s', { ':s': 'a' }, { FilterExpression: 'x = :s' }),
    put({ ...key('a'), x: Number.NaN }),
    put({ ...key('a'), x: Number.MAX_SAFE_INTEGER + 1 }),
    put({ ...key('a'), x: new Set(['a']) }),
    put(key('a'), when('attribute_not_exists(pk) OR x = :x', { ':x': new Date(0) })),
    get(key('a')),
  ];
  const found = await answers(...unknown);
  for (const answer of found.slice(0, -1)) expect(answer).toHaveProperty('error');
  expect(found.at(-1)).toEqual({ Responses: { Tokens: [] }, UnprocessedKeys: {} });
});

it('goes back to its contents at a moment, with those of indexes', async () => {
  const engine = new MemoryDynamoDb();
  const places = [walk(query()), walk(list())];
  const stored = [
    put({ ...key('a'), listPk: 'p', listSk: '1' }),
    put({ ...key('b'), listPk: 'p', listSk: '2' }),
  ];
  await answersOf(engine, stored);
  const before = await answersOf(engine, places);
  const contents = engine.contents();
  const changes = [remove(key('a')), put({ ...key('b'), listPk: 'q', listSk: '3' }), put(key('c'))];
  for (let times = 0; times < 2; times += 1) {
    await answersOf(engine, changes);
    expect(await answersOf(engine, places)).not.toEqual(before);
    engine.replaceContents(contents);
    expect(await answersOf(engine, places)).toEqual(before);
  }
});
