import { n } from '../../a-dynamodb.ts';
import { placeholders, section, TO_THE_END, type Step } from './step.ts';

/** Texts that may be numbers. 38 digits and exponents of -130 to 125 are allowed. */
const NUMBERS: readonly string[] = [
  '0',
  '-0',
  '0.0',
  '1',
  '1.0',
  '01',
  '+5',
  '.5',
  '5.',
  '-.5',
  '1e2',
  '1E+2',
  '1e-2',
  '100e-2',
  '123.4560',
  '-12.50',
  '1e20',
  '1e21',
  '1e-7',
  '0.0000001',
  '1e-130',
  '1e-131',
  '9e125',
  '1e126',
  '-9.9999999999999999999999999999999999999E+125',
  '12345678901234567890123456789012345678',
  '123456789012345678901234567890123456789',
  '123456789012345678901234567890123456780',
  '0.12345678901234567890123456789012345678',
  '1.123456789012345678901234567890123456789',
  '',
  ' 5',
  '5 ',
  'abc',
  '1_0',
  '1,5',
  '0x1F',
  'NaN',
  'Infinity',
  '1e',
  '--1',
];
const SORTED = [-1e10, -100, -99.5, -1, -0.01, 0, 0.001, 0.01, 1, 9, 10, 99.5, 100, 1e10];
const BYTES = ['AA==', 'AAA=', 'AQ==', 'fw==', 'gA==', '/w==', '//8='];

const numberSteps: readonly Step[] = [
  ...section(
    'number',
    NUMBERS.flatMap((text, index) => {
      const id = `n${String(index)}`;
      const Item = { id: { S: id }, v: { N: text }, set: { NS: [text] } };
      return [
        [`put ${JSON.stringify(text)}`, 'PutItem', { TableName: 'Plain', Item }] as const,
        [`get ${JSON.stringify(text)}`, 'GetItem', { TableName: 'Plain', Key: { id: { S: id } } }] as const,
      ];
    }),
  ),
  ...section('number in a list', [
    ['put', 'PutItem', { TableName: 'Plain', Item: { id: { S: 'deep' }, deep: { L: [{ N: '1.0' }] } } }],
    ['get', 'GetItem', { TableName: 'Plain', Key: { id: { S: 'deep' } } }],
  ]),
  ...section(
    'number key',
    ['1.0', '1', '1e0', '1e126', '-0', 'x'].map((text) => [
      text,
      'PutItem',
      {
        TableName: 'Numbers',
        Item: { id: { N: text }, at: n(0), sent: { S: text } },
        ReturnValues: 'ALL_OLD',
      },
    ]),
  ),
  ...section(
    'number order',
    SORTED.map((at) => [
      `put ${String(at)}`,
      'PutItem',
      { TableName: 'Numbers', Item: { id: n(7), at: n(at), blob: { B: 'AQ==' } } },
    ]),
  ),
];

const ordered = (TableName: string, condition: string, values: object, more: object = {}): object => ({
  TableName,
  KeyConditionExpression: condition,
  ExpressionAttributeValues: values,
  ...more,
});
const seven = { ':seven': n(7) };
const blob = { ':blob': { B: 'AQ==' } };

const orderSteps: readonly Step[] = section('key order', [
  ['numbers', 'Query', ordered('Numbers', 'id = :seven', seven)],
  ['numbers backward', 'Query', ordered('Numbers', 'id = :seven', seven, { ScanIndexForward: false })],
  ['numbers by 4', 'Query', ordered('Numbers', 'id = :seven', seven, { Limit: 4 }), TO_THE_END],
  [
    'numbers from -1 on',
    'Query',
    ordered(
      'Numbers',
      'id = :seven AND #at > :x',
      { ...seven, ':x': { N: '-1.0' } },
      { ExpressionAttributeNames: { '#at': 'at' } },
    ),
  ],
  [
    'numbers over a binary index',
    'Query',
    ordered(
      'Numbers',
      'blob = :blob AND #at BETWEEN :low AND :high',
      { ...blob, ':low': n(-1), ':high': n(1) },
      { IndexName: 'by-blob', ExpressionAttributeNames: { '#at': 'at' } },
    ),
  ],
  [
    'begins_with of a number',
    'Query',
    ordered(
      'Numbers',
      'id = :seven AND begins_with(#at, :x)',
      { ...seven, ':x': n(1) },
      { ExpressionAttributeNames: { '#at': 'at' } },
    ),
  ],
  [
    'an empty binary index key',
    'Query',
    ordered('Numbers', 'blob = :blob', { ':blob': { B: '' } }, { IndexName: 'by-blob' }),
  ],
  [
    'an empty binary index key is not stored',
    'PutItem',
    { TableName: 'Numbers', Item: { id: n(8), at: n(8), blob: { B: '' } } },
  ],
  ...BYTES.map(
    (part) =>
      [
        `put ${part}`,
        'PutItem',
        { TableName: 'Blobs', Item: { id: { B: 'AQ==' }, part: { B: part } } },
      ] as const,
  ),
  ['binary', 'Query', ordered('Blobs', 'id = :blob', blob)],
  ['binary backward', 'Query', ordered('Blobs', 'id = :blob', blob, { ScanIndexForward: false })],
  [
    'binary by a prefix',
    'Query',
    ordered('Blobs', 'id = :blob AND begins_with(part, :p)', { ...blob, ':p': { B: '/w==' } }),
  ],
  [
    'binary from a byte on',
    'Query',
    ordered('Blobs', 'id = :blob AND part >= :p', { ...blob, ':p': { B: 'fw==' } }),
  ],
  [
    'an empty binary partition key',
    'PutItem',
    { TableName: 'Blobs', Item: { id: { B: '' }, part: { B: 'AQ==' } } },
  ],
  [
    'an empty binary sort key',
    'PutItem',
    { TableName: 'Blobs', Item: { id: { B: 'AQ==' }, part: { B: '' } } },
  ],
  [
    'a get by an empty binary key',
    'GetItem',
    { TableName: 'Blobs', Key: { id: { B: '' }, part: { B: 'AQ==' } } },
  ],
  ['a query by an empty binary key', 'Query', ordered('Blobs', 'id = :blob', { ':blob': { B: '' } })],
  [
    'a query by an empty text in a binary table',
    'Query',
    ordered('Blobs', 'id = :empty', {
      ...(placeholders(':empty') as { ExpressionAttributeValues: object }).ExpressionAttributeValues,
    }),
  ],
]);

/** Forms of numbers, and keys that are numbers and binary. */
export const keySteps: readonly Step[] = [...numberSteps, ...orderSteps];
