import { MASK_STEPS, REQUEST_STEPS } from '../../../src/core/expressions/budget.ts';
import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import { renderTemplate, renderTemplates } from '../../../src/core/expressions/render.ts';
import type { Json, JsonObject } from '../../../src/core/shared/json.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const renderText = (template: string, data: Json, budget = aBudget()) =>
  renderTemplate(template, { data }, budget);
const render = (expression: string, data: Json = null) => renderText(`{{ ${expression} }}`, data);

/**
 * The result or the error. The tests measure steps, not time, and no evaluation has more steps than
 * a budget.
 */
function outcome(expression: string, data: Json = null, budget = aBudget()): unknown {
  try {
    return renderText(`{{ ${expression} }}`, data, budget);
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError);
    return 'refused';
  } finally {
    expect(budget.used).toBeLessThanOrEqual(REQUEST_STEPS);
  }
}

/** Rows with a separate title, since an expression may be very long. */
const named = (rows: readonly (readonly [string, Json])[]) =>
  rows.map(([expression, data]) => [expression.slice(0, 60), expression, data] as const);

const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1), b: 2 });

describe('names other than own JSON members of a value', () => {
  const data = { text: 'abc', list: [1, 2], object: { a: 1 }, number: 1 };

  it.each(
    [
      'constructor',
      '__proto__',
      'prototype',
      'toString',
      'valueOf',
      'hasOwnProperty',
      'length',
      'size',
      'first',
      'last',
    ].flatMap((name) => [
      name,
      `data.${name}`,
      `data["${name}"]`,
      `data.text.${name}`,
      `data.list.${name}`,
      `data.list["${name}"]`,
      `data.object.${name}`,
      `data.number.${name}`,
      `data.constructor.${name}`,
      `data | json: "$.${name}"`,
      `data.list | json: "$.${name}"`,
      `data.list | map: "${name}" | compact | first`,
      `data.object | map: "${name}" | first`,
      `data.object | map: "${name}.${name}" | first`,
    ]),
  )('%s is null or empty', (expression) => {
    expect(outcome(expression, data)).toBeNull();
  });

  it.each([
    'globalThis',
    'process',
    'process.env',
    'require',
    'this',
    'data.text[0]',
    'data.list["0"]',
    'env',
    'forloop',
    'metadata',
  ])('%s is null or empty', (expression) => {
    expect(outcome(expression, data)).toBeNull();
  });

  it('own members with such names are ordinary members', () => {
    const own = JSON.parse(
      '{"__proto__":{"a":1},"constructor":"c","size":7,"first":"f","toString":"t"}',
    ) as JsonObject;
    expect(render('data.size', own)).toBe(7);
    expect(render('data.first', own)).toBe('f');
    expect(render('data.constructor', own)).toBe('c');
    expect(render('data.toString', own)).toBe('t');
    expect(render('data.__proto__.a', own)).toBe(1);
    expect(JSON.stringify(render('data', own))).toBe(JSON.stringify(own));
  });

  it('no expression changes a prototype', () => {
    renderTemplates(JSON.parse('{"__proto__":{"polluted":"{{ data }}"}}') as Json, { data: 1 }, aBudget());
    render('data', JSON.parse('{"__proto__":{"polluted":1}}') as Json);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('filters on elements read only own members', () => {
    expect(render('data | where: "constructor" | size', [{}, { a: 1 }])).toBe(0);
    expect(render('data | where: "__proto__" | size', [{}])).toBe(0);
    expect(render('data | sort: "constructor" | size', [{}, {}])).toBe(2);
    expect(render('data | sum: "length"', ['abc', [1]])).toBe(0);
  });
});

describe('the budget of an evaluation', () => {
  it.each(
    named([
      ['(1..1000000000)', null],
      ['(1..1000000000) | size', null],
      ['(1..15000000) | reveal_last: 4', null],
      ['(1..data)', 1e15],
      ['data | where: "a[(1..100000)]", 1', Array.from({ length: 100_000 }, () => ({}))],
      [`data ${`| reveal_last: 0, mask: '${'X'.repeat(100)}'`.repeat(6)}`, '4242424242424242'],
      [`data ${`| card_mask: mask: '${'X'.repeat(100)}'`.repeat(20)}`, '4242424242424242'],
      [`data ${"| replace: 'a', 'aaaaaaaaaa'".repeat(20)}`, 'a'],
      [`data ${'| append: data'.repeat(29)}`, 'a'.repeat(1_000_000)],
      [`data ${'| concat: data'.repeat(29)}`, ['a'.repeat(1_000_000)]],
      [`data ${"| split: '' | join: '          '".repeat(15)}`, 'a'.repeat(100_000)],
      [`data ${'| url_encode'.repeat(30)}`, '€'.repeat(500_000)],
      [`data ${'| base64_encode'.repeat(30)}`, 'a'.repeat(100_000)],
      [`data ${'| newline_to_br'.repeat(30)}`, '\n'.repeat(1_000_000)],
      [`data ${'| escape'.repeat(30)}`, '&'.repeat(1_000_000)],
      ["'now' | date: '%999999999Y'", null],
      ["'now' | date: '%999999999N'", null],
      ["'now' | date: data", '%B'.repeat(100_000)],
      ['data | pad_left: 100000', 'a'],
      [`data | pad_left: 99999, '${'a'.repeat(100)}'`, 'a'],
      ['data | slice: 0, 1000000000000', 'a'],
      [
        'data.list | map: data.path',
        { list: Array.from({ length: 100_000 }, () => ({})), path: 'a.'.repeat(100_000) },
      ],
      [
        'data.list | where: data.path',
        { list: Array.from({ length: 100_000 }, () => ({})), path: 'a.'.repeat(100_000) },
      ],
      ['data.text | remove: data.part', { text: 'a'.repeat(1_500_000), part: `b${'a'.repeat(500_000)}` }],
      ['data.text | split: data.part', { text: 'a'.repeat(1_500_000), part: `b${'a'.repeat(500_000)}` }],
      [`data | json: '$${'..*'.repeat(12)}.z'`, nested(60)],
      [`data | json: "$${"['a','a']".repeat(60)}.z"`, nested(60)],
      ['data | json: "$..[?count($..*) > 1].z"', Array.from({ length: 1_500 }, () => ({ a: [1, 2] }))],
      [
        `data | json: "$[?${Array.from({ length: 90 }, () => '1==2').join('||')}]"`,
        Array.from({ length: 200_000 }, () => 1),
      ],
      [`data | json: '$${'.a'.repeat(1_000)}'`, nested(60)],
    ]),
  )('rejects %s', (_, expression, data) => {
    expect(outcome(expression, data)).toBe('refused');
  });

  it.each(
    named([
      ['data | to_number', `${'1'.repeat(1_000_000)}x`],
      ['data | to_number', `${'1'.repeat(500_000)}.${'1'.repeat(500_000)}x`],
      ['data | strip_html', '<'.repeat(1_000_000)],
      ['data | strip_html', '<script'.repeat(200_000)],
      ['data | strip_newlines', '\r'.repeat(1_000_000)],
      ['data | truncatewords: 5', ' '.repeat(1_000_000)],
      ['data | base64_decode', '='.repeat(1_000_000)],
      ['data | strip', `${' '.repeat(1_000_000)}x`],
      ['data | escape_once', '&amp'.repeat(300_000)],
      ['data | sort | uniq | size', Array.from({ length: 50_000 }, (_, index) => (index * 7919) % 100_003)],
      ['data | json: "$..zz"', Array.from({ length: 400_000 }, () => 1)],
      [
        'data | json: "$[?@ == $[0]]"',
        Array.from({ length: 500 }, () => Array.from({ length: 500 }, () => 1)),
      ],
      ['data | date: "%Y"', '1'.repeat(1_000_000)],
      ['data | to_boolean', 'true'.repeat(200_000)],
      [`${'data['.repeat(1_500)}1${']'.repeat(1_500)}`, 1],
      ['('.repeat(9_000), 1],
      ['data['.repeat(1_900), 1],
      [`data${' '.repeat(9_900)}x`, 1],
      [`data | append:${' '.repeat(9_900)}'x'`, 1],
      [`data | append: ${'"'.repeat(9_900)}`, 1],
      [`data | append: ${',a'.repeat(4_900)}`, 1],
      [`data${'.a'.repeat(4_900)}`, nested(60)],
    ]),
  )('is enough for %s, with the same steps each time', (_, expression, data) => {
    const used = [1, 2].map(() => {
      const budget = aBudget();
      outcome(expression, data, budget);
      return budget.used;
    });
    expect(used[0]).toBe(used[1]);
    expect(used[0]).toBeGreaterThan(0);
  });

  it('is shared by the expressions of a text and by the texts of a mask', () => {
    const data = Array.from({ length: 1_000 }, (_, index) => (index * 7_919) % 100_003);
    const budget = aBudget();
    expect(renderText('{{ data | sort | size }}{{ data | sort | size }}', data, budget)).toBe('10001000');
    const twice = budget.used;
    renderText('{{ data | sort | size }}', data, budget);
    expect(budget.used).toBeGreaterThan(twice);
    expect(() => renderText('{{data|reverse|sort|size}}'.repeat(300), data)).toThrow(ExpressionError);
    for (const [text, value] of [
      ['{{ data | stringify | last4 }}', data],
      ['{{ data }}', 'a'.repeat(100_000)],
    ] as const)
      expect(() =>
        renderTemplates(
          Array.from({ length: 10_000 }, () => text),
          { data: value },
          aBudget(),
        ),
      ).toThrow(ExpressionError);
  });

  it('allows nothing more once it is exceeded, not even cheap expressions', () => {
    const budget = aBudget();
    expect(outcome(`data ${'| append: data'.repeat(29)}`, 'a'.repeat(1_000_000), budget)).toBe('refused');
    expect(outcome('data', 1, budget)).toBe('refused');
  });

  it('survives the failure of a part, whose steps count for the whole', () => {
    const budget = aBudget();
    const part = budget.part(MASK_STEPS);
    expect(
      outcome(
        'data | sort | size',
        Array.from({ length: 10_000 }, () => 1),
        part,
      ),
    ).toBe('refused');
    expect(part.used).toBe(MASK_STEPS);
    expect(budget.used).toBeLessThanOrEqual(MASK_STEPS);
    expect(outcome('data | last4', '4242424242424242', budget.part(MASK_STEPS))).toBe('4242');
    expect(outcome('data | last4', '4242424242424242', part)).toBe('refused');
  });

  it('limits a part to the remaining steps of the whole', () => {
    const budget = aBudget();
    budget.charge(REQUEST_STEPS - 1);
    expect(outcome('data', 1, budget.part(MASK_STEPS))).toBe('refused');
  });

  it.each([NaN, Infinity, REQUEST_STEPS + 1])('rejects %d steps', (steps) => {
    expect(() => {
      aBudget().charge(steps);
    }).toThrow(ExpressionError);
  });

  it('is enough for the default fingerprint of the largest data', () => {
    const longest = 3_499_000;
    for (const data of [
      'a'.repeat(longest),
      { text: '\u0001'.repeat(longest / 6) },
      Array.from({ length: longest / 2 }, () => 0),
      Array.from({ length: longest / 4 }, () => 0.1),
      Array.from({ length: longest / 3 }, () => []),
      Array.from({ length: longest / 8 }, () => ({ a: 0 })),
    ])
      expect(typeof render('data | stringify', data)).toBe('string');
  });

  it('is enough for a few filters on a long text', () => {
    const text = 'a'.repeat(500_000);
    expect(render('data | reveal_last: 4', text)).toHaveLength(text.length);
    expect(render("data | remove: '-' | downcase | stringify | size", text)).toBe(text.length);
  });

  it.each<[string, Json]>([
    ['data.number | reveal_last: 4', { number: '4242424242424242' }],
    ['data.number | card_mask: true, true', { number: '4242424242424242' }],
    ["data | json: '$.holder.names[0]' | upcase", { holder: { names: ['ada'] } }],
    ["data.at | date: '%d %B %Y'", { at: '2026-02-03' }],
    ["data.lines | where: 'type', 'a' | map: 'price' | sum", { lines: [{ type: 'a', price: 5 }] }],
  ])('is enough for a mask with five times %s', (expression, data) => {
    const budget = aBudget().part(MASK_STEPS);
    for (let time = 0; time < 5; time += 1) expect(outcome(expression, data, budget)).not.toBe('refused');
  });
});

describe('json paths', () => {
  const order = {
    items: [
      { id: 'a', price: 1 },
      { id: 'b', price: 2 },
    ],
    total: 3,
    none: null,
  };

  it.each<[string, Json]>([
    ['$.total', 3],
    ['$.none', null],
    ['$.missing', null],
    ['$.items[0].id', 'a'],
    ['$.items[-1].id', 'b'],
    ['$.items[?@.price > 1].id', 'b'],
    ['$.items[?length(@.id) == 1 && @.price == 1].id', 'a'],
    ["$['items'][1]['price']", 2],
    ['$', order],
    ['$..total', 3],
    ['$.items[?@.price == 9]', null],
    ['$[?count(@.*) == 2].x', null],
  ])('%s selects one value or none', (path, value) => {
    expect(render(`data | json: "${path}"`, order)).toEqual(value);
  });

  it.each(['$.*', '$..id', '$.items[*]', '$.items[0,1]', "$['total','total']", '$..*'])(
    '%s is rejected, since it selects several values',
    (path) => {
      expect(outcome(`data | json: "${path}"`, order)).toBe('refused');
    },
  );

  it.each([
    '',
    'total',
    '$.',
    '$[',
    '$..',
    '$[?match(@.id, ".*")]',
    '$[?search(@.id, "a")]',
    '$[?nope(@)]',
    '$[(@.length-1)]',
    '$.items[?(@.constructor("x")())]',
    '$.items[?@.id =~ /a/]',
    '$.~',
    '$[?process.exit()]',
    '$.items[9007199254740993]',
  ])('%j is rejected: it is not a path, or would run code', (path) => {
    expect(outcome(`data | json: '${path}'`, order)).toBe('refused');
  });

  it('follows .. as deep as a body can be nested', () => {
    const deep = Array.from({ length: 64 }).reduce<Json>((inner) => ({ a: inner }), { x: 'end' });
    expect(render('data | json: "$..x"', deep)).toBe('end');
  });

  it('select nothing in a value that is neither object nor array', () => {
    for (const data of ['{"a":1}', 5, true, null]) expect(outcome('data | json: "$.a"', data)).toBeNull();
  });
});
