import { REQUEST_STEPS } from '../../../src/core/expressions/budget.ts';
import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import {
  fillTokenTemplate,
  type Filling,
  parseTokenTemplate,
  referencesOf,
} from '../../../src/core/expressions/token-expression.ts';
import { EXPRESSIONS_MAX } from '../../../src/core/shared/field-reporter.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { tokenIdProblem } from '../../../src/core/tokens/token-id.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const fillingWith = (valueOf: Filling['valueOf']): Filling => ({ valueOf, budget: aBudget() });
const parsed = (text: string) =>
  referencesOf(parseTokenTemplate(text, aBudget())).map(({ id, isWhole }) => ({ id, isWhole }));
/** A row with a separate title: a text may be very long. */
const titled = (text: string) => [text.slice(0, 40), text] as const;
const fill = (text: string, values: Record<string, Json>) =>
  fillTokenTemplate(
    parseTokenTemplate(text, aBudget()),
    fillingWith(({ id }) => values[id] ?? null),
  );

describe('a reference to a token', () => {
  it.each([
    ['{{ abc }}', 'abc'],
    ['{{abc}}', 'abc'],
    ['{{   abc   }}', 'abc'],
    ['{{\tabc\t}}', 'abc'],
    ["{{ it's mine }}", "it's mine"],
    ['{{ "quoted" }}', '"quoted"'],
    ["{{ o'brien | last4 }}", "o'brien"],
    ['{{ a:b.c-d_e }}', 'a:b.c-d_e'],
    ['{{ 6b86b273-ff34-4ce1-9d6b-804eff5a3f57 }}', '6b86b273-ff34-4ce1-9d6b-804eff5a3f57'],
    ['{{ żółć \u{1F600} }}', 'żółć \u{1F600}'],
    ['{{ token }}', 'token'],
    ['{{ tokenizer:1 }}', 'tokenizer:1'],
    ['{{ my token: x }}', 'my token: x'],
    ['{{ Token: x }}', 'Token: x'],
    ['{{ data.number }}', 'data.number'],
    ['{{ __proto__ }}', '__proto__'],
    ['{{ {x | last4 }}', undefined],
  ])('%s names %j', (text, id) => {
    if (id === undefined) expect(() => parsed(text)).toThrow(ExpressionError);
    else expect(parsed(text)).toEqual([{ id, isWhole: false }]);
  });

  it.each([
    ['{{ token: abc }}', 'abc'],
    ['{{token:abc}}', 'abc'],
    ['{{ token : abc }}', 'abc'],
    ['{{ token: token:abc }}', 'token:abc'],
    ["{{ token: it's | json: '$.metadata' }}", "it's"],
  ])('%s means the whole token %j', (text, id) => {
    expect(parsed(text)).toEqual([{ id, isWhole: true }]);
  });

  it.each(
    [
      '{{',
      'a {{ b',
      '{{ }}',
      '{{}}',
      '{{ | last4 }}',
      '{{ token: }}',
      '{{ token: | last4 }}',
      '{{ a }',
      '{{ {{ a }} }}',
      '{{{ a }}}',
      '{{ a\nb }}',
      '{{ abc | nope }}',
      '{{ abc | }}',
      '{{ abc | last4, }} x {{ abc, | last4 ) }}',
      "{{ abc | append: '}} }}",
      String.raw`{{ abc | append: '\' }}`,
      '{{ ok }} and {{',
      '{{ s | append: value }}',
      '{{ s | append: data }}',
      '{{ s | append: metadata.a }}',
      '{{ s | slice: (1..value) }}',
      '{{ token: s | append: "x", s }}',
      `{{ abc | append: '${'a'.repeat(10_001)}' }}`,
      `{{ ${'a'.repeat(10_001)} }}`,
    ].map(titled),
  )('rejects %s', (_, text) => {
    expect(() => parsed(text)).toThrow(ExpressionError);
  });

  it('may have any id of a token', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 3, maxLength: 40, unit: 'grapheme' }),
        fc.boolean(),
        (input, isWhole) => {
          const id = input.trim();
          fc.pre(tokenIdProblem(id) === undefined && !/^token\s*:/.test(id));
          const text = `a {{ ${isWhole ? 'token: ' : ''}${id} }} b {{${id}|last4}}`;
          expect(parsed(text)).toEqual([
            { id, isWhole },
            { id, isWhole: false },
          ]);
        },
      ),
      { numRuns: cases(700) },
    );
  });

  it('is rejected at the first reference too many for a request, before the rest is read', () => {
    const many = '{{ a }}'.repeat(EXPRESSIONS_MAX);
    expect(parsed(many)).toHaveLength(EXPRESSIONS_MAX);
    const budget = aBudget();
    const charge = jest.spyOn(budget, 'charge');
    expect(() => parseTokenTemplate(many.repeat(3), budget)).toThrow('more than 10000 expressions');
    expect(charge.mock.calls.length).toBeLessThan(EXPRESSIONS_MAX + 10);
  });

  it('is rejected with a message that contains neither id nor text', () => {
    for (const text of ['{{ 4242424242424242 | 4242 }}', '{{ 4242424242424242', '{{ {4242} }}'])
      expect(() => parsed(text)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('4242') }),
      );
  });
});

