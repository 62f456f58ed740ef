import { NamedArgument } from '../../../src/core/expressions/arguments.ts';
import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import { FILTER_NAMES } from '../../../src/core/expressions/liquid-expression.ts';
import { renderTemplate } from '../../../src/core/expressions/render.ts';
import {
  padLeft,
  padRight,
  stringify,
  toBoolean,
  toNumber,
  toText,
} from '../../../src/core/expressions/value-filters.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

describe('to_number', () => {
  it.each<[Json, Json]>([
    ['12', 12],
    [' 12.50 ', 12.5],
    ['-7', -7],
    ['+7', 7],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['007', 7],
    [3, 3],
    [null, null],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%j is %j', (text, number) => {
    expect(toNumber(text)).toBe(number);
  });

  it.each<Json>([
    '',
    ' ',
    'x',
    '1x',
    '0x10',
    '1,5',
    '1e',
    'Infinity',
    'NaN',
    '9007199254740993',
    '1e400',
    '--1',
    '1_000',
    true,
    [1],
    {},
  ])('rejects %j', (text) => {
    expect(() => toNumber(text)).toThrow(ExpressionError);
  });

  it('reverses to_string for every number that is exact as text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, min: -1e15, max: 1e15 })),
        (number) => {
          expect(toNumber(toText(number))).toBe(number === 0 ? 0 : number);
        },
      ),
    );
  });
});

describe('to_boolean', () => {
  it.each<[Json, Json]>([
    ['true', true],
    ['TRUE', true],
    [' False ', false],
    [1, true],
    ['0', false],
    [false, false],
    [null, null],
  ])('%j is %j', (value, boolean) => {
    expect(toBoolean(value)).toBe(boolean);
  });

  it.each<Json>(['yes', '', 2, '2', [], {}])('rejects %j', (value) => {
    expect(() => toBoolean(value)).toThrow(ExpressionError);
  });
});

describe('stringify and to_string', () => {
  it('stringify returns compact JSON, and a text unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = stringify(value as Json);
        if (typeof value === 'string' || value === null) expect(text).toBe(value);
        else expect(text).toBe(JSON.stringify(value));
      }),
    );
  });

  it('to_string returns the text form of a value', () => {
    expect([
      toText(null),
      toText('a'),
      toText(1.5),
      toText(true),
      toText([1, 'a']),
      toText({ a: null }),
    ]).toEqual(['', 'a', '1.5', 'true', '[1,"a"]', '{"a":null}']);
  });
});

describe('padding', () => {
  it('fills up to the length and never shortens', () => {
    expect(padLeft('7', 3, '0')).toBe('007');
    expect(padLeft(7, 3, '0')).toBe('007');
    expect(padRight('7', 3)).toBe('7  ');
    expect(padLeft('1234', 3, '0')).toBe('1234');
    expect(padRight('ab', 5, 'xyz')).toBe('abxyz');
    expect(padLeft('a', 3, '')).toBe('a');
    expect(padLeft('a', new NamedArgument('fill', '*'), new NamedArgument('length', '2'))).toBe('*a');
  });
});

describe('the filters', () => {
  it('are those of Liquid and of the service, without any that evaluates text, draws at random or reads the environment', () => {
    const names = FILTER_NAMES;
    for (const name of [
      'where_exp',
      'group_by_exp',
      'find_exp',
      'has_exp',
      'reject_exp',
      'filter_exp',
      'sample',
      'raw',
      'inspect',
      'jsonify',
    ])
      expect(names).not.toContain(name);
    expect(names).toHaveLength(new Set(names).size);
  });

  it.each<[string, Json, Json]>([
    ["split: ',' | reverse | join: '+'", 'a,b', 'b+a'],
    ["replace: '-', ''", '1-2-3', '123'],
    ["remove_first: '-' | remove_last: '-'", '1-2-3', '123'],
    ['slice: -4, 4', '4242424242421234', '1234'],
    ['slice: 0', '\u{1F600}b', '\u{1F600}'],
    ['truncate: 5', 'abcdefgh', 'ab...'],
    ['base64_encode | base64_decode', 'ä€', 'ä€'],
    ['url_encode | url_decode', 'a b&c', 'a b&c'],
    ["map: 'a.b' | sum", [{ a: { b: 1 } }, { a: { b: 2 } }], 3],
    ["where: 'a', 1 | size", [{ a: 1 }, { a: 2 }], 1],
    ["default: 'x'", '', 'x'],
    ['size', 'abc', 3],
    ['capitalize', 'aBC', 'Abc'],
    ["date: '%Y-%m-%d %H:%M'", '2030-01-31T23:30:00+02:00', '2030-01-31 21:30'],
    ['divided_by: 2 | ceil', 5, 3],
    ['round: 1', 2.25, 2.3],
  ])('the filter %s of %j returns the expected value', (filters, data, result) => {
    expect(renderTemplate(`{{ data | ${filters} }}`, { data }, aBudget())).toEqual(result);
  });

  it('a result that is not a number is an error', () => {
    expect(() => renderTemplate('{{ data | divided_by: 0 }}', { data: 1 }, aBudget())).toThrow(
      ExpressionError,
    );
    expect(() => renderTemplate('{{ data | modulo: 0 }}', { data: 1 }, aBudget())).toThrow(ExpressionError);
  });
});
