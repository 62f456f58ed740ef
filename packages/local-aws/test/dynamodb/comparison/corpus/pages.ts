import { aThing, n, s, thingKey } from '../../a-dynamodb.ts';
import { ANY_ORDER, placeholders, putAll, section, TO_THE_END, type Step } from './step.ts';

const RANKS = [-120, -7.5, -1, 0, 0.001, 3, 20, 1e9, 12345678901];
const ITEMS = Array.from({ length: 30 }, (_, index) =>
  aThing('pages', String(index).padStart(2, '0'), {
    group: s(index % 3 === 0 ? 'third' : 'other'),
    ...(index < RANKS.length && { rank: n(RANKS[index] ?? 0) }),
    name: s(`n${String(index)}`),
    secret: n(index),
  }),
);
const WORDS = ['', 'A', 'Z', 'a', 'a#', 'a#1', 'a#10', 'a#2', 'ab', 'b', 'ä', '€', '😀', '￿'];

const query = (condition: string, more: object = {}): object => ({
  TableName: 'Things',
  KeyConditionExpression: condition,
  ...placeholders(condition, ...Object.values(more).filter((value) => typeof value === 'string')),
  ...more,
});
const BACKWARD = { ScanIndexForward: false };

/** Key conditions on the sort key of one partition. */
const KEY_CONDITIONS: readonly string[] = [
  'pk = :pages',
  'pk = :pages AND sk = :07',
  'pk = :pages AND sk < :07',
  'pk = :pages AND sk <= :07',
  'pk = :pages AND sk > :27',
  'pk = :pages AND sk >= :27',
  'pk = :pages AND sk BETWEEN :05 AND :07',
  'pk = :pages AND sk BETWEEN :07 AND :05',
  'pk = :pages AND begins_with(sk, :2)',
  'pk = :pages AND begins_with(sk, :zzz)',
  'sk > :27 AND pk = :pages',
  '(pk = :pages) AND (sk > :27)',
  ':pages = pk AND :27 < sk',
  'pk = :missing',
];

const REFUSED: readonly string[] = [
  '',
  'pk > :pages',
  'sk = :07',
  'pk = :pages AND sk <> :07',
  'pk = :pages OR sk = :07',
  'NOT pk = :pages',
  'pk = :pages AND secret = :one',
  'pk = :pages AND sk > :05 AND sk < :07',
  'pk = :pages AND contains(sk, :0)',
  'pk = :pages AND sk = :one',
  'pk = :one',
  'pk = :pages AND begins_with(sk, :one)',
  'pk = :pages AND sk IN (:05)',
  'pk = :pages AND attribute_exists(sk)',
  'pk = :pages AND pk = :pages',
  'pk = sk',
  'pk.a = :pages',
  'pk = :empty',
  'pk = :pages AND sk = :empty',
  'pk = :pages AND sk > :empty',
  'pk = :pages AND begins_with(sk, :empty)',
  'pk = :pages AND sk BETWEEN :empty AND :07',
];

const tableSteps: readonly Step[] = [
  ...section(
    'query',
    KEY_CONDITIONS.map((condition) => [condition, 'Query', query(condition, { ProjectionExpression: 'sk' })]),
  ),
  ...section(
    'query backward',
    KEY_CONDITIONS.map((condition) => [
      condition,
      'Query',
      query(condition, { ...BACKWARD, ProjectionExpression: 'sk' }),
    ]),
  ),
  ...section(
    'query refused',
    REFUSED.map((condition) => [condition, 'Query', query(condition)]),
  ),
  ...section(
    'text order',
    WORDS.map((word) => [
      `put ${JSON.stringify(word)}`,
      'PutItem',
      { TableName: 'Things', Item: aThing('words', word) },
    ]),
  ),
  ...section('text order', [
    ['UTF-8 bytes', 'Query', query('pk = :words')],
    ['backward', 'Query', query('pk = :words', BACKWARD)],
    ['from a letter on', 'Query', query('pk = :words AND sk > :b')],
    ['by a prefix', 'Query', query('pk = :words AND begins_with(sk, :a)')],
  ]),
];

const pages = (Limit: number, more: object = {}): object =>
  query('pk = :pages', { Limit, ProjectionExpression: 'sk', ...more });

