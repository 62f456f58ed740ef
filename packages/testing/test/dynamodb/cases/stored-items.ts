import { longText } from '../calls.ts';
import {
  expire,
  get,
  key,
  list,
  put,
  query,
  remove,
  update,
  values,
  walk,
  when,
  type Case,
} from './a-case.ts';

const KB = 1024;
const ITEM_MAX = 400 * KB;
/** Fills an item to a size in bytes; its names and its key take seven of them. */
const filled = (bytes: number, sk = 's') => ({ ...key(sk), x: longText(bytes - 7) });
const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);
const NOW = 1_800_000_000;
const FIVE_YEARS = 5 * 365 * 86_400;

/** DynamoDB stores some of these, and refuses others. */
export const STORED_ITEMS: readonly Case[] = [
  {
    title: 'returns values of every type as they were written',
    calls: [
      put({
        ...key('ü\u{1f600}'),
        text: 'ü\u{1f600}',
        empty: '',
        number: 1.5,
        tiny: 1e-7,
        negative: -12.25,
        zero: -0,
        large: Number.MAX_SAFE_INTEGER,
        yes: true,
        no: false,
        nothing: null,
        bytes: new Uint8Array([0, 128, 255]),
        noBytes: new Uint8Array(),
        list: ['a', 1, null, true, [], {}, new Uint8Array([1])],
        map: { a: { b: ['ü'], 'c.d': 0 }, none: {} },
      }),
      get(key('ü\u{1f600}')),
      query(),
    ],
  },
  {
    title: 'does not write members that are undefined',
    calls: [
      put({ ...key('a'), gone: undefined, map: { gone: undefined }, list: [undefined, 1] }),
      get(key('a')),
      update(key('a'), 'SET m = :m', values({ ':m': { gone: undefined, there: 1 } })),
      get(key('a')),
      put(key('b'), when('attribute_not_exists(pk)')),
      put(key('b'), { ...when('attribute_not_exists(pk) OR gone = :g', { ':g': 1 }) }),
    ],
  },
  {
    title: 'replaces an item as a whole',
    calls: [put({ ...key('a'), x: 1, y: 1 }), put({ ...key('a'), y: 2 }), get(key('a')), query()],
  },
  {
    title: 'stores items up to 400 KB',
    calls: [
      put(filled(ITEM_MAX - 1, 'a')),
      put(filled(ITEM_MAX, 'b')),
      put(filled(ITEM_MAX + 1, 'c')),
      update(key('a'), 'SET y = :y', values({ ':y': '' })),
      update(key('a'), 'SET y = :y', values({ ':y': 'y' })),
      query({ Select: 'COUNT' }),
    ],
  },
  {
    title: 'counts names, numbers and nested values in the size of an item',
    // Names and keys take 13 bytes, the list and the map 8 each, and the boolean 1.
    calls: [-1, 0, 1].map((more) =>
      put({ ...key('s'), ü: [true, 1], map: { a: 123 }, b: true, x: longText(ITEM_MAX - 30 + more) }),
    ),
  },
  {
    title: 'stores values that are nested up to 32 levels',
    calls: [put({ ...key('a'), x: nested(31) }), put({ ...key('b'), x: nested(32) }), query()],
  },
  {
    title: 'stores no number that is closer to zero than 1e-130',
    calls: [
      put({ ...key('a'), x: 1e-130 }),
      put({ ...key('b'), x: 9e-131 }),
      put({ ...key('c'), x: -9e-131 }),
    ],
  },
  {
    title: 'stores keys up to 2048 and 1024 bytes',
    calls: [
      put({ pk: 'ü'.repeat(1_024), sk: 'ü'.repeat(512) }),
      put(key('s', 'x'.repeat(2_048))),
      put(key('s', 'x'.repeat(2_049))),
      put(key('x'.repeat(1_024))),
      put(key('x'.repeat(1_025))),
      put({ ...key('a'), listPk: 'x'.repeat(2_048), listSk: 'x'.repeat(1_024) }),
      put({ ...key('b'), listPk: `${'ü'.repeat(1_024)}x` }),
      put({ ...key('c'), listSk: `${'ü'.repeat(512)}x` }),
      update(key('a'), 'SET listSk = :x', values({ ':x': 'x'.repeat(1_025) })),
      query(),
    ],
  },
  {
    title: 'lists in an index only items that have both of its keys',
    calls: [
      put({ ...key('a'), listPk: 'p', listSk: '1' }),
      put({ ...key('b'), listPk: 'p' }),
      put({ ...key('c'), listSk: '1' }),
      list(),
      update(key('b'), 'SET listSk = :s', values({ ':s': '0' })),
      update(key('a'), 'REMOVE listPk'),
      list(),
      put(key('b')),
      list(),
    ],
  },
  {
    title: 'moves an item in an index when its keys change',
    calls: [
      put({ ...key('a'), listPk: 'p', listSk: '1' }),
      put({ ...key('b'), listPk: 'p', listSk: '2' }),
      put({ ...key('a'), listPk: 'p', listSk: '3' }),
      list(),
      update(key('b'), 'SET listPk = :other', values({ ':other': 'q' })),
      list(),
      remove(key('a')),
      list(),
    ],
  },
  {
    title: 'shows in each index the attributes that it has',
    calls: [
      put({
        ...key('a'),
        listPk: 'p',
        listSk: '1',
        fingerprint: 'p',
        matchSk: '2',
        duePk: 'p',
        dueSk: '3',
        type: 'card',
        containers: ['/'],
        expiration: { at: 1 },
        position: '1',
        hasMask: true,
        pending: true,
        encryptedData: new Uint8Array([1]),
      }),
      list(),
      query({ IndexName: 'fingerprint', KeyConditionExpression: 'fingerprint = :p' }),
      query({ IndexName: 'due', KeyConditionExpression: 'duePk = :p' }),
    ],
  },
  {
    title: 'deletes nothing without an error',
    calls: [remove(key('a')), put(key('a')), remove(key('a')), get(key('a')), walk(query())],
  },
  {
    title: 'expires items whose time is past, but not by five years',
    calls: [
      put({ ...key('a'), ttl: NOW - 1, listPk: 'p', listSk: '1' }),
      put({ ...key('b'), ttl: NOW }),
      put({ ...key('c'), ttl: NOW - FIVE_YEARS }),
      put({ ...key('d'), ttl: NOW - FIVE_YEARS - 1 }),
      put({ ...key('e'), ttl: String(NOW - 1) }),
      put({ ...key('f'), ttl: 0 }),
      put({ ...key('g'), ttl: NOW - 0.5 }),
      expire(NOW),
      query(),
      list(),
      expire(NOW + 1),
      query(),
    ],
  },
];
