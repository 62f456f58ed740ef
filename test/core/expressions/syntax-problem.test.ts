import { MASK_STEPS } from '../../../src/core/expressions/budget.ts';
import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import { checkTemplate, checkTemplates, renderTemplates } from '../../../src/core/expressions/render.ts';
import { parseTokenTemplate } from '../../../src/core/expressions/token-expression.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { pathOf } from '../../../src/core/shared/member-path.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const problemOf = (parse: () => unknown): string | undefined => {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.message;
  }
};
const inTemplate = (text: string) =>
  problemOf(() => checkTemplate(text, { names: ['data'], filters: ['last4', 'append', 'json'] }, aBudget()));
const inReferences = (text: string) => problemOf(() => parseTokenTemplate(text, aBudget()));

const FILTER_OR_END = '`|` and a filter, or `}}`';
const ARGUMENTS_OR_MORE = `\`:\` and arguments, ${FILTER_OR_END}`;

describe('a syntax error in a template', () => {
  it.each([
    ['{{ data.number, reveal_last: 4 }}', 15, 'found `,`', FILTER_OR_END],
    ['{{ data.number reveal_last }}', 16, 'found a name', FILTER_OR_END],
    ['{{ data ; x }}', 9, 'found `;`', FILTER_OR_END],
    ['{{ data == 1 }}', 9, 'found `=`', FILTER_OR_END],
    ['{{ data "4242" }}', 9, 'found a text in quotation marks', FILTER_OR_END],
    ['{{ data 4242 }}', 9, 'found a number', FILTER_OR_END],
    ['{{ data ü }}', 9, 'found another character', FILTER_OR_END],
    ['{{- data 4 -}}', 10, 'found a number', FILTER_OR_END],
    ['{{ }}', 4, 'found `}}`', 'a value'],
    ['{{ | last4 }}', 4, 'found `|`', 'a value'],
    ['{{ {{ data }} }}', 4, 'found `{`', 'a value'],
    ['{{ (1..) }}', 8, 'found `)`', 'a value'],
    ['{{ (1;2) }}', 6, 'found `;`', 'a range such as `(1..3)`'],
    ['{{ (1..2 }}', 10, 'found `}}`', 'a range such as `(1..3)`'],
    ['{{ data[ }}', 10, 'found `}}`', '`]`'],
    ['{{ data | }}', 11, 'found `}}`', 'the name of a filter'],
    ['{{ data || last4 }}', 10, 'found `|`', 'the name of a filter'],
    ['{{ data | last4 last4 }}', 17, 'found a name', ARGUMENTS_OR_MORE],
    ['{{ data | last4, 4 }}', 16, 'found `,`', ARGUMENTS_OR_MORE],
    [
      '{{ data | append: "a" "b" }}',
      23,
      'found a text in quotation marks',
      `\`,\` and an argument, ${FILTER_OR_END}`,
    ],
    ['a {{ data }} {{ data, }}', 21, 'found `,`', FILTER_OR_END],
  ])('%s names column %i, what is there and what is expected', (text, column, found, expected) => {
    expect(inTemplate(text)).toBe(
      `is not a valid expression at column ${String(column)}: ${found}, expected ${expected}`,
    );
  });

  it.each([
    ['{{ data.number', 'has an expression that is not closed: its `{{` is at column 1'],
    ['a {{ data }} {{', 'has an expression that is not closed: its `{{` is at column 14'],
    ['{{ data | append: "x }}', 'has a text in quotation marks that is not closed: it starts at column 19'],
    ['{{ data | lst4 }}', 'has an unknown filter `lst4` at column 11; did you mean `last4`?'],
    ['{{ data | upper }}', 'has an unknown filter `upper` at column 11; did you mean `upcase`?'],
    ['{{ data | length }}', 'has an unknown filter `length` at column 11; did you mean `size`?'],
    ['{{ data | 4242424242424242 }}', 'has an unknown filter at column 11'],
    ['{{ data | last4 }} {{ dta }}', 'has a name other than data at column 23; did you mean `data`?'],
    ['{{ data | append: other }}', 'has a name other than data at column 19'],
    ['{{ data | lstrip }}', 'has a filter other than last4, append, json at column 11'],
    ['a {% if %}', 'has a tag at column 3; only {{ }} is supported'],
    [
      'a\n{{ data, }}',
      `is not a valid expression at line 2, column 8: found \`,\`, expected ${FILTER_OR_END}`,
    ],
  ])('%j: %s', (text, message) => {
    expect(inTemplate(text)).toBe(message);
  });

  it('always names a position, and quotes nothing but punctuation and the name of a filter', () => {
    const pieces = fc.constantFrom(
      ...['{{', '}}', '|', ' data', '.', 'secretname', '[', ']', '4242', ':', ',', "'", '"', '\\', '(', ')'],
      ...['..', '-', ' ', 'last4', 'append', 'nil', '=', '==', '{%', '\u{1F600}', '\ud800', '\n', '`'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), fc.boolean(), (inner, isWrapped) => {
        const text = isWrapped ? `{{ data${inner.join('')} }}` : inner.join('');
        for (const message of [inTemplate(text), inReferences(text)]) {
          if (message === undefined) continue;
          expect(message).toMatch(/ at (line \d+, )?column \d+(:|;|$)/);
          expect(message.replaceAll(/`[a-z_]*secretname[a-z_]*\d?`/g, '')).not.toMatch(/secret|4242/);
          expect(message.length).toBeLessThan(200);
        }
      }),
      { numRuns: cases(1_500) },
    );
  });

  it('has a position also where it is too deep for the parser', () => {
    expect(inTemplate(`{{ ${'a['.repeat(4_900)} }}`)).toMatch(/^is not a valid expression at column \d+/);
  });
});

