import {
  compileRegex,
  replaceMatches,
  type LinearRegex,
} from '../../../src/core/stored-proxies/linear-regex.ts';
import { regexSize } from '../../../src/core/stored-proxies/regex-size.ts';
import { STORED_PROXY_LIMITS } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { TextLengthError } from '../../../src/core/stored-proxies/json-places.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

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

  it('counts what it reads times its steps, and stops where the count throws', () => {
    const { programSize } = { programSize: compiled('a.*b|a').compiled.programSize() };
    let steps = 0;
    const charge = (more: number): void => {
      steps += more;
      if (steps > 1_000_000) throw new Error('over');
    };
    expect(() => replaceMatches('a'.repeat(200_000), compiled('a.*b|a'), '#', charge)).toThrow('over');
    steps = 0;
    replaceMatches('a'.repeat(50), compiled('a.*b|a'), '#', charge);
    // Each match of one character reads to the end.
    expect(steps).toBeGreaterThan((programSize * 50 * 51) / 2);
  });

  it('counts a long text that it looks for by its length at each position', () => {
    const long = `${'a'.repeat(400)}b${'a'.repeat(590)}`;
    let steps = 0;
    replaceMatches('a'.repeat(100_000), compiled(long), '#', (more) => {
      steps += more;
    });
    expect(steps).toBeGreaterThan(9_000_000);
  });

  it.each([
    ['ranges under i', `(?i)[${'B-\u{1E942}'.repeat(248)}]`],
    ['repetitions', 'x{1000}'.repeat(140)],
    ['repetitions of groups', '(?:(?:a{30}){30}){3}'],
    ['categories', `[${'\\pL'.repeat(300)}]`],
  ])('is refused without being compiled for its %s', (_, expression) => {
    expect(compileRegex(expression)).toEqual({ problem: expect.stringContaining('too large') });
  });

  it('is never smaller than its text says, so that no compilation is dear', () => {
    const atoms = fc.constantFrom(
      'a',
      '[a-f]',
      '(b)',
      '(?:cd)',
      '.',
      '\\d',
      '\\Qx{2}\\E',
      '[]a]',
      '\\x{41}',
      'e|f',
    );
    const repeats = fc.constantFrom('', '', '*', '+?', '?', '{3}', '{2,5}', '{4,}', '{', '{x}');
    const parts = fc.array(
      fc.tuple(atoms, repeats).map((part) => part.join('')),
      { minLength: 1, maxLength: 6 },
    );
    const expressions = fc.tuple(parts, repeats).map(([all, times]) => `(?:${all.join('')})${times}z`);
    fc.assert(
      fc.property(expressions, (expression) => {
        const regex = compileRegex(expression);
        if ('problem' in regex) return;
        // The compiler adds a step before and after.
        expect(regexSize(expression).steps + 2).toBeGreaterThanOrEqual(regex.compiled.programSize());
      }),
      { numRuns: cases(500) },
    );
  });

  it('does not build a text that is too long', () => {
    expect(() => replace('a'.repeat(1_000_000), 'a', 'x'.repeat(200))).toThrow(TextLengthError);
  });
});
