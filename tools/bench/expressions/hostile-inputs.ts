import type { Json } from '../../../src/core/shared/json.ts';

/** An expression and data of a size for it; the cost grows with the size. */
export interface HostileInput {
  readonly filter: string;
  readonly expression: string;
  readonly data: (size: number) => Json;
}

const repeat = (unit: string) => (size: number) => unit.repeat(Math.ceil(size / unit.length));
const list =
  (element: (index: number) => Json, characters = 8) =>
  (size: number): Json =>
    Array.from({ length: Math.ceil(size / characters) }, (_, index) => element(index));
const scattered = (index: number): number => (index * 7_919) % 1_000_003;

/** Each list contains another, and the last one contains text. */
const nested = (size: number): Json => {
  let value: Json = ['', 'a'.repeat(size)];
  for (let level = 0; level < 60; level += 1) value = ['', value];
  return value;
};

const TEXTS: readonly (readonly [what: string, data: (size: number) => Json])[] = [
  ['letters', repeat('a')],
  ['spaces', repeat(' ')],
  ['mixed', repeat('Aé &<>"\'-=\r\n%2')],
  ['control characters', repeat('\u0001')],
  ['wide', repeat('€')],
  ['pairs', repeat('\u{1F600}')],
  ['digits', repeat('1')],
  ['entities', repeat('&amp;')],
  ['tags', repeat('<script')],
  ['opened', repeat('<')],
  ['line ends', repeat('\r\n')],
  ['dashes', repeat('-a')],
  ['nested', nested],
];

const LISTS: readonly (readonly [what: string, data: (size: number) => Json])[] = [
  ['numbers', list(scattered)],
  ['fractions', list((index) => scattered(index) / 7 + 1e-7)],
  ['texts', list((index) => String(scattered(index)))],
  ['long texts', list((index) => `${'a'.repeat(400)}${String(scattered(index))}`, 400)],
  ['upper case', list((index) => `É${'A'.repeat(400)}${String(scattered(index))}`, 400)],
  ['lists', list((index) => [scattered(index)], 12)],
  [
    'long lists',
    list((index) => Array.from({ length: 60 }, (_, at) => scattered(at === 59 ? index : 1)), 300),
  ],
  ['objects', list((index) => ({ a: { a: scattered(index) } }), 20)],
  ['many members', list((index) => ({ a: 1, b: 2, c: 3, d: 4, e: String(index), f: null }), 50)],
  ['empty', list(() => [], 3)],
  [
    'one object',
    (size) =>
      Object.fromEntries(
        Array.from({ length: Math.ceil(size / 8) }, (_, at) => [`n${String(scattered(at))}`, at]),
      ),
  ],
];

const ON_TEXT = [
  ...[
    'append: "a"',
    'append: data',
    'prepend: data',
    'capitalize',
    'downcase',
    'upcase',
    'default: data',
    'date: "%Y"',
  ],
  ...[
    'escape',
    'escape_once',
    'newline_to_br',
    'strip',
    'lstrip',
    'rstrip',
    'strip: "\u0001 a€"',
    'rstrip: "\u{1F600} 1a"',
  ],
  ...[
    'lstrip: "\u{1F600} 1a"',
    'strip_html',
    'strip_newlines',
    'size',
    'slice: 0, 100000',
    'slice: -1, 1',
    'truncate: 100000',
  ],
  ...[
    'truncate: 1',
    'truncatewords: 100000',
    'truncatewords: 1',
    'url_encode',
    'url_decode',
    'base64_encode',
    'base64_decode',
  ],
  ...[
    'remove: "a"',
    'remove: "<"',
    'remove_first: "b"',
    'remove_last: "b"',
    'replace: "a", "b"',
    'replace: "a", ""',
    'replace_first: "b", "c"',
  ],
  ...[
    'replace_last: "b", "c"',
    "split: ''",
    'split: "a"',
    'split: " "',
    'plus: 1',
    'abs',
    'round',
    'times: data',
    'at_least: data',
    'at_most: 1',
    'ceil',
    'divided_by: 2',
    'floor',
    'minus: data',
    'modulo: 7',
    'to_string',
  ],
  ...[
    'to_number',
    'to_boolean',
    'stringify',
    'last4',
    'card_bin',
    'reveal_last: 4',
    'reveal_first: 4',
    'reveal',
    'card_mask',
  ],
  ...[
    'reveal: 0, 0, "X", " a-"',
    `reveal: 1, 1, '${'XY'.repeat(50)}'`,
    `reveal: 1, 1, 'X', '${'XY'.repeat(50)}'`,
    `reveal_last: 0, '${'€'.repeat(100)}'`,
  ],
  ...[
    `card_mask: true, true, 'X', '${'€'.repeat(100)}'`,
    'sort',
    'uniq',
    'join: "a"',
    'first',
    'json: "$.a"',
  ],
];

