import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import {
  checkTemplate,
  checkTemplates,
  renderTemplate,
  renderTemplates,
} from '../../../src/core/expressions/render.ts';
import { TEMPLATE_MAX_LENGTH } from '../../../src/core/expressions/template.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const CARD = {
  number: '4242424242424242',
  expiration_month: 7,
  tags: ['b', 'a', 'c'],
  holder: { name: 'Ada', active: true, middle: null },
};

const render = (template: string, data: Json = CARD) => renderTemplate(template, { data }, aBudget());

describe('a text with expressions', () => {
  it.each<[string, Json]>([
    ['{{ data.number }}', '4242424242424242'],
    ['{{data.expiration_month}}', 7],
    ['{{ data.holder.active }}', true],
    ['{{ data.holder.middle }}', null],
    ['{{ data.tags }}', ['b', 'a', 'c']],
    ['{{ data.holder }}', { name: 'Ada', active: true, middle: null }],
    ['{{ data.tags[1] }}', 'a'],
    ['{{ data["holder"].name }}', 'Ada'],
    ['{{ data.tags | sort | join: "-" }}', 'a-b-c'],
    ['{{ data.expiration_month | plus: 5 }}', 12],
    ['{{ "text" }}', 'text'],
    ["{{ 'text' }}", 'text'],
    ['{{ 12.5 }}', 12.5],
    ['{{ -5 | abs }}', 5],
    ['{{ -5 }}', -5],
    ['{{ true }}', true],
    ['{{ nil }}', null],
    ['{{- data.expiration_month -}}', 7],
  ])('%s alone preserves the JSON type of its value', (template, value) => {
    expect(render(template)).toEqual(value);
  });

  it.each<[string, string]>([
    ['no expression', 'no expression'],
    ['', ''],
    ['a {{ data.number | last4 }} b', 'a 4242 b'],
    ['{{ data.expiration_month }}/{{ data.holder.active }}', '7/true'],
    ['[{{ data.holder.middle }}]', '[]'],
    ['[{{ data.missing.deeper }}]', '[]'],
    [' {{ data.tags }}', ' ["b","a","c"]'],
    [' {{ data.holder }}', ' {"name":"Ada","active":true,"middle":null}'],
    ['{{ data.expiration_month }}{{ data.expiration_month }}', '77'],
    ['a  {{- data.expiration_month -}}  b', 'a7b'],
    ['a {{- data.expiration_month }} b', 'a7 b'],
    ['} {{ data.expiration_month }} }} {', '} 7 }} {'],
  ])('%j with other text is a text', (template, value) => {
    expect(render(template)).toBe(value);
  });

  it.each([
    '{{ data.missing }}',
    '{{ data.missing.deeper }}',
    '{{ other }}',
    '{{ data.tags[9] }}',
    '{{ data.number.x }}',
  ])('%s is null, since nothing has this name', (template) => {
    expect(render(template)).toBeNull();
  });

  it.each([
    '{{ data.missing | reveal_last: 4 }}',
    '{{ data.missing | last4 }}',
    '{{ data.missing | card_mask: true }}',
    '{{ data.holder.middle | reveal: 1, 1 }}',
    '{{ data.missing | to_string }}',
    '{{ nil | upcase }}',
  ])('%s is empty, so that one absent member does not redact a whole mask', (template) => {
    expect(render(template)).toBe('');
  });

  it.each(['to_number', 'to_boolean', 'stringify', "json: '$.a'"])(
    'a missing member stays null under %s',
    (filter) => {
      expect(render(`{{ data.missing | ${filter} }}`)).toBeNull();
    },
  );

  it('accepts quotes inside quotes, also after a backslash, and braces inside quotes', () => {
    expect(render(`{{ "it's" }}`)).toBe("it's");
    expect(render(String.raw`{{ 'it\'s' | append: "}}" }}`)).toBe("it's}}");
    expect(render(`{{ data.number | append: ' {{ x | y }} ' | last4 }}`)).toBe(' }} ');
  });

  it('evaluates every text of a mask, but no names and no other leaves', () => {
    const mask = {
      '{{ data.number }}': ['{{ data.number | last4 }}', 1, null, { a: false, b: 'X{{ data.missing }}' }],
    };
    expect(renderTemplates(mask, { data: CARD }, aBudget())).toEqual({
      '{{ data.number }}': ['4242', 1, null, { a: false, b: 'X' }],
    });
  });

  it('returns no reference to its input', () => {
    const data = { list: [{ a: 1 }] };
    const result = render('{{ data.list }}', data) as { a: number }[];
    result.push({ a: 2 });
    expect(data.list).toHaveLength(1);
  });

  it('returns any JSON unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        // Liquid, like JSON, has one zero.
        const data = JSON.parse(JSON.stringify(value)) as Json;
        expect(render('{{ data }}', data)).toEqual(data);
      }),
    );
  });

  it('never evaluates a value as a template', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('{{ data }}', '{{ data.b }}', '{% x %}', '}}'),
        (text, hostile) => {
          const value = `${text}${hostile}${text}`;
          expect(render('{{ data.a }}', { a: value, b: 'secret' })).toBe(value);
          expect(render('<{{ data.a }}>', { a: value, b: 'secret' })).toBe(`<${value}>`);
        },
      ),
    );
  });
});

