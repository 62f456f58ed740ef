import { aThing, n, s, thingKey } from '../../a-dynamodb.ts';
import { list, map, placeholders, putAll, section, type Step } from './step.ts';

const anItem = (sk: string) =>
  aThing('updates', sk, {
    num: n(5),
    title: s('hello'),
    lst: list(n(1), s('a'), n(3)),
    doc: map({ a: n(1) }),
    words: { SS: ['a', 'b'] },
    digits: { NS: ['1', '2'] },
    group: s('updates'),
    rank: n(7),
    name: s('x'),
  });

const UPDATES: readonly string[] = [
  'SET title = :a',
  'SET title = :a, num = :one',
  'SET title = num, num = title',
  'SET added = :a',
  'SET num = num + :one',
  'SET num = num - :ten',
  'SET num = :one - num',
  'SET num = :one + :two',
  'SET num = num + :huge',
  'SET num = absent + :one',
  'SET num = title + :one',
  'SET num = num + :a',
  'SET num = if_not_exists(absent, :zero) + :one',
  'SET num = if_not_exists(num, :zero)',
  'SET added = if_not_exists(num, :a)',
  'SET added = if_not_exists(absent, title)',
  'SET lst = list_append(lst, :list)',
  'SET lst = list_append(:list, lst)',
  'SET lst = list_append(lst, lst)',
  'SET added = list_append(if_not_exists(absent, :emptyList), :list)',
  'SET lst = list_append(title, :list)',
  'SET lst = list_append(lst, :a)',
  'SET lst = list_append(absent, :list)',
  'SET lst[0] = :a',
  'SET lst[9] = :a',
  'SET lst[9] = :a, lst[8] = :b',
  'SET lst[1] = lst[0]',
  'SET doc.a = :two',
  'SET doc.b = :two',
  'SET doc.inner.b = :two',
  'SET absent.b = :two',
  'SET lst[0].x = :two',
  'SET doc[0] = :two',
  'SET doc = :map',
  'SET doc.inner = :emptyMap',
  'SET digits = :words',
  'SET added = :true, other = :null, third = :bytes, fourth = :emptyList',
  'SET title = :empty',
  'SET blob = :emptyBytes',
  'REMOVE title',
  'REMOVE absent',
  'REMOVE title, num',
  'REMOVE lst[0]',
  'REMOVE lst[0], lst[2]',
  'REMOVE lst[7]',
  'REMOVE doc.a',
  'REMOVE doc.absent',
  'REMOVE absent.b',
  'REMOVE lst[0] SET lst[2] = :a',
  'ADD num :one',
  'ADD num :minusOne',
  'ADD added :one',
  'ADD words :otherWords',
  'ADD added :words',
  'ADD doc.a :one',
  'ADD digits :digits',
  'ADD words :a',
  'ADD title :one',
  'ADD num :a',
  'ADD words :digits',
  'ADD lst :list',
  'DELETE words :otherWords',
  'DELETE words :words',
  'DELETE absent :words',
  'DELETE num :one',
  'DELETE words :digits',
  'DELETE words :a',
  'SET title = :a REMOVE num ADD digits :ten DELETE words :otherWords',
  'SET title = :a REMOVE num ADD digits :digits DELETE words :otherWords',
  'set title = :a remove num',
  'SET #group = :a',
  'SET #group = :a, #rank = :two',
  'SET #rank = :two',
  'SET #name = :b',
  'REMOVE #group',
  'REMOVE #rank',
  'SET #rank = :a',
  'SET #group = :one',
  'SET #group = :empty',
  'SET pk = :a',
  'SET sk = sk',
  'REMOVE sk',
  'ADD pk :one',
  'SET title = :a SET num = :one',
  'SET title = :a, title = :b',
  'SET doc = :map, doc.a = :one',
  'SET doc.a = :one REMOVE doc',
  'SET doc.a = :one, doc[0] = :one',
  'SET name = :a',
  'SET title',
  'SET title = ',
  'SET title = :a,',
  'SET title = title * :two',
  'SET title = size(lst)',
  'SET title = unknown(lst)',
  'SET title = if_not_exists(:a, :b)',
  'SET title = if_not_exists(title)',
  'PUT title = :a',
  'REMOVE',
  'SET title == :a',
];

const KINDS = ['UPDATED_NEW', 'UPDATED_OLD'];

/**
 * Every update is applied to two fresh items: one returns the new item, the other the changed
 * attributes.
 */
export const updateSteps: readonly Step[] = [
  ...putAll(
    'updates',
    'Things',
    UPDATES.flatMap((_, index) => [anItem(`${String(index)} all`), anItem(`${String(index)} changed`)]),
  ),
  ...section(
    'update',
    UPDATES.flatMap((update, index) => {
      const input = { TableName: 'Things', UpdateExpression: update, ...placeholders(update) };
      const all = {
        ...input,
        Key: thingKey('updates', `${String(index)} all`),
        ReturnValues: 'ALL_NEW',
        ReturnConsumedCapacity: 'INDEXES',
      };
      const ReturnValues = KINDS[index % 2] ?? '';
      const changed = { ...input, Key: thingKey('updates', `${String(index)} changed`), ReturnValues };
      return [
        [update, 'UpdateItem', all] as const,
        [`${update}, ${ReturnValues}`, 'UpdateItem', changed] as const,
      ];
    }),
  ),
];

const upsert = (sk: string, update: string, ReturnValues: string): object => ({
  TableName: 'Things',
  Key: thingKey('upserts', sk),
  ...(update !== '' && { UpdateExpression: update, ...placeholders(update) }),
  ReturnValues,
  ReturnConsumedCapacity: 'TOTAL',
});

/** Updates of items that do not exist. */
export const upsertSteps: readonly Step[] = section('upsert', [
  ['without an expression', 'UpdateItem', upsert('1', '', 'ALL_NEW')],
  ['SET', 'UpdateItem', upsert('2', 'SET title = :a', 'ALL_NEW')],
  ['SET returns nothing old', 'UpdateItem', upsert('3', 'SET title = :a', 'ALL_OLD')],
  ['SET returns nothing updated', 'UpdateItem', upsert('4', 'SET title = :a', 'UPDATED_OLD')],
  ['REMOVE makes the item', 'UpdateItem', upsert('5', 'REMOVE title', 'UPDATED_NEW')],
  ['ADD of a number', 'UpdateItem', upsert('6', 'ADD hits :one', 'UPDATED_NEW')],
  ['DELETE makes the item', 'UpdateItem', upsert('7', 'DELETE words :words', 'ALL_NEW')],
  ['list_append to nothing', 'UpdateItem', upsert('8', 'SET lst = list_append(lst, :list)', 'ALL_NEW')],
  ['an update that failed makes no item', 'GetItem', { TableName: 'Things', Key: thingKey('upserts', '8') }],
  [
    'every item',
    'Query',
    {
      TableName: 'Things',
      KeyConditionExpression: 'pk = :upserts',
      ...placeholders(':upserts'),
    },
  ],
]);