const NEAR = 'a'.repeat(990);
const SEARCHES = [
  'remove',
  'remove_first',
  'remove_last',
  'replace',
  'replace_first',
  'replace_last',
  'split',
].flatMap((name) =>
  [
    `'${NEAR}b'`,
    `'b${NEAR}'`,
    `'${'a'.repeat(400)}b${'a'.repeat(400)}'`,
    `'${'a'.repeat(30)}b'`,
    `'b${'a'.repeat(30)}'`,
    `'aaab'`,
    `'baaa'`,
  ].map((pattern) => `${name}: ${pattern}${name.startsWith('replace') ? ', "x"' : ''}`),
);

const ON_LISTS = [
  ...[
    'compact',
    'concat: data',
    'first',
    'last',
    'join',
    `join: '${'€'.repeat(900)}'`,
    'reverse',
    'sort',
    'sort_natural',
    'sort: "a"',
    'sort: "a.a"',
  ],
  ...[
    'sort_natural: "a"',
    `sort: "${'a.'.repeat(300)}"`,
    'uniq',
    'size',
    'map: "a"',
    'map: "a.a"',
    `map: "${'.'.repeat(900)}"`,
    'sum',
    'sum: "a"',
  ],
  ...[
    `sum: "${'a.'.repeat(400)}"`,
    'where: "a"',
    'where: "a", data',
    'where: "a.a", 1',
    `where: "${'a.'.repeat(400)}a"`,
    `where: "${'a['.repeat(200)}1${']'.repeat(200)}"`,
  ],
  ...[
    'where: "a[(1..1000)]"',
    'slice: 0, 100000',
    'stringify',
    'stringify | size',
    'to_string',
    'append: ""',
    'downcase',
    'last4',
    'split: ","',
  ],
  ...[
    'concat: data | concat: data | concat: data | join',
    'concat: data | concat: data | concat: data | stringify',
    'concat: data | uniq',
  ],
];

const PATHS = [
  ...[
    '$..a',
    '$..*',
    '$.*',
    '$[0]',
    '$..[?@.a]',
    '$[?@.a == 1]',
    '$[?@ == $[0]]',
    '$[?@.* == 1]',
    '$[?$.*]',
    '$[?count($.*) > 1].z',
    '$[?length(@) > 100].z',
  ],
  ...[
    '$[?count(@..*) > 100].z',
    '$..[?@ == $[1]].z',
    '$..*..*.z',
    '$[::2].z',
    '$[0:1000000:1].z',
    '$[-1]',
    '$[?@.a.a == "x" || @.a < "y"].z',
    '$[?!@.a && @.b].z',
  ],
  ...[
    '$["a","a","a","a"].z',
    '$[0,1,2,3].z',
    '$..[0,1,2,3].z',
    '$[?value(@.a) == 1].z',
    `$${'.a'.repeat(450)}`,
    `$${"['a','a']".repeat(10)}.z`,
  ],
  `$[?${Array.from({ length: 90 }, () => '1==2').join('||')}].z`,
].map((path) => `json: '${path}'`);

