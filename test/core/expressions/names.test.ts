import { parseExpression } from '../../../src/core/expressions/parse-expression.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const evaluate = (source: string, data: Json): Json =>
  parseExpression(source, aBudget()).evaluate({ data }, aBudget());

/** Names alone do not go through Liquid; names in brackets do. */
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

it('names alone have the same value as in brackets', () => {
  fc.assert(
    fc.property(fc.array(names, { maxLength: 3 }), values, (path, data) => {
      const alone = ['data', ...path].join('.');
      const inBrackets = `data${path.map((name) => `["${name}"]`).join('')}`;
      expect(evaluate(alone, data)).toEqual(evaluate(inBrackets, data));
    }),
    { numRuns: cases(1_500) },
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
  expect(evaluate(source, 1)).toBe(value);
});

it('a word of Liquid is an ordinary name of a member', () => {
  expect(evaluate('data.true', { true: 1 })).toBe(1);
});

it.each<[string, string[]]>([
  ['data', ['data']],
  ['data.a.b', ['data']],
  ['data.other', ['data']],
  ['data["other"]', ['data']],
  ['other', ['other']],
  ['data[other]', ['data', 'other']],
  ['data[other.a[third]]', ['data', 'other', 'third']],
  ['data | append: other', ['data', 'other']],
  ['data | append: other.data', ['data', 'other']],
  ['data | reveal_last: 4, mask: other', ['data', 'other']],
  ['data | reveal_last: 4, mask=other', ['data', 'other']],
  ['(1..other)', ['other']],
  ['(data.a..other)', ['data', 'other']],
  ['data | slice: (1..other)', ['data', 'other']],
  ['"other" | append: "other"', []],
  ['"other"', []],
  ['5 | plus: data.a', ['data']],
  ['true', []],
  ['nil | default: empty', []],
  ['True', ['True']],
  ['data.true', ['data']],
  ['["other"]', ['other']],
  ['["data"].a', ['data']],
  ['data | map: "other"', ['data']],
])('the names of %s are %j', (source, names) => {
  const used = parseExpression(source, aBudget()).names;
  expect(used.map(({ name }) => name)).toEqual(names);
  for (const { name, at } of used)
    expect(source.slice(at).replace(/^["']/, '')).toMatch(new RegExp(`^${name}`));
});
