import { contentOfBytes, contentOfText } from '../../src/core/shared/content.ts';
import { parseJsonBody } from '../../src/http/parse-json-body.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';

const parse = (text: string) => parseJsonBody(contentOfText(text));
const refused = (detail: unknown = expect.any(String)) =>
  expect.objectContaining({ code: 'validation_failed', message: detail });
const lost = (path: string, message: string) =>
  expect.objectContaining({
    code: 'validation_failed',
    errors: expect.objectContaining({ [path]: [message] }),
  });
const NOT_JSON = /^The body is not valid JSON at line \d, column \d+(?:, where it ends)?\.$/;

/** The exact value of a decimal number as a fraction of integers, computed with integers only. */
function exact(text: string): readonly [numerator: bigint, powerOfTen: number] {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  let numerator = BigInt(`${sign}${whole}${fraction}`);
  let power = Number(exponent) - fraction.length;
  if (numerator === 0n) return [0n, 0];
  while (numerator % 10n === 0n) [numerator, power] = [numerator / 10n, power + 1];
  return [numerator, power];
}

const survives = (text: string) => {
  const value = Number(text);
  return (
    Number.isFinite(value) &&
    JSON.stringify(exact(text).map(String)) === JSON.stringify(exact(String(value)).map(String))
  );
};

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${String(max)}}$`));
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits(22).map((text) => text.replace(/^0+(?=.)/, '')),
    ),
    fc.option(digits(25), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), fc.integer({ min: 0, max: 340 })), {
      nil: undefined,
    }),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent === undefined ? '' : exponent.join('')}`,
  );

describe('a body', () => {
  it('may have 100,000 elements and members; one more is rejected before parsing', () => {
    const list = (elements: number) => `[${Array(elements).fill('0').join()}]`;
    expect(parse(list(100_000))).toHaveLength(100_000);
    const parsing = jest.spyOn(JSON, 'parse');
    expect(() => parse(list(100_001))).toThrow(
      refused('The body holds more than 100,000 elements and members.'),
    );
    expect(() => parse(`{"a":${list(100_000)}}`)).toThrow(refused());
    expect(parsing).not.toHaveBeenCalled();
    parsing.mockRestore();
  });

  it('may contain any amount of text', () => {
    expect(parse(JSON.stringify(['[0,0]'.repeat(1_000_000)]))).toHaveLength(1);
  });
});

describe('a number in a body', () => {
  it('is accepted exactly when its double has the same value', () => {
    fc.assert(
      fc.property(number, (text) => {
        if (survives(text)) expect(parse(`{"a":[${text}]}`)).toEqual({ a: [JSON.parse(text)] });
        else
          expect(() => parse(`{"a":[${text}]}`)).toThrow(
            lost('a[0]', 'is a number that cannot be stored exactly; send it as a string'),
          );
      }),
      { numRuns: cases(1_500) },
    );
  });

  it('is accepted for every double in its own notation', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parse(JSON.stringify(value))).toBe(value === 0 ? 0 : value);
        expect(parse(value.toExponential())).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it.each([
    '9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '0.1000000000000000000001',
    '123456789012345678901',
    '4.9e-325',
  ])('%s is rejected', (text) => {
    expect(() => parse(`[${text}]`)).toThrow(refused());
  });

  it.each([
    '9007199254740992',
    '1e308',
    '0e999',
    '0.10000000000000000000',
    '1.5e3',
    '100000000000000000000000',
    '5e-324',
    '-0',
    '4242424242424242',
  ])('%s is accepted', (text) => {
    expect(parse(text)).toBe(JSON.parse(text));
  });

  it('is ignored inside text', () => {
    expect(parse('{"1e400":"9007199254740993 \\" 1e400","\\\\":1}')).toEqual({
      '1e400': '9007199254740993 " 1e400',
      '\\': 1,
    });
  });

  it('is checked just as fast for hostile lengths', () => {
    const zeros = '0'.repeat(2_000_000);
    for (const text of [
      `1.${zeros}1`,
      `0.${zeros}1`,
      `1${zeros}1`,
      `1.${`${'0'.repeat(1000)}1`.repeat(2_000)}`,
    ])
      expect(() => parse(`[${text}]`)).toThrow(refused());
    expect(parse(`[1.${zeros}]`)).toEqual([1]);
  });
});

