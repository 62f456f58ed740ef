import { compileRegex, replaceMatches, type LinearRegex } from '../../../src/core/proxies/linear-regex.ts';
import { STORED_PROXY_LIMITS } from '../../../src/core/proxies/stored-proxy.ts';
import { TextLengthError } from '../../../src/core/proxies/json-location.ts';
import { cases, fc } from '../../../packages/local-aws/test/properties.ts';

function compiled(expression: string): LinearRegex {
  const regex = compileRegex(expression);
  if ('problem' in regex) throw new Error(`${expression} ${regex.problem}`);
  return regex;
}

const replace = (text: string, expression: string, replacement = '#') =>
  replaceMatches(text, compiled(expression), replacement, () => undefined);

describe('a regular expression', () => {
  it.each([
    ['(?=a)b', 'RE2'],
    ['(?!a)b', 'RE2'],
    ['(?<=a)b', 'RE2'],
    ['(a)\\1', 'RE2'],
    ['(?P<n>a)\\k<n>', 'RE2'],
    ['(?>a)', 'RE2'],
    ['a++', 'RE2'],
    ['(', 'RE2'],
    ['[z-a]', 'RE2'],
    ['a{1001}', 'RE2'],
    ['(?:a{1000}b){1}'.repeat(3), 'repetitions'],
    ['', 'empty'],
    ['a*', 'empty'],
    ['a|', 'empty'],
    ['^', 'empty'],
    ['(?m)$', 'empty'],
    ['\\b', 'empty'],
    ['\\B', 'empty'],
    ['a'.repeat(STORED_PROXY_LIMITS.expression + 1), '1000'],
  ])('is refused as %s', (expression, why) => {
    expect(compileRegex(expression)).toEqual({ problem: expect.stringContaining(why) });
  });

  it.each([
    ['id 123, 45', '\\d+', 'id #, #'],
    ['Key=AbC;key=x', '(?i)key=[a-z]+', '#;#'],
    ['😀b\ud800b', 'b', '😀#\ud800#'],
    ['ссылка é', '\\p{Cyrillic}+', '# é'],
    ['ab\nab', '(?m)^ab', '#\n#'],
    ['aaa', 'a', '###'],
    ['aab', 'a+?b|a', '#'],
    ['', 'a', ''],
  ])('replaces the matches in %j of %s', (text, expression, result) => {
    expect(replace(text, expression)).toBe(result);
  });

  it('uses the replacement as it is', () => {
    expect(replace('a1', '(a)', '$1$&\\1${1}')).toBe('$1$&\\1${1}1');
  });

  it('agrees with the engine of JavaScript', () => {
    const parts = fc.constantFrom('a', 'b', 'c+', '(?:ab)+', '[ab]', '[^c]', 'a?b', '(a|b)c', 'a{2}', '|c');
    const expressions = fc
      .array(parts, { minLength: 1, maxLength: 4 })
      .map((all) => all.join(''))
      .filter((expression) => !new RegExp(`^(?:${expression})$`).test(''));
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', '😀'), maxLength: 30 });
    fc.assert(
      fc.property(expressions, texts, (expression, text) => {
        expect(replace(text, expression)).toBe(text.replaceAll(new RegExp(expression, 'gu'), '#'));
      }),
      { numRuns: cases(500) },
    );
  });

  it.each(['(a+)+$', '(a+)+b', '(a|aa)+$', '(a|a)*b', '(.*)*=', '([a-z]+)*[0-9]', '(x+x+)+y'])(
    'ends for %s and a megabyte',
    (expression) => {
      expect(replace('a'.repeat(1_000_000), expression)).toMatch(/^(?:#|a+)$/);
    },
  );

  it('stops a search that reads to the end for each match', () => {
    const works: number[] = [];
    const beforeSearch = (work: number): void => {
      works.push(work);
      if (works.length > 20) throw new Error('over');
    };
    const regex = compiled('a.*b|a');
    expect(() => replaceMatches('a'.repeat(200_000), regex, '#', beforeSearch)).toThrow('over');
    const size = regex.compiled.programSize();
    expect(works).toEqual(Array.from({ length: 21 }, (_, at) => (200_000 - at) * size));
  });

  it('does not build a text that is too long', () => {
    expect(() => replace('a'.repeat(1_000_000), 'a', 'x'.repeat(200))).toThrow(TextLengthError);
  });
});
