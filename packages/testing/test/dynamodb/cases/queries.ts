import { longText } from '../calls.ts';
import {
  get,
  key,
  list,
  put,
  query,
  remove,
  sorted,
  values,
  walk,
  type Case,
  type Members,
} from './a-case.ts';

/** Sort keys whose order by bytes differs from the order of JavaScript's texts. */
const KEYS = [
  'a',
  'a!',
  'aa',
  'a\uffff',
  'a\u{10000}',
  'a\u{10ffff}',
  'a\u{10ffff}\u{10ffff}b',
  'b',
  'B',
  'é',
  'z',
];
const STORED = KEYS.map((sk) => put({ ...key(sk), listPk: 'p', listSk: `${sk}#`, type: sk }));
const OTHERS = [put({ ...key('a', 'q'), listPk: 'q', listSk: 'a' }), put(key('a', 'p2'))];

const BOTH_WAYS = [{}, { ScanIndexForward: false }];
const bothWays = (calls: (more: Members) => readonly Case['calls'][number][]) => BOTH_WAYS.flatMap(calls);

const KB = 1024;

export const QUERIES: readonly Case[] = [
  {
    title: 'returns a partition in the order of the bytes of its keys',
    calls: [
      ...STORED,
      ...OTHERS,
      ...bothWays((more) => [query(more), list(more), query({ ...more, Select: 'COUNT' })]),
    ],
  },
  {
    title: 'returns the part of a partition that a condition on the sort key names',
    calls: [
      ...STORED,
      ...OTHERS,
      ...bothWays((more) => [
        ...['=', '<', '<=', '>', '>='].flatMap((by) =>
          ['a', 'aa', 'ab', 'a\u{10000}', 'z', 'zz'].map((sk) => sorted(`sk ${by} :s`, { ':s': sk }, more)),
        ),
        ...[
          ['a', 'b'],
          ['aa', 'aa'],
          ['a!', 'a\u{10000}'],
          ['0', '1'],
        ].map(([from, to]) => sorted('sk BETWEEN :from AND :to', { ':from': from, ':to': to }, more)),
        ...['a', 'a\u{10ffff}', 'aa', 'x', 'a\uffff'].map((prefix) =>
          sorted('begins_with(sk, :prefix)', { ':prefix': prefix }, more),
        ),
        list({
          ...more,
          KeyConditionExpression: 'listPk = :p AND listSk BETWEEN :from AND :to',
          ...values({ ':from': 'a#', ':to': 'b#' }),
        }),
      ]),
    ],
  },
  {
    title: 'ends a page at its limit, also when nothing is left',
    calls: [
      ...STORED.slice(0, 4),
      ...bothWays((more) => [1, 2, 4, 5].map((Limit) => walk(query({ ...more, Limit })))),
      ...bothWays((more) => [1, 3, 4].map((Limit) => walk(list({ ...more, Limit, Select: 'COUNT' })))),
      walk(sorted('begins_with(sk, :s)', { ':s': 'a' }, { Limit: 2, ScanIndexForward: false })),
    ],
  },
  {
    title: 'begins a page after a key, whether or not an item is there',
    calls: [
      ...STORED,
      ...bothWays((more) => [
        ...['a', 'ab', 'z', '0'].map((sk) => query({ ...more, ExclusiveStartKey: key(sk) })),
        ...['aa', 'ab'].map((sk) =>
          sorted(
            'sk BETWEEN :a AND :b',
            { ':a': 'aa', ':b': 'b' },
            { ...more, ExclusiveStartKey: key(sk), Limit: 2 },
          ),
        ),
        list({ ...more, ExclusiveStartKey: { ...key('aa'), listPk: 'p', listSk: 'aa#' } }),
        list({ ...more, ExclusiveStartKey: { ...key('none'), listPk: 'p', listSk: 'b' }, Limit: 1 }),
      ]),
      remove(key('aa')),
      query({ ExclusiveStartKey: key('aa'), Limit: 1 }),
    ],
  },
  {
    title: 'refuses to begin at a key that the query cannot return',
    calls: [
      ...STORED,
      query({ ExclusiveStartKey: key('a', 'q') }),
      query({ ExclusiveStartKey: { pk: 'p' } }),
      query({ ExclusiveStartKey: { ...key('a'), more: 'x' } }),
      query({ ExclusiveStartKey: { pk: 'p', sk: 1 } }),
      sorted('sk > :s', { ':s': 'b' }, { ExclusiveStartKey: key('a') }),
      sorted('begins_with(sk, :s)', { ':s': 'b' }, { ExclusiveStartKey: key('a') }),
      list({ ExclusiveStartKey: key('a') }),
      list({ ExclusiveStartKey: { ...key('a'), listPk: 'q', listSk: 'a' } }),
    ],
  },
  {
    title: 'ends a page of a table when it has read 1 MB',
    calls: [
      ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((sk) =>
        put({ ...key(sk), listPk: 'p', listSk: sk, type: sk, x: longText(300 * KB) }),
      ),
      ...bothWays((more) => [
        walk(query(more)),
        walk(query({ ...more, Select: 'COUNT', Limit: 5 })),
        list(more),
      ]),
    ],
  },
  {
    title: 'ends a page of an index when it has read 1 MB of its entries',
    calls: [
      ...['a', 'b', 'c', 'd', 'e'].map((sk) =>
        put({ ...key(sk), listPk: 'p', listSk: sk, containers: [longText(300 * KB)] }),
      ),
      walk(list()),
    ],
  },
  {
    title: 'returns nothing of a partition that is empty',
    calls: [query(), list(), walk(query({ Limit: 1 })), get(key('a'))],
  },
];