describe('named arguments', () => {
  it.each([
    "reveal_last: 4, mask='*'",
    "reveal_last: 4, mask = '*'",
    'reveal_last: 4, mask="*"',
    "reveal_last: 4, mask: '*'",
    "reveal_last: 4, '*'",
    "reveal_last: n: 4, mask: '*'",
    "reveal_last: mask='*', n=4",
    "reveal_last: '4', '*'",
  ])('%s has the same result as the others', (filter) => {
    expect(render(`{{ data.number | ${filter} }}`)).toBe('************4242');
  });

  it('an equals sign inside quotes is unchanged', () => {
    expect(render(`{{ "a" | append: ", mask='*'" }}`)).toBe("a, mask='*'");
    expect(render(String.raw`{{ "a" | append: "\", mask='*'" }}`)).toBe(`a", mask='*'`);
  });

  it.each([
    "card_mask: 'true', 'FALSE'",
    'card_mask: true, false',
    "card_mask: bin='true'",
    'card_mask: bin: true',
  ])('booleans may be quoted: %s', (filter) => {
    expect(render(`{{ data.number | ${filter} }}`)).toBe('42424242XXXXXXXX');
  });

  it.each([
    'reveal_last: -1',
    'reveal_last: 1.5',
    "reveal_last: 'x'",
    'reveal_last: data.tags',
    'reveal_last: 100001',
    "reveal_last: 4, 'X', 1",
    "reveal_last: 4, color: 'X'",
    'reveal_last: 4, mask: 5',
    "card_mask: 'yes'",
    'card_mask: 1',
    'json: 5',
    'json',
  ])('%s is rejected', (filter) => {
    expect(() => render(`{{ data.number | ${filter} }}`)).toThrow(ExpressionError);
  });
});

describe('source that is not in the language', () => {
  it.each([
    '{{ }}',
    '{{',
    '{{ data.number',
    '{{ data.number }',
    "{{ 'open }}",
    "{{ data | remove: '\\' | reveal_last: 4 }}",
    '{{ data.number | nope }}',
    '{{ data.number | where_exp: "a", "b" }}',
    '{{ data.number | sample }}',
    '{{ data.number | raw }}',
    '{{ data.number | inspect }}',
    '{{ data.number | constructor }}',
    '{{ data.number | __proto__ }}',
    '{{ data.number | toString }}',
    '{{ data.number || last4 }}',
    '{{ data.number | last4 last4 }}',
    '{{ data.number | reveal_last: 4 4 }}',
    '{% if true %}{{ data.number }}{% endif %}',
    "{% include 'a' %}",
    "{% render '/etc/passwd' %}",
    "{%- layout 'x' -%}",
    '{% raw %}{{ data.number }}{% endraw %}',
    '{{ data[ }}',
    '{{ (1..) }}',
  ])('%s is rejected by the check and by the evaluation', (template) => {
    expect(() => checkTemplate(template, { names: ['data'] }, aBudget())).toThrow(ExpressionError);
    expect(() => checkTemplates([{ a: template }], { names: ['data'] }, aBudget())).toThrow(ExpressionError);
    expect(() => render(template)).toThrow(ExpressionError);
  });

  it.each([
    '{{ data.number, | reveal_last: 4 }}',
    '{{ data.number) | reveal_last: 4 }}',
    '{{ data.number reveal_last }}',
    '{{ data.number data.number | reveal_last: 4 }}',
    '{{ data.number | }}',
    '{{ data.number "x" }}',
    '{{ data.number ; reveal_last: 4 }}',
    '{{ data.number and }}',
    '{{ data.number == data.number }}',
    '{{ data.tags contains "a" }}',
    '{{ not data.number }}',
    '{{ {{ data.number }} }}',
  ])('%s is rejected: a typing error never reveals masked data', (template) => {
    expect(() => checkTemplate(template, { names: ['data'] }, aBudget())).toThrow(ExpressionError);
  });

  it('a text without expressions is never too long, but one with expressions is limited', () => {
    const long = 'a'.repeat(TEMPLATE_MAX_LENGTH);
    expect(render(long + long)).toBe(long + long);
    expect(render(`{{ 1 }}${'a'.repeat(TEMPLATE_MAX_LENGTH - 7)}`)).toHaveLength(TEMPLATE_MAX_LENGTH - 6);
    expect(() => render(`{{ 1 }}${long}`)).toThrow(new ExpressionError('must be at most 10000 characters'));
  });

  it('an expression has at most 30 filters', () => {
    expect(render(`{{ "a" ${"| append: 'b' ".repeat(30)} }}`)).toHaveLength(31);
    expect(() => render(`{{ "a" ${"| append: 'b' ".repeat(31)} }}`)).toThrow('more than 30 filters');
  });
});