const pagingSteps: readonly Step[] = section('paging', [
  ['by 7', 'Query', pages(7), TO_THE_END],
  ['by 10', 'Query', pages(10), TO_THE_END],
  ['by 30', 'Query', pages(30), TO_THE_END],
  ['by 31', 'Query', pages(31), TO_THE_END],
  ['by 7 backward', 'Query', pages(7, BACKWARD), TO_THE_END],
  [
    'by 3 of a prefix',
    'Query',
    query('pk = :pages AND begins_with(sk, :1)', { Limit: 3, ProjectionExpression: 'sk' }),
    TO_THE_END,
  ],
  [
    'by 3 of a prefix backward',
    'Query',
    query('pk = :pages AND begins_with(sk, :1)', { Limit: 3, ...BACKWARD, ProjectionExpression: 'sk' }),
    TO_THE_END,
  ],
  ['by 7 with a filter', 'Query', pages(7, { FilterExpression: 'secret < :ten' }), TO_THE_END],
  [
    'by 7 with a filter that nothing passes',
    'Query',
    pages(7, { FilterExpression: 'secret < :zero' }),
    TO_THE_END,
  ],
  ['a count', 'Query', query('pk = :pages', { Select: 'COUNT', ReturnConsumedCapacity: 'TOTAL' })],
  ['a filtered count', 'Query', query('pk = :pages', { Select: 'COUNT', FilterExpression: 'secret < :ten' })],
  [
    'a consistent read',
    'Query',
    query('pk = :pages', { Select: 'COUNT', ConsistentRead: true, ReturnConsumedCapacity: 'INDEXES' }),
  ],
  ['from a key that is not there', 'Query', pages(3, { ExclusiveStartKey: thingKey('pages', '045') })],
  ['from a key of another partition', 'Query', pages(3, { ExclusiveStartKey: thingKey('other', '01') })],
  [
    'from a key outside the condition',
    'Query',
    query('pk = :pages AND sk < :10', { ExclusiveStartKey: thingKey('pages', '20') }),
  ],
  ['from half a key', 'Query', pages(3, { ExclusiveStartKey: { pk: s('pages') } })],
  ['from a key of another type', 'Query', pages(3, { ExclusiveStartKey: { pk: s('pages'), sk: n(1) } })],
  [
    'from a key with more members',
    'Query',
    pages(3, { ExclusiveStartKey: { ...thingKey('pages', '01'), x: n(1) } }),
  ],
  ['a limit of 0', 'Query', pages(0)],
  ['a limit below 0', 'Query', pages(-1)],
  ['a limit that is text', 'Query', query('pk = :pages', { Limit: 'x' })],
  ['a filter on a key', 'Query', query('pk = :pages', { FilterExpression: 'sk > :05' })],
  ['SPECIFIC_ATTRIBUTES without any', 'Query', query('pk = :pages', { Select: 'SPECIFIC_ATTRIBUTES' })],
  ['COUNT with a projection', 'Query', query('pk = :pages', { Select: 'COUNT', ProjectionExpression: 'sk' })],
  [
    'ALL_PROJECTED_ATTRIBUTES of a table',
    'Query',
    query('pk = :pages', { Select: 'ALL_PROJECTED_ATTRIBUTES' }),
  ],
  ['another Select', 'Query', query('pk = :pages', { Select: 'SOME' })],
  ['overlapping paths', 'Query', query('pk = :pages', { ProjectionExpression: 'secret, secret.a' })],
  ['an empty projection', 'Query', query('pk = :pages', { ProjectionExpression: '' })],
  ['an empty filter', 'Query', query('pk = :pages', { FilterExpression: '' })],
  ['a table that is not there', 'Query', { ...query('pk = :pages'), TableName: 'Nothing' }],
]);

const byRank = { IndexName: 'by-rank' };
const byGroup = { IndexName: 'by-group' };
const whole = { IndexName: 'whole' };
const SORT_RANK = [
  '= :three',
  '< :three',
  '<= :three',
  '> :three',
  '>= :three',
  'BETWEEN :minusOne AND :three',
];

