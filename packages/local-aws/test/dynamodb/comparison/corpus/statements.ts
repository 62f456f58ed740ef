import type { AttributeValue, Item } from '../../../../src/dynamodb/item.ts';
import { n, ofBytes, s } from '../../a-dynamodb.ts';
import { list, map, section, type Step } from './step.ts';

/** Like an item of `Parameters`, or something that is none. */
type Parameter = AttributeValue | object;

const INSERT = `INSERT INTO "Things" VALUE {'pk': ?, 'sk': ?, 'v': ?}`;
const INDEXES = { ReturnConsumedCapacity: 'INDEXES' };

const statement = (Statement: string, Parameters?: readonly Parameter[], more: object = {}): object => ({
  Statement,
  ...(Parameters !== undefined && { Parameters }),
  ...more,
});
/** Inserts the attributes with the statement that the audit trail uses. */
const inserted = (item: Readonly<Record<string, Parameter>>, more: object = {}, table = 'Things'): object =>
  statement(
    `INSERT INTO "${table}" VALUE {${Object.keys(item)
      .map((name) => `'${name}': ?`)
      .join(', ')}}`,
    Object.values(item),
    more,
  );
const thing = (pk: string, item: Readonly<Record<string, Parameter>> = {}, more: object = {}): object =>
  inserted({ pk: s(pk), sk: s('1'), ...item }, more);
const batch = (Statements: readonly object[], more: object = {}): object => ({ Statements, ...more });
const many = (length: number, pk: string): readonly object[] =>
  Array.from({ length }, (_, index) => thing(`${pk} ${String(index)}`));
const getOf = (pk: string): object => ({ TableName: 'Things', Key: { pk: s(pk), sk: s('1') } });
const values = (pk: string): readonly Parameter[] => [s(pk), s('1'), n(1)];

const everyType: Item = {
  text: s('a'),
  number: n(1),
  binary: { B: 'AQID' },
  flag: { BOOL: true },
  nothing: { NULL: true },
  list: list(n(1), s('a')),
  map: map({ a: n(1) }),
  words: { SS: ['a', 'b'] },
  digits: { NS: ['1', '2'] },
  blank: s(''),
};

