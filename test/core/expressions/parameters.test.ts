import type { Kind } from '../../../src/core/expressions/parameters.ts';
import { liquidExpression, FILTER_NAMES } from '../../../src/core/expressions/liquid-expression.ts';
import { ALIAS_FILTERS, MASKING_FILTERS, OWN_PARAMETERS } from '../../../src/core/expressions/filters.ts';
import { STANDARD_PARAMETERS } from '../../../src/core/expressions/standard-filters.ts';
import { renderTemplate } from '../../../src/core/expressions/render.ts';
import { ExpressionError } from '../../../src/core/expressions/expression-error.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

const DATA = {
  text: '4242-4242',
  list: ['a', 'b'],
  numbers: [1, 2],
  people: [{ name: 'Ada', is: true }, { name: 'Bo' }],
};

const rendered = (source: string) => renderTemplate(`{{ ${source} }}`, { data: DATA }, aBudget());
const PARAMETERS = new Map([...STANDARD_PARAMETERS, ...OWN_PARAMETERS]);

/** An argument of each kind, as a source writes it. */
const SOME: Readonly<Record<Kind, string>> = {
  number: '1',
  count: "'1'",
  length: '1',
  boolean: 'true',
  text: "'a'",
  'short text': "'*'",
  path: "'$'",
  list: 'data.list',
  value: 'nil',
};

const call = (name: string, args: readonly string[]) =>
  `data.text | ${name}${args.length === 0 ? '' : `: ${args.join(', ')}`}`;

describe.each(FILTER_NAMES)('the filter %s', (name) => {
  const { positions, named } = PARAMETERS.get(name) ?? { positions: [], named: [] };
  const least = positions.filter(({ isRequired }) => isRequired).length;
  const problem = (args: readonly string[]) => {
    try {
      liquidExpression(call(name, args));
      return undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
      return (error as Error).message;
    }
  };
  const needed = positions.findLast((each) => each.isRequired)?.name;
  const missing = needed === undefined ? 'without a required argument' : `without its argument \`${needed}\``;
  const some = (count: number) =>
    Array.from({ length: count }, (_, at) => SOME[positions[at]?.kind ?? 'value']);

  it('takes neither fewer nor more arguments than it has parameters', () => {
    for (let count = 0; count <= positions.length + 3; count += 1) {
      const reason =
        count < least ? missing : count > positions.length ? 'with too many arguments' : undefined;
      expect(problem(some(count))).toBe(reason && `has the filter \`${name}\` ${reason}`);
    }
  });

  it('takes an argument by a name that it has, and once', () => {
    expect(problem([...some(least), "wrong: '1'"])).toContain('with an unknown argument');
    const first = named[0] ?? positions[0]?.name;
    if (first !== undefined)
      expect(problem([...some(positions.length), `${first}: 1`, `${first}: 1`])).toContain(
        `with the argument \`${first}\` twice`,
      );
  });
});