const indexSteps: readonly Step[] = section('index', [
  ...SORT_RANK.flatMap((comparison) => [
    [`rank ${comparison}`, 'Query', query(`#group = :other AND #rank ${comparison}`, byRank)] as const,
    [
      `rank ${comparison} backward`,
      'Query',
      query(`#group = :other AND #rank ${comparison}`, { ...byRank, ...BACKWARD }),
    ] as const,
  ]),
  ['INCLUDE shows what it includes', 'Query', query('#group = :third', byRank)],
  [
    'by 2 over an index',
    'Query',
    query('#group = :other', { ...byRank, Limit: 2, ProjectionExpression: 'sk, #rank' }),
    TO_THE_END,
  ],
  [
    'by 2 over an index backward',
    'Query',
    query('#group = :other', { ...byRank, ...BACKWARD, Limit: 2, ProjectionExpression: 'sk, #rank' }),
    TO_THE_END,
  ],
  ['KEYS_ONLY shows keys', 'Query', query('#group = :third', byGroup), ANY_ORDER],
  [
    'by 3 over equal keys',
    'Query',
    query('#group = :other', { ...byGroup, Limit: 3 }),
    { ...TO_THE_END, ...ANY_ORDER },
  ],
  [
    'by 3 over equal keys backward',
    'Query',
    query('#group = :other', { ...byGroup, ...BACKWARD, Limit: 3 }),
    { ...TO_THE_END, ...ANY_ORDER },
  ],
  ['ALL shows the item', 'Query', query('#rank = :three', { ...whole, ReturnConsumedCapacity: 'INDEXES' })],
  [
    'a projection of what KEYS_ONLY lacks',
    'Query',
    query('#group = :third', { ...byGroup, ProjectionExpression: 'sk, secret' }),
    ANY_ORDER,
  ],
  [
    'a filter on what KEYS_ONLY lacks',
    'Query',
    query('#group = :third', { ...byGroup, FilterExpression: 'secret > :zero' }),
  ],
  [
    'a filter on a key of the table',
    'Query',
    query('#group = :third', { ...byGroup, FilterExpression: 'sk > :10' }),
    ANY_ORDER,
  ],
  [
    'ALL_ATTRIBUTES of KEYS_ONLY',
    'Query',
    query('#group = :third', { ...byGroup, Select: 'ALL_ATTRIBUTES' }),
  ],
  ['ALL_ATTRIBUTES of ALL', 'Query', query('#rank = :three', { ...whole, Select: 'ALL_ATTRIBUTES' })],
  [
    'a count with capacity',
    'Query',
    query('#group = :other', { ...byGroup, Select: 'COUNT', ReturnConsumedCapacity: 'INDEXES' }),
  ],
  ['a consistent read', 'Query', query('#group = :other', { ...byGroup, ConsistentRead: true })],
  ['a key of another type', 'Query', query('#group = :one', byGroup)],
  ['an empty key', 'Query', query('#group = :empty', byGroup)],
  ['an index that is not there', 'Query', query('#group = :other', { IndexName: 'by-nothing' })],
  [
    'from a key of the table',
    'Query',
    query('#group = :other', { ...byGroup, ExclusiveStartKey: thingKey('pages', '01') }),
  ],
  [
    'from a key of another index key',
    'Query',
    query('#group = :other', { ...byGroup, ExclusiveStartKey: aThing('pages', '00', { group: s('third') }) }),
  ],
]);

const numbers = { TableName: 'Numbers', IndexName: 'by-blob' };
const positive = { FilterExpression: 'id > :one AND #at > :zero', ...placeholders('#at :one :zero') };
const scanSteps: readonly Step[] = section('scan', [
  ['a table', 'Scan', { TableName: 'Blobs' }, ANY_ORDER],
  ['an index', 'Scan', { ...numbers, ReturnConsumedCapacity: 'INDEXES' }, ANY_ORDER],
  ['by 4', 'Scan', { TableName: 'Numbers', Limit: 4 }, { ...TO_THE_END, ...ANY_ORDER }],
  ['by 4 over an index', 'Scan', { ...numbers, Limit: 4 }, { ...TO_THE_END, ...ANY_ORDER }],
  ['by 4 with a filter', 'Scan', { ...numbers, Limit: 4, ...positive }, { ...TO_THE_END, ...ANY_ORDER }],
  ['a filtered count', 'Scan', { TableName: 'Numbers', Select: 'COUNT', ...positive }],
  [
    'a projection of what INCLUDE lacks',
    'Scan',
    { TableName: 'Things', ...byRank, ProjectionExpression: 'secret' },
  ],
  ['a consistent read of an index', 'Scan', { TableName: 'Things', ...byRank, ConsistentRead: true }],
  ['a segment without a total', 'Scan', { TableName: 'Things', Segment: 1 }],
  ['a total without a segment', 'Scan', { TableName: 'Things', TotalSegments: 2 }],
  ['a segment beyond the total', 'Scan', { TableName: 'Things', Segment: 2, TotalSegments: 2 }],
  ['a limit of 0', 'Scan', { TableName: 'Things', Limit: 0 }],
  ['names that are not used', 'Scan', { TableName: 'Things', ExpressionAttributeNames: { '#a': 'a' } }],
  ['a table that is not there', 'Scan', { TableName: 'Nothing' }],
]);

/** Reads the table and its indexes with Query and Scan. */
export const pageSteps: readonly Step[] = [
  ...putAll('pages', 'Things', ITEMS),
  ...tableSteps,
  ...pagingSteps,
  ...indexSteps,
  ...scanSteps,
];
