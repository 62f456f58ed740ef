import type { Item } from '../../../../src/dynamodb/item.ts';
import { aThing, n, s, thingKey } from '../../a-dynamodb.ts';
import { placeholders, section, type Step } from './step.ts';

const KEYS: readonly (readonly [title: string, key: Item])[] = [
  ['no key', {}],
  ['half a key', { pk: s('refused') }],
  ['the sort key alone', { sk: s('1') }],
  ['a key of another type', { pk: n(1), sk: s('1') }],
  ['a key that is NULL', { pk: { NULL: true }, sk: s('1') }],
  ['an empty partition key', { pk: s(''), sk: s('1') }],
  ['an empty sort key', { pk: s('refused'), sk: s('') }],
];

const keySteps: readonly Step[] = KEYS.flatMap(([title, key]) =>
  section('key refused', [
    [`put with ${title}`, 'PutItem', { TableName: 'Things', Item: { ...key, v: n(1) } }],
    [`get with ${title}`, 'GetItem', { TableName: 'Things', Key: key }],
    [`update with ${title}`, 'UpdateItem', { TableName: 'Things', Key: key, UpdateExpression: 'REMOVE v' }],
    [`delete with ${title}`, 'DeleteItem', { TableName: 'Things', Key: key }],
  ]),
);

const anItem = { TableName: 'Things', Item: aThing('refused', '1') };
const aKey = { TableName: 'Things', Key: thingKey('refused') };
const one = placeholders(':one');

const expressionSteps: readonly Step[] = section('expression refused', [
  ['a reserved word', 'PutItem', { ...anItem, ConditionExpression: 'name = :one', ...one }],
  ['the reserved word size', 'PutItem', { ...anItem, ConditionExpression: 'size = :one', ...one }],
  ['a reserved word in a path', 'GetItem', { ...aKey, ProjectionExpression: 'doc.name' }],
  ['a value that is not used', 'PutItem', { ...anItem, ConditionExpression: 'attribute_exists(pk)', ...one }],
  [
    'a name that is not used',
    'PutItem',
    { ...anItem, ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeNames: { '#a': 'a' } },
  ],
  ['a value that is not defined', 'PutItem', { ...anItem, ConditionExpression: 'pk = :nothing' }],
  ['a name that is not defined', 'PutItem', { ...anItem, ConditionExpression: '#nothing = :one', ...one }],
  ['values without an expression', 'PutItem', { ...anItem, ...one }],
  ['names without an expression', 'PutItem', { ...anItem, ExpressionAttributeNames: { '#a': 'a' } }],
  [
    'empty values',
    'PutItem',
    { ...anItem, ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeValues: {} },
  ],
  [
    'empty names',
    'PutItem',
    { ...anItem, ConditionExpression: 'attribute_exists(pk)', ExpressionAttributeNames: {} },
  ],
  [
    'a value without its colon',
    'PutItem',
    { ...anItem, ConditionExpression: 'v = one', ExpressionAttributeValues: { one: n(1) } },
  ],
  [
    'a name without its hash',
    'PutItem',
    { ...anItem, ConditionExpression: 'attribute_exists(a)', ExpressionAttributeNames: { a: 'b' } },
  ],
  ['an empty condition', 'PutItem', { ...anItem, ConditionExpression: '' }],
  ['a condition of spaces', 'PutItem', { ...anItem, ConditionExpression: '  ' }],
  ['an unknown function', 'PutItem', { ...anItem, ConditionExpression: 'exists(pk)' }],
  ['a function without operands', 'PutItem', { ...anItem, ConditionExpression: 'attribute_exists()' }],
  [
    'a function with too many operands',
    'PutItem',
    { ...anItem, ConditionExpression: 'attribute_exists(pk, sk)' },
  ],
  [
    'a value where a path belongs',
    'PutItem',
    { ...anItem, ConditionExpression: 'attribute_exists(:one)', ...one },
  ],
  ['size where a condition belongs', 'PutItem', { ...anItem, ConditionExpression: 'size(pk)' }],
  ['a parenthesis too few', 'PutItem', { ...anItem, ConditionExpression: '(pk = :one', ...one }],
  ['redundant parentheses', 'PutItem', { ...anItem, ConditionExpression: '((v = :one))', ...one }],
  ['a chained comparison', 'PutItem', { ...anItem, ConditionExpression: ':one = v = :one', ...one }],
  ['two equal values', 'PutItem', { ...anItem, ConditionExpression: ':one = :one', ...one }],
  ['an index that is no number', 'PutItem', { ...anItem, ConditionExpression: 'attribute_exists(lst[x])' }],
  [
    'an expression of 4 KB',
    'PutItem',
    { ...anItem, ConditionExpression: `attribute_not_exists(${'a'.repeat(250)})${' '.repeat(4096 - 272)}` },
  ],
  [
    'an expression over 4 KB',
    'PutItem',
    { ...anItem, ConditionExpression: `attribute_not_exists(${'a'.repeat(250)})${' '.repeat(4097 - 272)}` },
  ],
  [
    'IN of 100 operands',
    'PutItem',
    {
      ...anItem,
      ConditionExpression: `v IN (${Array(100).fill(':one').join()}) OR attribute_not_exists(v)`,
      ...one,
    },
  ],
  [
    'IN of 101 operands',
    'PutItem',
    { ...anItem, ConditionExpression: `v IN (${Array(101).fill(':one').join()})`, ...one },
  ],
  [
    'old and new parameters',
    'PutItem',
    { ...anItem, ConditionExpression: 'v = :one', ...one, Expected: { v: { Exists: false } } },
  ],
  ['an empty update', 'UpdateItem', { ...aKey, UpdateExpression: '' }],
  ['an empty projection', 'GetItem', { ...aKey, ProjectionExpression: '' }],
  ['overlapping projections', 'GetItem', { ...aKey, ProjectionExpression: 'doc, doc.a' }],
  ['conflicting projections', 'GetItem', { ...aKey, ProjectionExpression: 'doc.a, doc[0]' }],
  ['a projection twice', 'GetItem', { ...aKey, ProjectionExpression: 'doc, doc' }],
]);