const validSteps: readonly Step[] = section('statement', [
  ['an insert', 'ExecuteStatement', thing('statement', { v: n(1) }, INDEXES)],
  ['what it inserted', 'GetItem', getOf('statement')],
  ['an insert of what is there', 'ExecuteStatement', thing('statement', { v: n(2) }, INDEXES)],
  [
    'an insert of what is there, which asks for it',
    'ExecuteStatement',
    thing('statement', { v: n(2) }, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
  ],
  ['what is still there', 'GetItem', getOf('statement')],
  ['every type', 'ExecuteStatement', thing('every type', everyType)],
  ['every type, as stored', 'GetItem', getOf('every type')],
  ['keys of indexes', 'ExecuteStatement', thing('indexed', { group: s('g'), rank: n(1) }, INDEXES)],
  ['an item of 3 KB', 'ExecuteStatement', thing('large', { v: ofBytes(3000) })],
  ['another form of a number', 'ExecuteStatement', thing('number', { v: { N: '05.00' } })],
  ['that number', 'GetItem', getOf('number')],
  ['another table', 'ExecuteStatement', inserted({ id: s('statement') }, {}, 'Plain')],
  ['no attributes besides the key', 'ExecuteStatement', thing('bare')],
  ['capacity in total', 'ExecuteStatement', thing('total', {}, { ReturnConsumedCapacity: 'TOTAL' })],
  ['a consistent insert', 'ExecuteStatement', thing('consistent', {}, { ConsistentRead: true })],
  ['an insert with a limit', 'ExecuteStatement', thing('limited', {}, { Limit: 1 })],
]);

const parameterSteps: readonly Step[] = section('statement parameters', [
  ['one too few', 'ExecuteStatement', statement(INSERT, [s('few'), s('1')])],
  ['one too many', 'ExecuteStatement', statement(INSERT, [...values('surplus'), n(2)])],
  ['one too many, as stored', 'GetItem', getOf('surplus')],
  ['none', 'ExecuteStatement', statement(INSERT)],
  ['an empty list', 'ExecuteStatement', statement(INSERT, [])],
  ['no object', 'ExecuteStatement', thing('refused 1', { v: {} })],
  ['an unknown type', 'ExecuteStatement', thing('refused 2', { v: { X: '1' } })],
  ['two types', 'ExecuteStatement', thing('refused 3', { v: { S: 'a', N: '1' } })],
  ['a number that is none', 'ExecuteStatement', thing('refused 4', { v: { N: 'abc' } })],
  ['an empty number', 'ExecuteStatement', thing('refused 5', { v: { N: '' } })],
  ['a number out of range', 'ExecuteStatement', thing('refused 6', { v: { N: '1e200' } })],
  ['a number of 39 digits', 'ExecuteStatement', thing('refused 7', { v: { N: '1'.repeat(39) } })],
  ['a bad number in a list', 'ExecuteStatement', thing('refused 8', { v: list({ N: 'abc' }) })],
  ['an empty set', 'ExecuteStatement', thing('refused 9', { v: { SS: [] } })],
  ['a set with duplicates', 'ExecuteStatement', thing('refused 10', { v: { SS: ['a', 'a'] } })],
  ['a key of another type', 'ExecuteStatement', inserted({ pk: n(1), sk: s('1') })],
  ['a sort key of another type', 'ExecuteStatement', inserted({ pk: s('refused 11'), sk: n(1) })],
  ['an empty key', 'ExecuteStatement', inserted({ pk: s(''), sk: s('1') })],
  ['no sort key', 'ExecuteStatement', inserted({ pk: s('refused 12') })],
  ['no key at all', 'ExecuteStatement', inserted({ v: s('refused 13') })],
  ['an index key of another type', 'ExecuteStatement', thing('refused 14', { group: n(1) })],
  ['an empty index key', 'ExecuteStatement', thing('refused 15', { group: s('') })],
  ['a key of 2 KB and more', 'ExecuteStatement', thing('k'.repeat(2049))],
  ['an item over 400 KB', 'ExecuteStatement', thing('refused 16', { v: ofBytes(410 * 1024) })],
]);

const requestSteps: readonly Step[] = section('statement refused', [
  ['no members', 'ExecuteStatement', {}],
  ['an empty statement', 'ExecuteStatement', statement('')],
  ['8,192 characters', 'ExecuteStatement', statement(INSERT.padEnd(8192), values('of 8192'))],
  ['8,193 characters', 'ExecuteStatement', statement(INSERT.padEnd(8193), values('of 8193'))],
  ['a table that is not there', 'ExecuteStatement', inserted({ id: s('a') }, {}, 'Nothing')],
  ['a table name of two characters', 'ExecuteStatement', inserted({ id: s('a') }, {}, 'ab')],
  ['a table name with a space', 'ExecuteStatement', inserted({ id: s('a') }, {}, 'a table')],
  ['a table without a name', 'ExecuteStatement', inserted({ id: s('a') }, {}, '')],
  [
    'another ReturnConsumedCapacity',
    'ExecuteStatement',
    thing('refused 18', {}, { ReturnConsumedCapacity: 'SOME' }),
  ],
  ['a member that is unknown', 'ExecuteStatement', thing('unknown member', {}, { Unknown: 1 })],
  [
    'a select',
    'ExecuteStatement',
    statement(`SELECT * FROM "Things" WHERE pk = ? AND sk = ?`, [s('statement'), s('1')]),
  ],
  [
    'an update',
    'ExecuteStatement',
    statement(`UPDATE "Things" SET v = ? WHERE pk = ? AND sk = ?`, [n(3), s('statement'), s('1')]),
  ],
  [
    'a delete',
    'ExecuteStatement',
    statement(`DELETE FROM "Things" WHERE pk = ? AND sk = ?`, [s('statement'), s('1')]),
  ],
  [
    'a value in the text',
    'ExecuteStatement',
    statement(`INSERT INTO "Things" VALUE {'pk': 'literal', 'sk': ?}`, [s('1')]),
  ],
]);

const malformed = { Statement: 'nonsense' };

const batchSteps: readonly Step[] = section('statements', [
  ['one', 'BatchExecuteStatement', batch([thing('batch of one', { v: n(1) })])],
  [
    'two tables',
    'BatchExecuteStatement',
    batch([thing('two tables', { group: s('g') }), inserted({ id: s('two tables') }, {}, 'Plain')], INDEXES),
  ],
  ['one that is there', 'BatchExecuteStatement', batch([thing('new 1'), thing('batch of one')], INDEXES)],
  [
    'one that is there, and its item',
    'BatchExecuteStatement',
    batch([thing('new 2'), thing('batch of one', {}, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })]),
  ],
  ['one malformed', 'BatchExecuteStatement', batch([thing('near 1'), malformed, thing('near 2')])],
  ['near one malformed, the first', 'GetItem', getOf('near 1')],
  ['near one malformed, the last', 'GetItem', getOf('near 2')],
  ['all malformed', 'BatchExecuteStatement', batch([malformed, { Statement: 'INSERT' }])],
  ...Object.entries({
    'an unknown verb': statement(INSERT.replace('INSERT', 'MERGE'), values('batch: verb')),
    'an empty statement': statement(''),
    'a statement of 8,193 characters': statement(INSERT.padEnd(8193), values('batch: long')),
    'no statement': {},
    'too few parameters': statement(INSERT, [s('batch: few')]),
    'too many parameters': statement(INSERT, [...values('batch: many'), n(2)]),
    'no parameters': statement(INSERT),
    'an empty list of parameters': statement(INSERT, []),
    'a value without a type': thing('refused 20', { v: {} }),
    'a number that is none': thing('refused 21', { v: { N: 'abc' } }),
    'a number out of range': thing('refused 22', { v: { N: '1e200' } }),
    'a bad number in a list': thing('refused 23', { v: list({ N: 'abc' }) }),
    'an empty set': thing('refused 24', { v: { SS: [] } }),
    'a set with duplicates': thing('refused 25', { v: { SS: ['a', 'a'] } }),
    'a key of another type': inserted({ pk: n(1), sk: s('1') }),
    'an empty key': inserted({ pk: s(''), sk: s('1') }),
    'no sort key': inserted({ pk: s('refused 26') }),
    'no key at all': inserted({ v: s('refused 27') }),
    'an index key of another type': thing('refused 28', { group: n(1) }),
    'an empty index key': thing('refused 29', { group: s('') }),
    'an item over 400 KB': thing('refused 30', { v: ofBytes(410 * 1024) }),
    'a table that is not there': inserted({ id: s('a') }, {}, 'Nothing'),
    'a table name of two characters': inserted({ id: s('a') }, {}, 'ab'),
    'an unknown member': thing('batch: unknown', {}, { Unknown: 1 }),
  }).flatMap(([title, wrong]) => [
    [title, 'BatchExecuteStatement', batch([thing(`next to ${title}`), wrong])] as const,
    [`next to ${title}`, 'GetItem', getOf(`next to ${title}`)] as const,
  ]),
  [
    'one item twice',
    'BatchExecuteStatement',
    batch([thing('once'), thing('twice'), thing('twice', { v: n(1) })]),
  ],
  ['with one item twice', 'GetItem', getOf('once')],
  [
    'one item twice, malformed once',
    'BatchExecuteStatement',
    batch([thing('well'), { ...thing('well'), Parameters: [s('well')] }]),
  ],
  ['none', 'BatchExecuteStatement', batch([])],
  ['nothing at all', 'BatchExecuteStatement', {}],
  ['25', 'BatchExecuteStatement', batch(many(25, 'of 25'))],
  ['26', 'BatchExecuteStatement', batch(many(26, 'of 26'))],
  [
    'a read and a write',
    'BatchExecuteStatement',
    batch([
      thing('mixed'),
      statement(`SELECT * FROM "Things" WHERE pk = ? AND sk = ?`, [s('statement'), s('1')]),
    ]),
  ],
  ['beside a read', 'GetItem', getOf('mixed')],
  [
    'another ReturnConsumedCapacity',
    'BatchExecuteStatement',
    batch([thing('refused 19')], { ReturnConsumedCapacity: 'SOME' }),
  ],
]);

/** PartiQL: each INSERT is in the form of the audit trail's, or near it. */
export const statementSteps: readonly Step[] = [
  ...validSteps,
  ...parameterSteps,
  ...requestSteps,
  ...batchSteps,
];