describe('filling in', () => {
  it.each<[string, Json]>([
    ['{{ a }}', { number: '4242', list: [1, null] }],
    ['{{ n }}', 7],
    ['{{ t }}', false],
    ['{{ nothing }}', null],
    ['{{ a | json: "$.number" }}', '4242'],
    ["{{ a | json: '$.list[0]' | plus: 1 }}", 2],
    [' {{ n }}', ' 7'],
    ['{{ a }}!', '{"number":"4242","list":[1,null]}!'],
    ['{{ n }}{{ n }}', '77'],
    ['[{{ nothing }}]', '[]'],
    ["{{ s | append: '}}' }}", 'x}}'],
    [String.raw`{{ s | append: '\'}}' }}`, "x'}}"],
    ["{{ s | append: ' {{ n }} ' }}", 'x {{ n }} '],
    ["{{ s | append: '|' }}", 'x|'],
    ['no reference', 'no reference'],
    ['{ n }} }{', '{ n }} }{'],
    ['{{ s | reveal_last: 0, mask="*" }}', '*'],
  ])('%s gives %j', (text, result) => {
    expect(fill(text, { a: { number: '4242', list: [1, null] }, n: 7, t: false, s: 'x' })).toEqual(result);
  });

  it('never parses a filled-in value again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('{{ b }}', '{{', '}}', 'x', ' | ', "'", '{{ token: b }}'), { maxLength: 8 }),
        (parts) => {
          const value = parts.join('');
          const asked: string[] = [];
          const result = fillTokenTemplate(
            parseTokenTemplate('{{ a }}-{{ a | append: "" }}', aBudget()),
            fillingWith(({ id }) => {
              asked.push(id);
              return value;
            }),
          );
          expect(result).toBe(`${value}-${value}`);
          expect(asked).toEqual(['a', 'a']);
        },
      ),
    );
  });

  it('encodes only filled-in values', () => {
    const result = fillTokenTemplate(
      parseTokenTemplate('a b={{ x }}&c d', aBudget()),
      fillingWith(() => 'e f'),
      encodeURIComponent,
    );
    expect(result).toBe('a b=e%20f&c d');
  });

  it('reports a failing filter without the value', () => {
    expect(() => fill('{{ s | to_number }}', { s: '4242x' })).toThrow(
      new ExpressionError('has a to_number filter on a value that is not a number'),
    );
  });

  it.each(['{{ a }}', 'x {{ a }}'])(
    'takes less than the budget of a request for %s with a hundred tokens of 60 kB',
    (text) => {
      const filling = fillingWith(() => 'x'.repeat(60_000));
      for (let token = 0; token < 100; token += 1)
        fillTokenTemplate(parseTokenTemplate(text, filling.budget), filling, encodeURIComponent);
      expect(filling.budget.used).toBeLessThan(REQUEST_STEPS);
    },
  );

  it('is limited, also over several texts that share a budget', () => {
    const value = 'x'.repeat(1_000_000);
    expect(() =>
      fillTokenTemplate(
        parseTokenTemplate('{{ a }}'.repeat(1_000), aBudget()),
        fillingWith(() => value),
      ),
    ).toThrow(ExpressionError);
    const filling = fillingWith(() => value);
    const one = () => fillTokenTemplate(parseTokenTemplate('{{ a | upcase }}', aBudget()), filling);
    expect(() => Array.from({ length: 100 }, one)).toThrow(ExpressionError);
  });

  it.each(
    [
      '{{ abc }}'.repeat(600_000),
      '{{ abc | last4 }}'.repeat(300_000),
      '{{'.repeat(3_000_000),
      '{'.repeat(6_000_000),
      `{{ a |${' '.repeat(6_000_000)}`,
      "{{ a | append: '".repeat(300_000),
      '{{ a | b '.repeat(600_000),
    ].map(titled),
  )('reads a body like %s only once', (_, text) => {
    try {
      expect(parseTokenTemplate(text, aBudget()).length).toBeGreaterThan(0);
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
    }
  });
});