const requestSteps: readonly Step[] = section('request refused', [
  ['no body', 'GetItem', ''],
  ['no JSON', 'GetItem', '{"TableName"'],
  ['no object', 'GetItem', '[]'],
  ['no members', 'GetItem', {}],
  ['a table name that is a number', 'GetItem', { ...aKey, TableName: 5 }],
  ['a key that is text', 'GetItem', { ...aKey, Key: 'a' }],
  ['a value that is text', 'GetItem', { ...aKey, Key: { pk: 'a', sk: 'b' } }],
  ['a text that is a number', 'GetItem', { ...aKey, Key: { pk: { S: 1 }, sk: s('1') } }],
  [
    'a number that is no text',
    'PutItem',
    { ...anItem, Item: { ...aThing('refused', 'number'), v: { N: 1 } } },
  ],
  ['a flag that is text', 'GetItem', { ...aKey, ConsistentRead: 'yes' }],
  ['a member that is unknown', 'GetItem', { ...aKey, Unknown: 1 }],
  ['a table name of two characters', 'GetItem', { ...aKey, TableName: 'ab' }],
  ['a table name with a space', 'GetItem', { ...aKey, TableName: 'a table' }],
  ['another ReturnConsumedCapacity', 'GetItem', { ...aKey, ReturnConsumedCapacity: 'SOME' }],
  ['another ReturnValues', 'PutItem', { ...anItem, ReturnValues: 'SOME' }],
  [
    'another ReturnValuesOnConditionCheckFailure',
    'PutItem',
    { ...anItem, ReturnValuesOnConditionCheckFailure: 'SOME' },
  ],
  ['an item without members', 'PutItem', { TableName: 'Things', Item: {} }],
  ['no item', 'PutItem', { TableName: 'Things' }],
  ['put into a table that is not there', 'PutItem', { ...anItem, TableName: 'Nothing' }],
  ['get from a table that is not there', 'GetItem', { ...aKey, TableName: 'Nothing' }],
  ['update in a table that is not there', 'UpdateItem', { ...aKey, TableName: 'Nothing' }],
  ['delete from a table that is not there', 'DeleteItem', { ...aKey, TableName: 'Nothing' }],
  ['an operation that is not there', 'DoNothing', {}],
]);

/** Requests that are wrong by themselves. */
export const refusalSteps: readonly Step[] = [...keySteps, ...expressionSteps, ...requestSteps];