describe('an argument of a kind that a filter cannot use', () => {
  it.each([
    "data.text | plus: 'x'",
    "data.text | slice: 'x'",
    'data.text | slice: data.missing',
    "data.text | slice: 0, 'x'",
    'data.text | truncate: data.list',
    'data.text | round: true',
    'data.text | remove: data.missing',
    'data.text | remove: data.list',
    "data.text | replace: '4', data.missing",
    'data.text | split: nil',
    "data.missing | default: 'a', allow_false: 'no'",
    "data.missing | default: 'a', allow_false: nil",
    "data.missing | default: 'a', allow_false: data.missing",
    "data.list | concat: 'c'",
    'data.list | join: data.people',
    'data.people | map: data.missing',
    'data.people | where: nil',
  ])('fails: %s', (source) => {
    expect(() => rendered(source)).toThrow(
      /^has the filter `\w+` with an? (?:(?:first|second) )?argument (?:`allow_false` )?that is no \w+(?: at column \d+)?$/,
    );
  });

  it('is no number in quotation marks, and no null where null is empty text', () => {
    expect(rendered("5 | plus: ' 1.5 '")).toBe(6.5);
    expect(rendered('data.text | append: data.missing')).toBe('4242-4242');
    expect(rendered("data.missing | default: 'none', allow_false: true")).toBe('none');
    const allowing = (text: string) => rendered(`false | default: 'none', allow_false: ${text}`);
    expect(['true', "'true'", 'false', "'false'"].map(allowing)).toEqual([false, false, 'none', 'none']);
  });

  it('is no date where the value is none, which would be shown whole', () => {
    for (const value of ["'4242424242424242'", "'a date'", "'no date'", 'data.list', "'4242-4242'"])
      expect(() => rendered(`${value} | date: '%Y'`)).toThrow(
        'has the filter `date` on a value that is no date',
      );
    expect(rendered("'2026-11-29' | date: '%d.%m.'")).toBe('29.11.');
    expect(rendered("data.missing | date: '%Y'")).toBeNull();
  });

  it('is read in a bounded time, however long it is', () => {
    const budget = aBudget();
    const data = { n: '4242', big: '9'.repeat(390_000) };
    expect(() => renderTemplate('{{ data.n | reveal_last: data.big }}', { data }, budget)).toThrow(
      '`n` that is no',
    );
  });

  it('is no list that looks like a name and a value', () => {
    const evaluate = () =>
      renderTemplate(
        '{{ data.text | reveal_last: data.pair }}',
        { data: { text: '4242', pair: ['n', 4] } },
        aBudget(),
      );
    expect(evaluate).toThrow(
      'has the filter `reveal_last` with an argument `n` that is no whole number from 0 to 100,000',
    );
  });
});

describe('an argument of a filter of the service', () => {
  const AN = 'with an argument';

  it.each([
    ['reveal_last: -1', `${AN} \`n\` that is no whole number from 0 to 100,000 at column 16`],
    ['reveal_last: 4, mask: 5', `${AN} \`mask\` that is no text of at most 100 characters at column 16`],
    ['reveal_last: 1.5', `${AN} \`n\` that is no whole number from 0 to 100,000 at column 16`],
    ['reveal_first: nil', `${AN} \`n\` that is no whole number from 0 to 100,000 at column 16`],
    ['reveal_last: data.none', `${AN} \`n\` that is no whole number from 0 to 100,000`],
    ['reveal: 1, mask: data.none', `${AN} \`mask\` that is no text of at most 100 characters`],
    [
      'reveal: mask: "x", first: "a"',
      `${AN} \`first\` that is no whole number from 0 to 100,000 at column 16`,
    ],
    ["card_mask: 'yes'", `${AN} \`bin\` that is no boolean at column 16`],
    ['card_mask: last4: data.list', `${AN} \`last4\` that is no boolean`],
    ['pad_left: 10001', `${AN} \`length\` that is no whole number from 0 to 10,000 at column 16`],
    ['alias_preserve_length: "2x"', `${AN} \`first\` that is no whole number from 0 to 100,000 at column 16`],
    ['json: 1', `${AN} \`path\` that is no path in quotation marks at column 16`],
    ['json: data.none', `${AN} \`path\` that is no path in quotation marks`],
  ])('says which one is wrong: %s', (call, reason) => {
    const [name = ''] = call.split(':');
    expect(() => rendered(`data.text | ${call}`)).toThrow(
      new ExpressionError(`has the filter \`${name}\` ${reason}`),
    );
  });

  it('is of no use to a filter that shows a part of an object or a list', () => {
    for (const name of [...MASKING_FILTERS, ...ALIAS_FILTERS]) {
      const call = ['reveal_last', 'reveal_first'].includes(name) ? `${name}: 4` : name;
      for (const value of ['data', 'data.list', 'data.people'])
        expect(() => rendered(`${value} | ${call}`)).toThrow(
          `has the filter \`${name}\` on an object or a list; it takes a text`,
        );
    }
  });

  it('is a length of padding up to ten thousand', () => {
    expect(rendered('data.text | pad_left: 10000')).toHaveLength(10_000);
    expect(rendered("data.text | pad_right: length: '10000', fill: '*'")).toHaveLength(10_000);
  });

  it.each(['"x".y', "'x'['y']", 'true.y'])('is no member of a literal: %s', (argument) => {
    for (const source of [`data.text | append: ${argument}`, argument])
      expect(() => rendered(source)).toThrow(
        /^is not a valid expression at column \d+: found `[.[]`, expected/,
      );
  });
});

