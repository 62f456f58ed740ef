import fc from 'fast-check';
import { parseExpression } from '../../../core/expressions/expression.ts';
import type { Json } from '../../../core/shared/json.ts';

/** Names alone do not go through Liquid; in brackets they do. */
const names = fc.constantFrom(
  ...['a', 'b', 'A', '_', 'a1', 'size', 'first', 'last', 'contains', 'and', 'or', 'in'],
  ...['__proto__', 'constructor', 'toString', 'toLiquid', 'true', 'nil', 'empty'],
);
const values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  ),
})).value;

it('names alone are what they are in brackets', () => {
  fc.assert(
    fc.property(fc.array(names, { maxLength: 3 }), values, (path, data) => {
      const alone = parseExpression(['data', ...path].join('.'));
      const inBrackets = parseExpression(`data${path.map((name) => `["${name}"]`).join('')}`);
      expect(alone({ data })).toEqual(inBrackets({ data }));
    }),
    { numRuns: 5_000 },
  );
});

it.each([
  ['true', true],
  ['false', false],
  ['nil', null],
  ['null', null],
  ['missing', null],
  ['__proto__', null],
  ['True', null],
])('%s is %j', (source, value) => {
  expect(parseExpression(source)({ data: 1 })).toBe(value);
});

it('a word of Liquid is a name where it is a member', () => {
  expect(parseExpression('data.true')({ data: { true: 1 } })).toBe(1);
});
