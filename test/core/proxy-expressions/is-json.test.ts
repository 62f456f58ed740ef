import { isJson } from '../../../src/core/proxy-expressions/is-json.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Texts with the characters that decide where strings begin and end; most are not JSON. */
const pieces = fc.constantFrom(
  ...['"', '\\', '\\"', '[', ']', '{', '}', ',', ':', '1', 'true', ' ', '\n', '\u0000', '\u007f', 'é', '😀'],
  ...['\\u00e9', '\\u00', '\\x', 'xxxxxxxx', 'x'.repeat(20), '1,2,3,4,5,6,7,8', '"a"', '"a",', '{"a":'],
);
const texts = fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join(''));
/** JSON with one character inserted, removed or replaced. */
const changed = fc
  .tuple(
    fc.jsonValue({ maxDepth: 3 }),
    fc.nat(),
    fc.nat({ max: 1 }),
    fc.constantFrom('', '"', '\\', ',', '\n', 'x'),
  )
  .map(([value, at, taken, put]) => {
    const json = JSON.stringify([value, 'y'.repeat(at % 40)]);
    const from = at % (json.length + 1);
    return json.slice(0, from) + put + json.slice(from + taken);
  });

describe('the JSON check', () => {
  it('agrees with JSON.parse', () => {
    fc.assert(
      fc.property(fc.oneof(texts, changed, fc.json()), (text) => {
        expect(isJson(text)).toBe(parses(text));
      }),
      { numRuns: cases(6_000) },
    );
  });

  const long = 'x'.repeat(100_000);
  it.each([
    ['a long string', `"${long}"`],
    ['long strings', `["${long}","${long}",{"${long}":"${long}"}]`],
    ['a long string with escapes', `["\\\\${long}\\n${long}\\u00e9"]`],
    ['a long string with quotes', `["\\"${long}\\"${long}\\"","a"]`],
    ['a long string that is not ASCII', `["é${long}😀"]`],
    ['long stretches outside of strings', `["a",${'1,'.repeat(50_000)}"b",${' '.repeat(100_000)}"c"]`],
  ])('accepts %s', (_, text) => {
    expect(isJson(text)).toBe(true);
  });

  it.each([
    ['a long string with a line break', `["${long}\n${long}"]`],
    ['a long string with an invalid escape', `["${long}\\x${long}"]`],
    ['a long string that ends in an escape', `["${long}\\"]`],
    ['a long string without an end', `["${long}`],
    ['long strings without a comma', `["${long}""${long}"]`],
    ['long strings that stand alone', `"${long}" "${long}"`],
    ['a long text between two strings', `["a"${long}"b"]`],
    ['a long text between two empty strings', `[""${long}""]`],
    ['a long text after a string with an escaped quote', `["a\\""${long}"b"]`],
    ['a long list with an error between two strings', `["a",${'1,'.repeat(50_000)},"b"]`],
    ['an error after a long string', `["${long}",]`],
  ])('rejects %s', (_, text) => {
    expect(isJson(text)).toBe(false);
  });
});