const DATES = [
  '%c',
  '%x',
  '%X',
  '%A',
  '%B',
  '%a',
  '%b',
  '%Z',
  '%U',
  '%Y-%m-%d',
  '%N',
  '%j',
  '%99Y',
  '%^#_0-50B',
  'aaaa',
  '%%',
  '%z',
].flatMap((format) => [`date: '${format}'`, `date: '${format.repeat(Math.floor(900 / format.length))}'`]);

/** Expressions that are expensive to parse: they differ in each run, so that nothing is cached. */
export const SOURCES: readonly ((size: number) => string)[] = [
  (size) => `data${'.a'.repeat(size / 2)}`,
  (size) => `data${'["a"]'.repeat(size / 5)}`,
  (size) => `data${'[0]'.repeat(size / 3)}`,
  (size) => `${'data['.repeat(size / 6)}1${']'.repeat(size / 6)}`,
  (size) => `data | append: '${'a'.repeat(size)}'`,
  (size) => `data | append: ${'"a",'.repeat(size / 4)}'x'`,
  (size) => `data${"|append:''".repeat(29)}${' '.repeat(size)}`,
  (size) => `data | append: '${String.raw`\n`.repeat(size / 2)}'`,
  (size) => `(1..${'1'.repeat(size)})`,
  (size) => '('.repeat(size),
  (size) => `data | ${'a'.repeat(size)}`,
  (size) => `data | append:${'a=1,'.repeat(size / 4)} 'x'`,
  (size) => `data${' '.repeat(size)}x`,
  (size) => `data | default: ${'(1..2),'.repeat(size / 7)}1`,
  (size) => `data | append: ${'data.a,'.repeat(size / 7)}data`,
];

const named = (filters: readonly string[], data: readonly (readonly [string, (size: number) => Json])[]) =>
  filters.flatMap((filter) =>
    data.map(([what, each]): HostileInput => ({
      filter: `${filter.slice(0, 40)} of ${what}`,
      expression: `data | ${filter}`,
      data: each,
    })),
  );

/** Contains every filter, with the values that are most expensive for their size. */
export const HOSTILE_INPUTS: readonly HostileInput[] = [
  ...named([...ON_TEXT, ...SEARCHES], TEXTS),
  ...named(ON_LISTS, LISTS),
  ...named(PATHS, [...LISTS, ['nested', nested]]),
  ...named(DATES, [
    ['now', () => 'now'],
    ['number', () => 1e9],
    ['text', () => 'Tue, 03 Feb 2026 10:00:00 +0100'],
  ]),
  ...named(
    [
      'pad_left: 10000',
      'pad_right: 10000, "€a"',
      'alias_card',
      'alias_card: true, true',
      'alias_preserve_format',
      'alias_preserve_length',
    ],
    [
      ['digits', (size) => '1'.repeat(Math.min(size, 400))],
      ['letters', (size) => 'aB-'.repeat(Math.min(Math.ceil(size / 3), 100))],
    ],
  ),
  ...named(['size'], [['nothing', () => null]]),
  { filter: 'value alone', expression: 'data', data: list(scattered) },
  { filter: 'member', expression: 'data["a"]', data: () => ({ a: 1 }) },
  { filter: 'range', expression: '(1..data)', data: (size) => size },
  { filter: 'arguments', expression: `data | append: data${'.a'.repeat(300)}`, data: () => ({}) },
  { filter: 'members', expression: `data${'["a"]'.repeat(80)}`, data: () => ({}) },
  { filter: 'members inside', expression: `${'data['.repeat(60)}1${']'.repeat(60)}`, data: () => ({}) },
  { filter: 'ranges', expression: `data | append: (1..2)${', (1..2)'.repeat(50)}`, data: () => 'a' },
  { filter: 'filters', expression: `data ${'| append: ""'.repeat(30)}`, data: () => 'a' },
];
