import { createBudget } from '../../../src/core/expressions/budget.ts';
import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import { OWN_FILTERS } from '../../../src/core/expressions/filters.ts';
import { liquidExpression } from '../../../src/core/expressions/liquid-expression.ts';
import { plainExpression } from '../../../src/core/expressions/plain-expression.ts';
import type { Expression } from '../../../src/core/expressions/result.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

/** The result of an expression, or its error message if it is one of ours. */
function outcome(expression: Expression, data: Json): unknown {
  try {
    return {
      value: expression.evaluate(
        { data },
        createBudget(() => 0),
      ),
    };
  } catch (error) {
    return { fails: error instanceof ExpressionError ? error.message : 'otherwise' };
  }
}

const names = fc.constantFrom(
  'data',
  'a',
  'b',
  '_',
  'a1',
  'true',
  'nil',
  'size',
  'first',
  'A',
  'a-b',
  'a?',
  '',
);
const path = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const space = fc.constantFrom('', ' ', '  ', '\t', '\n', ' ', '-');
const literal = fc.oneof(
  fc.constantFrom(
    '4',
    '0',
    '-1',
    '2.5',
    '007',
    '1.',
    '.5',
    '1e3',
    '99999999999',
    'true',
    'false',
    'nil',
    'True',
  ),
  fc.constantFrom(
    '"*"',
    "'X'",
    "'a b'",
    '"',
    "'it\\'s'",
    '"a\\nb"',
    "'|'",
    "','",
    "'$.a'",
    "'$.a.b'",
    "'$..a'",
    "''",
  ),
  path,
);
const argument = fc
  .tuple(
    fc.constantFrom('', '', 'mask', 'first', 'last', 'bin', 'true', 'M'),
    fc.constantFrom(':', '=', '==', ' = '),
    literal,
  )
  .map(([name, sign, value]) => (name === '' ? value : `${name}${sign}${value}`));
const filter = fc
  .tuple(
    space,
    fc.constantFrom(...OWN_FILTERS.keys(), 'append', 'last5', 'Last4', ''),
    space,
    fc.constantFrom('', ':', ':', ' : '),
    fc.array(argument, { maxLength: 3 }),
    fc.constantFrom(',', ', ', ' , ', ' '),
    fc.constantFrom('', '', '', ',', ' '),
  )
  .map(([before, name, after, colon, input, comma, end]) =>
    ['|', before, name, after, colon, colon === '' ? '' : input.join(comma), end].join(''),
  );
const source = fc
  .tuple(space, fc.constantFrom('data.', 'data.', ''), path, space, fc.array(filter, { maxLength: 3 }), space)
  .map(([before, root, rest, after, filters, end]) => [before, root, rest, after, ...filters, end].join(''));
const values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(fc.string(), fc.constantFrom('4242 4242-4242', 'true', '12.5', ''), fc.integer(), fc.boolean()),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
})).value;

it('expressions evaluated without Liquid have the result of Liquid', () => {
  let compared = 0;
  fc.assert(
    fc.property(source, values, (text, data) => {
      const plain = plainExpression(text);
      if (plain === undefined) return;
      compared += 1;
      const liquid = liquidExpression(text);
      expect([plain.names, plain.filters]).toEqual([liquid.names, liquid.filters]);
      expect(outcome(plain, data)).toEqual(outcome(liquid, data));
    }),
    { numRuns: cases(6_000) },
  );
  expect(compared).toBeGreaterThan(200);
});

it.each([
  'data',
  'data.number | reveal_last: 4',
  ' data.a|last4 ',
  "data | reveal: 1, 2, mask: '*'",
  "data | json: '$.a'",
])('%s needs no Liquid', (text) => {
  expect(plainExpression(text)).toBeDefined();
});

it.each([
  '"text"',
  'data[0]',
  'data | append: "x"',
  'data | last4: data.a',
  'data | last4 |',
  'true',
  'data | none',
])('%s is left to Liquid', (text) => {
  expect(plainExpression(text)).toBeUndefined();
});