describe('the nesting of a body', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  it('may be 64 levels deep, and one more is rejected before parsing', () => {
    expect(() => parse(nested(64))).not.toThrow();
    expect(() => parse(objects(64))).not.toThrow();
    for (const text of [
      nested(65),
      objects(65),
      nested(3_000_000),
      '['.repeat(6_000_000),
      '{"a":['.repeat(500_000),
    ])
      expect(() => parse(text)).toThrow(refused('The body is nested deeper than 64 levels.'));
  });

  it('counts open brackets only, and none inside text', () => {
    expect(parse(`[${Array.from({ length: 200 }, () => '[]').join()}]`)).toHaveLength(200);
    expect(parse(`"${'['.repeat(100)}"`)).toBe('['.repeat(100));
    expect(parse(`{"a\\"${'['.repeat(100)}":"\\\\"}`)).toBeDefined();
  });
});

describe('a body', () => {
  it('that is JSON is parsed to the value that was written', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.stringify(parse(text))).toBe(text);
      }),
    );
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a":}',
    "{'a':1}",
    '[1,]',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    'NaN',
    'Infinity',
    'undefined',
    '{"a":1}x',
    '"\n"',
    '"\\x"',
    ']',
    '{]}',
    '"open',
    '1e',
    '\u00a0{}',
    '1.5.5',
    '0x10',
    '/* */1',
  ])('%j is not JSON, and the error does not quote it', (text) => {
    expect(() => parse(text)).toThrow(refused(expect.stringMatching(NOT_JSON)));
  });

  it.each([
    ['{"a":1,\n  "b":2,}', 'line 2, column 9.'],
    ["{'a':1}", 'line 1, column 2.'],
    ['{"a":"x', 'line 1, column 8, where it ends.'],
    ['', 'line 1, column 1, where it ends.'],
    ['{"a":"b\n"}', 'line 1, column 8.'],
    ['\ufeff{]', 'line 1, column 2.'],
  ])('%j is not JSON, and the error states the position', (text, where) => {
    expect(() => parse(text)).toThrow(refused(`The body is not valid JSON at ${where}`));
  });

  it('that is not JSON leaves no part of itself in the error', () => {
    let error: unknown;
    try {
      parse('{"number": 4242424242424242 oops}');
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'validation_failed' });
    expect((error as Error).cause).toBeUndefined();
    expect((error as Error).message).not.toContain('4242');
  });

  it('may begin with one byte order mark', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(parseJsonBody(contentOfBytes(Buffer.from('\ufeff{"a":1}')))).toEqual({ a: 1 });
    expect(() => parse('\ufeff\ufeff{}')).toThrow(refused());
  });

  it.each([
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from([0x22, 0xc3, 0x22]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
    Buffer.from('"é"', 'latin1'),
    Buffer.from('"a"', 'utf16le'),
  ])('%# that is not UTF-8 is rejected, not replaced', (bytes) => {
    expect(() => parseJsonBody(contentOfBytes(bytes))).toThrow(
      refused(expect.stringMatching(/^The body is not valid (?:UTF-8|JSON) at line 1, column [12]\.$/)),
    );
  });

  it('preserves half a surrogate pair that was written as an escape', () => {
    expect(parse('"\\ud800"')).toBe('\ud800');
  });

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"a":1,"\\u0061":1}', 'a'],
    ['[{"b":{"x":1}},{"b":{"x":1,"y":[],"x":2}}]', '[1].b.x'],
    ['{"__proto__":1,"__proto__":1}', '__proto__'],
    ['{"a":{"a":{}},"b":[[{"c":1},{"c":1,"c":1}]]}', 'b[0][1].c'],
  ])('%s has a duplicate member, and the error names it', (text, path) => {
    expect(() => parse(text)).toThrow(lost(path, 'appears twice'));
  });

  it('reports at most a hundred duplicate members', () => {
    const members = Array.from({ length: 1_000 }, (_, at) => `"m${String(at)}":1`).join();
    let errors = {};
    try {
      parse(`{${members},${members}}`);
    } catch (error) {
      ({ errors } = error as { errors: object });
    }
    expect(Object.keys(errors)).toHaveLength(100);
  });

  it('has members named __proto__ like any other', () => {
    const value = parse('{"__proto__":{"polluted":1},"constructor":1}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
