import { liquidExpression, FILTER_NAMES } from '../../../src/core/expressions/liquid-expression.ts';
import { OWN_PARAMETERS } from '../../../src/core/expressions/filters.ts';
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

const call = (name: string, args: readonly string[]) =>
  `data.text | ${name}${args.length === 0 ? '' : `: ${args.join(', ')}`}`;

describe.each(FILTER_NAMES)('the filter %s', (name) => {
  const { positions, named } = PARAMETERS.get(name) ?? { positions: [], named: [] };
  const least = positions.filter((each) => !each.endsWith('?')).length;
  const problem = (args: readonly string[]) => {
    try {
      liquidExpression(call(name, args));
      return undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
      return (error as Error).message;
    }
  };
  const some = (count: number) => Array.from({ length: count }, () => '1');

  it('takes neither fewer nor more arguments than it has parameters', () => {
    for (let count = 0; count <= positions.length + 3; count += 1) {
      const reason =
        count < least
          ? 'without a required argument'
          : count > positions.length
            ? 'with too many arguments'
            : undefined;
      expect(problem(some(count))).toBe(reason && `has the filter \`${name}\` ${reason}`);
    }
  });

  it('takes an argument by a name that it has, and once', () => {
    expect(problem([...some(least), "wrong: '1'"])).toContain('with an unknown argument');
    const [first] = named;
    if (first !== undefined)
      expect(problem([...some(positions.length), `${first}: 1`, `${first}: 1`])).toBeDefined();
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
    "data.list | concat: 'c'",
    'data.list | join: data.people',
    'data.people | map: data.missing',
    'data.people | where: nil',
  ])('fails: %s', (source) => {
    expect(() => rendered(source)).toThrow(/^has the filter `\w+` with an argument that is no \w+$/);
  });

  it('is no number in quotation marks, and no null where null is empty text', () => {
    expect(rendered("5 | plus: ' 1.5 '")).toBe(6.5);
    expect(rendered('data.text | append: data.missing')).toBe('4242-4242');
    expect(rendered("data.missing | default: 'none', allow_false: true")).toBe('none');
  });

  it('is no list that looks like a name and a value', () => {
    const evaluate = () =>
      renderTemplate(
        '{{ data.text | reveal_last: data.pair }}',
        { data: { text: '4242', pair: ['n', 4] } },
        aBudget(),
      );
    expect(evaluate).toThrow('must be a whole number');
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

  it.each([
    ["'n'", 'has a json filter whose path is not valid at character 1; a path starts with `$`'],
    [String.raw`'$["\a"]'`, 'has a json filter whose path is not valid at character 5'],
    ["'$.n[?'", 'has a json filter whose path is not valid at character 6'],
    ["'$.n['", 'has a json filter whose path is not valid at character 5'],
  ])('says where it is wrong: %s', (source, message) => {
    expect(() => selected(source)).toThrow(message);
  });
});
