import {
  get,
  key,
  part,
  put,
  query,
  remove,
  transact,
  update,
  values,
  when,
  type Case,
  type Members,
} from './a-case.ts';

const BYTES = new Uint8Array([1, 2]);

/** Asks of one item whether it fulfils each condition. */
function checks(
  item: Members,
  conditions: readonly (readonly [text: string, passed?: Members])[],
): Case['calls'] {
  return [
    put({ ...key('a'), ...item }),
    ...conditions.map(([text, passed]) =>
      transact(part('ConditionCheck', { Key: key('a'), ...when(text, passed) })),
    ),
    ...conditions.map(([text, passed]) =>
      transact(part('ConditionCheck', { Key: key('none'), ...when(text, passed) })),
    ),
  ];
}

const COMPARATORS = ['=', '<>', '<', '<=', '>', '>='];

export const CONDITIONS: readonly Case[] = [
  {
    title: 'compares texts by their bytes',
    calls: checks(
      { x: 'b\uffff' },
      ['b', 'b\uffff', 'b\u00e9', 'c', 'B', ''].flatMap((text) =>
        COMPARATORS.map((by) => [`x ${by} :x`, { ':x': text }] as const),
      ),
    ),
  },
  {
    title: 'compares numbers by their value',
    calls: checks(
      { x: 10 },
      [9, 10, 10.5, -10, 0].flatMap((number) =>
        COMPARATORS.map((by) => [`x ${by} :x`, { ':x': number }] as const),
      ),
    ),
  },
  {
    title: 'compares binary by its bytes',
    calls: checks(
      { x: BYTES },
      [BYTES, new Uint8Array([1]), new Uint8Array([2]), new Uint8Array([1, 2, 0])].flatMap((bytes) =>
        COMPARATORS.map((by) => [`x ${by} :x`, { ':x': bytes }] as const),
      ),
    ),
  },
  {
    title: 'finds values of different types neither equal nor in an order',
    calls: checks(
      { aText: '1', aNumber: 1, aBinary: new Uint8Array([49]), yes: true, aNull: null, aList: ['1'] },
      [
        ...['aText', 'aNumber', 'aBinary', 'yes', 'aNull', 'aList', 'aMissing'].flatMap((name) => [
          ...COMPARATORS.map((by) => [`${name} ${by} :x`, { ':x': '1' }] as const),
          ...COMPARATORS.map((by) => [`${name} ${by} :x`, { ':x': 1 }] as const),
          ...['=', '<>'].map((by) => [`${name} ${by} :x`, { ':x': true }] as const),
          ...['=', '<>'].map((by) => [`${name} ${by} :x`, { ':x': null }] as const),
        ]),
      ],
    ),
  },
  {
    title: 'finds an attribute that is null or empty, and none that is missing',
    calls: checks({ aNull: null, anEmpty: '', isFalse: false, aList: [] }, [
      ...['aNull', 'anEmpty', 'isFalse', 'aList', 'aMissing', 'pk'].flatMap((name) => [
        [`attribute_exists(${name})`] as const,
        [`attribute_not_exists(${name})`] as const,
      ]),
      ['aNull = :x', { ':x': null }],
      ['anEmpty = :x', { ':x': '' }],
    ]),
  },
  {
    title: 'reads members of maps',
    calls: checks({ aMap: { at: 5, in: { x: 'y' } }, aList: [1], aText: 'x' }, [
      ['aMap.#at > :x', { ':x': 4 }],
      ['aMap.#at > :x', { ':x': 5 }],
      ['attribute_exists(aMap.aMissing)'],
      ['attribute_exists(aList.#at)'],
      ['attribute_not_exists(aText.#at)'],
      ['aMap.#in.x = :x', { ':x': 'y' }],
    ]).map((call) => withNames(call)),
  },
  {
    title: 'joins conditions with AND, OR and NOT in this order of strength',
    calls: checks({ a: 1, b: 2 }, [
      ['a = :x OR a = :y AND b = :y', { ':x': 1, ':y': 3 }],
      ['(a = :x OR a = :y) AND b = :y', { ':x': 1, ':y': 3 }],
      ['NOT a = :x AND b = :y', { ':x': 1, ':y': 3 }],
      ['NOT (a = :x AND b = :y)', { ':x': 1, ':y': 3 }],
      ['NOT a = :x OR b = :y', { ':x': 1, ':y': 2 }],
      ['attribute_not_exists(a) or b = :y and attribute_exists(a)', { ':y': 2 }],
    ]),
  },
  {
    title: 'finds a value in a list of values, between bounds, or by its beginning',
    calls: checks({ a: 2, aText: 'ab', aBinary: BYTES }, [
      ['a IN (:x, :y)', { ':x': 1, ':y': 2 }],
      ['a IN (:x, :y)', { ':x': '2', ':y': 3 }],
      ['aBinary IN (:x)', { ':x': BYTES }],
      ['a BETWEEN :x AND :y', { ':x': 2, ':y': 3 }],
      ['a BETWEEN :x AND :y', { ':x': 1, ':y': 2 }],
      ['a BETWEEN :x AND :y', { ':x': 3, ':y': 4 }],
      ['aText BETWEEN :x AND :y', { ':x': 'a', ':y': 'b' }],
      ['a BETWEEN :x AND :y', { ':x': 'a', ':y': 'b' }],
      ['begins_with(aText, :x)', { ':x': 'a' }],
      ['begins_with(aText, :x)', { ':x': 'ab' }],
      ['begins_with(aText, :x)', { ':x': 'abc' }],
      ['begins_with(a, :x)', { ':x': '2' }],
      ['begins_with(aMissing, :x)', { ':x': 'a' }],
    ]),
  },
  {
    title: 'counts the elements of lists and maps, and bytes',
    calls: checks({ aList: [1, 2], aMap: { a: 1 }, aBinary: BYTES, anEmpty: [], aNumber: 5 }, [
      ...['aList', 'aMap', 'aBinary', 'anEmpty', 'aNumber', 'aMissing'].flatMap((name) => [
        [`size(${name}) = :x`, { ':x': 2 }] as const,
        [`size(${name}) < :x`, { ':x': 2 }] as const,
        [`size(${name}) <> :x`, { ':x': 2 }] as const,
      ]),
    ]),
  },
  {
    title: 'shows the item of a failed condition only when it is asked for',
    calls: [
      put({ ...key('a'), x: 1, bytes: BYTES, map: { a: [null] } }),
      put(key('a'), when('attribute_not_exists(pk)')),
      put(key('a'), { ConditionExpression: 'attribute_not_exists(pk)' }),
      put(key('a'), { ...when('attribute_not_exists(pk)'), ReturnValuesOnConditionCheckFailure: 'NONE' }),
      update(key('a'), 'SET x = :y', { ...when('x = :y', { ':y': 2 }) }),
      update(key('b'), 'SET x = :y', { ...when('x = :y', { ':y': 2 }) }),
      remove(key('a'), when('x > :y', { ':y': 1 })),
      remove(key('b'), when('attribute_exists(pk)')),
      get(key('a'), key('b')),
    ],
  },
  {
    title: 'writes under a condition that holds',
    calls: [
      put({ ...key('a'), v: 1 }, when('attribute_not_exists(pk) OR v = :v', { ':v': 1 })),
      put({ ...key('a'), v: 2 }, when('attribute_not_exists(pk) OR v = :v', { ':v': 1 })),
      update(key('a'), 'SET v = :next', when('v = :v', { ':v': 2, ':next': 3 })),
      remove(key('a'), when('v = :v', { ':v': 2 })),
      remove(key('a'), when('v = :v', { ':v': 3 })),
      query(),
    ],
  },
  {
    title: 'reads names of attributes from the request',
    calls: [
      put({ ...key('a'), 'a.b': 1, 'ü ': 2, type: 'x' }),
      transact(
        part('ConditionCheck', {
          Key: key('a'),
          ConditionExpression: '#a = :a AND #b = :b AND #t = :t AND attribute_exists(#p)',
          ExpressionAttributeNames: { '#a': 'a.b', '#b': 'ü ', '#t': 'type', '#p': 'pk' },
          ...values({ ':a': 1, ':b': 2, ':t': 'x' }),
        }),
      ),
    ],
  },
];

/** Gives names to `#at` and `#in`, as far as a condition has them. */
function withNames(call: Case['calls'][number]): Case['calls'][number] {
  if (call.call !== 'transact') return call;
  const { TransactItems: items } = call.input as {
    readonly TransactItems: readonly Record<string, Members>[];
  };
  return transact(
    ...items.map((item) => {
      const request = item['ConditionCheck'] ?? {};
      const used = ['#at', '#in'].filter((name) => String(request['ConditionExpression']).includes(name));
      const names = Object.fromEntries(used.map((name) => [name, name.slice(1)]));
      return { ConditionCheck: { ...request, ...(used.length > 0 && { ExpressionAttributeNames: names }) } };
    }),
  );
}
