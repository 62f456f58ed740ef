import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { isRead } from './is-read.ts';

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
const IS_FREE = /^[\u0020-\uffff]$(?<!["\\])/;

/** A name in JSON: each character plain, by its code, or by its short escape. */
function spelled(name: string, ways: readonly number[]): string {
  const units = name.split('').map((unit, at) => {
    const way = ways[at % ways.length];
    const code = `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    if (way === 0) return code;
    return way === 1 && IS_FREE.test(unit) ? unit : (SHORT[unit] ?? (IS_FREE.test(unit) ? unit : code));
  });
  return units.join('');
}

/** The JSON of a value, with names written by `name`. */
function written(value: unknown, name: (text: string) => string): string {
  if (Array.isArray(value)) return `[${value.map((each) => written(each, name)).join(' , ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, each]) => `${name(key)} : ${written(each, name)}`);
  return `{${members.join(',')}}`;
}

/**
 * A value that is parsed after one of the same shape whose names equal the raw beginnings of its
 * names: V8 confuses the two.
 */
function readAfterHostileNames(value: unknown, ways: readonly number[]): unknown {
  JSON.parse(written(value, (name) => JSON.stringify(spelled(name, ways).slice(0, name.length))));
  return parseJson(written(value, (name) => `"${spelled(name, ways)}"`));
}

describe('JSON', () => {
  it.each(['"', '\n', 'é"', '\u0000', 'a\\b', '~', '~0', '"~0', '\ud800"', '__proto__"', ' \\'])(
    'has the name %j as written, whatever names were parsed before',
    (name) => {
      for (const way of [0, 1, 2]) {
        // A name that no other object has: V8 is misled if few names have followed the same ones.
        const first = `before ${Buffer.from(name).toString('hex')} ${String(way)}`;
        const nameAsWritten = spelled(name, [way]);
        JSON.parse(JSON.stringify({ [first]: 1, [nameAsWritten.slice(0, name.length)]: 2 }));
        const read = parseJson(`{${JSON.stringify(first)}:1,"${nameAsWritten}":2}`);
        expect(JSON.stringify(read)).toBe(JSON.stringify({ [first]: 1, [name]: 2 }));
      }
    },
  );

  it('equals the original, with names of any characters in any spelling', () => {
    const characters = fc.constantFrom(
      ...['"', '\\', '~', '/', '2', 'u', '0', '\n', '\u0001', 'é', '\ud83d', '\ude00', 'h', ':', '{'],
    );
    const names = fc.oneof(
      fc.array(characters, { maxLength: 4 }).map((parts) => parts.join('')),
      fc.constantFrom('__proto__', 'constructor', 'h', '1', '~', '~0', '~1', '~x'),
    );
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        names,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map(Object.fromEntries),
      ),
    })).value;
    fc.assert(
      fc.property(values, fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }), (value, ways) => {
        expect(JSON.stringify(readAfterHostileNames(value, ways))).toBe(JSON.stringify(value));
      }),
      { numRuns: cases(300) },
    );
  });

  it.each([
    ['{"\\"":1,"a":2,"\\u0022":3}', '{"\\"":3,"a":2}'],
    ['{"a":1,"\\u0061":2}', '{"a":2}'],
    ['{"😀":1,"\\ud83d\\ude00":2,"\ud83d\\ude00":3}', '{"😀":3}'],
    ['{"\\u0032":1,"1":2,"\\"":3}', '{"1":2,"2":1,"\\"":3}'],
    ['{"\\"":1,"~0":2}', '{"\\"":1,"~0":2}'],
    ['{"__proto__":{"\\"":1}}', '{"__proto__":{"\\"":1}}'],
    ['{"\\u005f_proto__":{"polluted":1}}', '{"__proto__":{"polluted":1}}'],
    ['["\\\\\\"",{"a" \t\r\n:"\\":"}]', '["\\\\\\"",{"a":"\\":"}]'],
    ['"\\"a\\":1"', '"\\"a\\":1"'],
  ])(
    'preserves the order, uses the last of two members, and finds names only in their position: %s',
    (text, same) => {
      expect(JSON.stringify(parseJson(text))).toBe(same);
    },
  );

  it.each(['', '{"\\x":1}', '{"\\u00":1}', '{"\\', '{"\\":1}', '{"\\"":1,}', '{"\\"":1}}'])(
    'that is invalid is rejected: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  it('is accepted in the same texts as by JSON.parse', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '"',
      '"a"',
      '"\\""',
      '\\',
      ':',
      ',',
      '[',
      ']',
      '1',
      ' ',
      '\n',
      '~',
      '\\u00',
    );
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
      fc
        .tuple(
          fc.constantFrom('{"\\"":[1,{"\\n":"a\\""}],"b":2}', '["\\"",{"\\u0022":{}}]'),
          fc.nat(30),
          fc.nat(2),
          pieces,
        )
        .map(([text, at, gone, piece]) => text.slice(0, at) + piece + text.slice(at + gone)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(isRead(parseJson, text)).toBe(isRead(JSON.parse, text));
      }),
      { numRuns: cases(1_000) },
    );
  });

  it('is passed to JSON.parse whole, or only its strings if a name is escaped', () => {
    const parsing = jest.spyOn(JSON, 'parse');
    const calls = (text: string) => {
      parsing.mockClear();
      parseJson(text);
      return parsing.mock.calls.length;
    };
    const zeros = `[${Array(1_000).fill('0').join()}]`;
    expect(calls(`{"a":${zeros},"b":"\\n"}`)).toBe(1);
    expect(calls(`{"\\"":${zeros},"b":"\\n","c":"short","d":true}`)).toBe(2);
    expect(calls(`[${Array(500).fill('{"\\"":"a","plain":0}').join()}]`)).toBe(500);
    parsing.mockRestore();
  });

  it('is parsed at any depth', () => {
    const depth = 100_000;
    const text = '{"\\"":['.repeat(depth) + ']}'.repeat(depth);
    let levels = 0;
    for (let at = parseJson(text); Array.isArray(at) ? at.length > 0 : true; levels += 1)
      at = (Array.isArray(at) ? at[0] : (at as { '"': never })['"']) as typeof at;
    expect(levels).toBe(2 * depth - 1);
  });
});