describe('the standard filters that LiquidJS lacks or that select', () => {
  it.each([
    ["data.people | has: 'name', 'Ada'", true],
    ["data.people | has: 'name', 'Eve'", false],
    ["data.people | has: 'is'", true],
    ["data.people | find: 'name', 'Bo'", { name: 'Bo' }],
    ["data.people | find: 'name', 'Eve'", null],
    ["data.people | find_index: 'name', 'Bo'", 1],
    ["data.people | find_index: 'name', 'Eve'", null],
    ["data.people | reject: 'is'", [{ name: 'Bo' }]],
    ["data.people | reject: 'name', 'Bo'", [{ name: 'Ada', is: true }]],
    ["'a?>b~' | base64_url_safe_encode", 'YT8-Yn4='],
    ["'YT8-Yn4=' | base64_url_safe_decode", 'a?>b~'],
    ["'4pyT8J-kjQ==' | base64_url_safe_decode", '✓🤍'],
    ["'✓🤍' | base64_url_safe_encode", '4pyT8J-kjQ=='],
  ])('%s is %j', (source, result) => {
    expect(rendered(source)).toEqual(result);
  });

  it.each(["'YT8+Yn4=' | base64_url_safe_decode", "'?' | base64_url_safe_decode"])(
    'fail where the text is not theirs: %s',
    (source) => {
      expect(() => rendered(source)).toThrow(ExpressionError);
    },
  );
});

describe('the path of json', () => {
  const value = { 'a"b': 1, "it's": 2, 'back\\slash': 3, 'new\nline': 4, n: 5 };
  const selected = (source: string) =>
    renderTemplate(`{{ data | json: ${source} }}`, { data: value }, aBudget());

  it.each([
    [String.raw`'$["a\"b"]'`, 1],
    [String.raw`"$['a\"b']"`, 1],
    [String.raw`"$['it\'s']"`, 2],
    [String.raw`'$["it\'s"]'`, 2],
    [String.raw`'$["back\\slash"]'`, 3],
    [String.raw`"$['back\\slash']"`, 3],
    [String.raw`'$["new\nline"]'`, 4],
    [String.raw`'$["\u006e"]'`, 5],
  ])('has its own backslashes, read once: %s', (source, result) => {
    expect(selected(source)).toBe(result);
  });

  it('is checked even if there is no value to read', () => {
    expect(() => selected("'$.none' | json: 'n'")).toThrow('not valid at character 1');
    expect(() => selected("'$.none' | json: '$['")).toThrow('not valid at character');
    expect(selected("'$.none' | json: '$.n'")).toBeNull();
    expect(selected("'$.none' | json: '$'")).toBeNull();
    expect(selected("'$.n' | json: '$'")).toBe(5);
    expect(selected("'$.n' | json: '$..*' ")).toBeNull();
  });

  it.each([
    ["'n'", 'has a json filter whose path is not valid at character 1; a path starts with `$`'],
    [String.raw`'$["\a"]'`, 'has a json filter whose path is not valid at character 5'],
    ["'$.n[?'", 'has a json filter whose path is not valid at character 6'],
    ["'$.n['", 'has a json filter whose path is not valid at character 5'],
  ])('says where it is wrong: %s', (source, message) => {
    expect(() => selected(source)).toThrow(message);
  });
});