describe('a syntax error in a detokenization expression', () => {
  it.each([
    ['{{ abc | lst4 }}', 'has an unknown filter `lst4` at column 10; did you mean `last4`?'],
    ['x {{ abc', 'has an expression that is not closed: its `{{` is at column 3'],
    ['{{ abc | append: data }}', 'has a name at column 18; filters see the value alone'],
    ['{{ | last4 }}', 'has an expression without the id of a token at column 1'],
    [
      '{{ a }}{{ b | last4 4 }}',
      `is not a valid expression at column 21: found a number, expected ${ARGUMENTS_OR_MORE}`,
    ],
    ['{{ abc | append: "x }}', 'has a text in quotation marks that is not closed: it starts at column 18'],
  ])('%s: %s', (text, message) => {
    expect(inReferences(text)).toBe(message);
  });
});

describe('the templates of a JSON value', () => {
  const value: Json = {
    number: '{{ data, }}',
    a: [{ b: '{{ data | to_number }}' }, 1, '{{ data }}'],
    c: 'x',
  };

  it('are all checked, each error with its place', () => {
    const found: string[] = [];
    const budget = aBudget();
    checkTemplates(value, { names: ['data'] }, budget, (_error, place) => {
      found.push(pathOf(place, 'mask'));
    });
    expect(found).toEqual(['mask.number']);
    renderTemplates(value, { data: 'x' }, budget, (_error, place) => {
      found.push(pathOf(place, 'mask'));
    });
    expect(found).toEqual(['mask.number', 'mask.number', 'mask.a[0].b']);
  });

  it.each(['{{x}}', '{{ data |', '{% if %}', '{{ data | nothing }}'])(
    'are not all looked at if most of them are wrong: %s',
    (text) => {
      const reported = jest.fn();
      const budget = aBudget().part(MASK_STEPS);
      const texts = Array.from({ length: 980 }, (_, index) => text.replace('x', `x${String(index)}`));
      expect(() => {
        checkTemplates(texts, { names: ['data'] }, budget, reported);
      }).toThrow('takes more than');
      expect(reported.mock.calls.length).toBeLessThan(20);
    },
  );

  it('fail together where the budget is used up, which is no fault of one of them', () => {
    const reported = jest.fn();
    const budget = aBudget().part(10);
    expect(() => renderTemplates(value, { data: 'x' }, budget, reported)).toThrow('takes more than 10 steps');
    expect(reported).not.toHaveBeenCalled();
  });
});