describe('names', () => {
  const check = (template: string, names: readonly string[]) =>
    checkTemplate(template, { names }, aBudget()).names;

  it.each([
    '{{ other }}',
    'a {{ data | append: other }}',
    '{{ data[other] }}',
    '{{ metadata.a }}',
    '{{ "x" | append: Data }}',
  ])('%s is rejected by the check: the only name is data', (template) => {
    expect(() => check(template, ['data'])).toThrow(
      /^has a name other than data at column \d+(; did you mean `data`\?)?$/,
    );
    expect(() => {
      checkTemplates({ a: [template] }, { names: ['data'] }, aBudget());
    }).toThrow(ExpressionError);
  });

  it('the names that a template reads are returned', () => {
    expect(check('{{ data.a }} {{ data.b | append: metadata.c }}', ['data', 'metadata'])).toEqual([
      'data',
      'data',
      'metadata',
    ]);
    expect(check('{{ "data" }} data', ['data'])).toEqual([]);
  });
});

it('the check of a template rejects filters that are not allowed', () => {
  const check = (template: string) =>
    checkTemplate(template, { names: ['data'], filters: ['last4', 'reveal'] }, aBudget()).filters;
  expect(check('{{ data | last4 }}-{{ data | reveal: 1 | last4 }}')).toEqual(['last4', 'reveal', 'last4']);
  expect(() => check('{{ data | last4 }}-{{ data | slice: 1 }}')).toThrow(ExpressionError);
});

describe('the message of an error', () => {
  it('contains neither the expression nor a value', () => {
    const hostile = [
      '{{ data | 4242424242424242 }}',
      '{{ 4242424242424242 4242 }}',
      "{{ '4242424242424242 }}",
      '{{ data | to_number }}',
      '{{ data | to_boolean }}',
      "{{ 'now' | date: '%Y', '4242424242424242' }}",
      "{{ data | json: '$[4242424242424242' }}",
      "{{ data.list | json: '$.*' }}",
      '{{ data | reveal_last: data }}',
      "{{ data | alias_card: '4242424242424242' }}",
      '{{ data | base64_decode | url_decode | append }}',
      "{{ '%E0%A44242' | url_decode }}",
      '{{ data | url_decode }}',
    ];
    for (const template of hostile) {
      let error: unknown;
      for (const data of ['4242424242424242%', { list: ['4242424242424242', '4242'] }])
        try {
          render(template, data);
        } catch (thrown) {
          error = thrown;
          expect(thrown).toBeInstanceOf(ExpressionError);
          expect((thrown as Error).message).not.toMatch(/42|\$|E0/);
          expect((thrown as Error).cause).toBeUndefined();
        }
      expect([template, error]).toEqual([template, expect.any(ExpressionError)]);
    }
  });

  it('is the only failure: any other template results in JSON', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '|',
      ' data',
      '.',
      'number',
      'tags',
      '[',
      ']',
      '0',
      ':',
      ',',
      "'",
      '"',
      '\\',
      '(',
      ')',
      '..',
      '-',
      ' ',
      'last4',
      'append',
      'map',
      'where',
      'sort',
      'json',
      'nil',
      'empty',
      '$..*',
      'constructor',
      '=',
      '==',
      '{%',
      '\u{1F600}',
      '\ud800',
      '4',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), fc.boolean(), (pieces, wrapped) => {
        const inner = pieces.join('');
        try {
          const result = render(wrapped ? `{{ data${inner} }}` : inner);
          expect(JSON.stringify(result)).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      }),
      { numRuns: cases(1_500) },
    );
  });
});
