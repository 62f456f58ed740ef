import { longText } from '../calls.ts';
import {
  get,
  insert,
  key,
  list,
  part,
  put,
  query,
  statement,
  transact,
  update,
  values,
  when,
  type Case,
} from './a-case.ts';

const KB = 1024;
const large = (sk: string, bytes: number) => ({ ...key(sk), x: longText(bytes) });
const attribute = (text: string) => ({ S: text });
const record = (sk: string, more = {}) => ({ pk: attribute('p'), sk: attribute(sk), ...more });
const auditKeys = (...sks: readonly string[]) => ({
  call: 'get' as const,
  input: { RequestItems: { Audit: { Keys: sks.map((sk) => key(sk)), ConsistentRead: false } } },
});
const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at).padStart(3, '0'));

export const WRITES: readonly Case[] = [
  {
    title: 'sets and removes attributes of an item',
    calls: [
      put({ ...key('a'), x: 1, y: 'old', z: [1] }),
      update(key('a'), 'SET x = :x, #n = :n REMOVE y, aMissing', {
        ...values({ ':x': { a: 1 }, ':n': null }),
        ExpressionAttributeNames: { '#n': 'name' },
      }),
      get(key('a')),
      update(key('a'), 'REMOVE x'),
      get(key('a')),
    ],
  },
  {
    title: 'makes the item of an update that is missing',
    calls: [
      update(key('a'), 'SET x = :x', values({ ':x': 1 })),
      update(key('b'), 'REMOVE x'),
      update(key('c'), 'SET x = :x', when('attribute_exists(pk)', { ':x': 1 })),
      query(),
    ],
  },
  {
    title: 'sets an attribute to another one, as it was before',
    calls: [
      put({ ...key('a'), x: 1, y: { at: 2 } }),
      update(key('a'), 'SET x = y, y = x'),
      get(key('a')),
      update(key('a'), 'SET z = x.#at', { ExpressionAttributeNames: { '#at': 'at' } }),
      get(key('a')),
      update(key('a'), 'SET z = aMissing'),
      update(key('none'), 'SET z = aMissing'),
      get(key('a'), key('none')),
    ],
  },
  {
    title: 'sets an attribute to a default only if it is missing',
    calls: [
      put({ ...key('a'), x: 1, aNull: null, w: 'w' }),
      update(key('a'), 'SET x = if_not_exists(x, :d), aNull = if_not_exists(aNull, :d)', values({ ':d': 9 })),
      update(key('a'), 'SET y = if_not_exists(y, :d), z = if_not_exists(z, w)', values({ ':d': 9 })),
      update(key('a'), 'SET v = if_not_exists(v, aMissing)'),
      update(key('a'), 'SET u = if_not_exists(x, aMissing)'),
      get(key('a')),
      update(key('b'), 'SET x = if_not_exists(x, :d)', values({ ':d': 9 })),
      get(key('b')),
    ],
  },
  {
    title: 'writes all parts of a transaction, or none',
    calls: [
      put({ ...key('a'), v: 1 }),
      put({ ...key('b'), v: 1 }),
      transact(
        part('Put', { Item: { ...key('c'), v: 2 }, ...when('attribute_not_exists(pk)') }),
        part('Delete', { Key: key('b') }),
        part('Update', {
          Key: key('a'),
          UpdateExpression: 'SET v = :v',
          ...when('v = :old', { ':v': 2, ':old': 1 }),
        }),
        part('ConditionCheck', { Key: key('d'), ...when('attribute_not_exists(pk)') }),
      ),
      query(),
      transact(
        part('Put', { Item: { ...key('e'), v: 3 } }),
        part('Delete', { Key: key('a'), ...when('v = :v', { ':v': 1 }) }),
        part('Put', { Item: { ...key('c'), v: 3 }, ConditionExpression: 'attribute_not_exists(pk)' }),
        part('Update', { Key: key('z'), UpdateExpression: 'SET v = :v', ...when('v = :v', { ':v': 1 }) }),
      ),
      query(),
    ],
  },
  {
    title: 'writes in several tables at once',
    calls: [
      transact(
        part('Put', { Item: key('a') }),
        part('Put', { Item: key('a'), TableName: 'Ephemeral' }),
        part('Put', { Item: { ...key('a'), duePk: 'p', dueSk: '1' }, TableName: 'Reactors' }),
      ),
      {
        call: 'get',
        input: {
          RequestItems: Object.fromEntries(
            ['Ephemeral', 'Reactors', 'Access'].map((name) => [name, { Keys: [key('a'), key('b')] }]),
          ),
        },
      },
    ],
  },
  {
    title: 'cancels a transaction whose update cannot be applied, with its reason',
    calls: [
      put({ ...key('a'), v: 1, x: longText(300 * KB) }),
      transact(
        part('Put', { Item: key('b') }),
        part('Update', { Key: key('a'), UpdateExpression: 'SET w = aMissing' }),
        part('Update', {
          Key: key('c'),
          UpdateExpression: 'SET w = aMissing',
          ...when('attribute_exists(pk)'),
        }),
        part('Update', {
          Key: key('d'),
          UpdateExpression: 'SET listPk = :empty',
          ...values({ ':empty': '' }),
        }),
      ),
      transact(
        part('Update', {
          Key: key('a'),
          UpdateExpression: 'SET y = :y',
          ...values({ ':y': longText(110 * KB) }),
        }),
      ),
      transact(part('Update', { Key: key('a'), UpdateExpression: 'SET pk = :y', ...values({ ':y': 'y' }) })),
      transact(
        part('Update', { Key: key('a'), UpdateExpression: 'SET listPk = :y', ...values({ ':y': 1 }) }),
      ),
      query({ Select: 'COUNT' }),
    ],
  },
  {
    title: 'writes up to 100 parts and 4 MB in a transaction',
    calls: [
      transact(...numbers(100).map((sk) => part('Put', { Item: key(sk) }))),
      transact(...numbers(101).map((sk) => part('Put', { Item: key(sk, 'q') }))),
      transact(...numbers(10).map((sk) => part('Put', { Item: large(sk, 399 * KB) }))),
      transact(
        ...numbers(10).map((sk) => part('ConditionCheck', { Key: key(sk), ...when('attribute_exists(pk)') })),
        part('Put', { Item: large('b', 400 * KB - 20) }),
      ),
      transact(...numbers(11).map((sk) => part('Put', { Item: large(`n${sk}`, 399 * KB) }))),
      query({ Select: 'COUNT' }),
    ],
  },
  {
    title: 'returns the items of a batch that exist, up to 100 keys',
    calls: [
      ...numbers(3).map((sk) => put({ ...key(sk), x: sk })),
      get(...numbers(100).map((sk) => key(sk))),
      get(...numbers(101).map((sk) => key(sk))),
      get(key('none')),
    ],
  },
  {
    title: 'leaves keys of a batch unprocessed beyond 16 MB',
    calls: [
      ...numbers(44).map((sk) => put(large(sk, 399 * KB))),
      put({ ...key('small'), x: 1 }),
      get(...numbers(44).map((sk) => key(sk)), key('small'), key('none')),
    ],
  },
  {
    title: 'inserts items that are new, each by itself',
    calls: [
      insert(
        record('a', { v: { N: '1' }, b: { B: new Uint8Array([1]) }, l: { L: [{ NULL: true }] } }),
        record('b'),
      ),
      insert(record('a', { v: { N: '2' } }), record('c')),
      auditKeys('a', 'b', 'c'),
      insert({ pk: attribute('p') }, record('d'), { pk: { N: '1' }, sk: attribute('e') }, record('')),
      {
        call: 'insert',
        input: { Statements: [statement(record('e'), 'Missing'), statement(record('f'), 'AuditSeals')] },
      },
      auditKeys('d', 'e', 'f'),
      insert(record('g'), record('g')),
      insert(...numbers(25).map((sk) => record(sk))),
      insert(...numbers(26).map((sk) => record(`x${sk}`))),
      auditKeys('g', '000', '024', 'x000'),
    ],
  },
  {
    title: 'lists in indexes what an insert has stored',
    calls: [
      {
        call: 'insert',
        input: {
          Statements: [
            statement(record('a', { listPk: attribute('p'), listSk: attribute('1') }), 'Tokens'),
            statement(record('b', { listPk: { N: '1' } }), 'Tokens'),
            statement(record('c', { listPk: attribute('') }), 'Tokens'),
          ],
        },
      },
      list(),
    ],
  },
];
