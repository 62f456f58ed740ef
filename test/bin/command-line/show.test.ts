import { printable, show } from '../../../bin/command-line/show.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

/** A terminal acts on these, or shows them as something else. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const FORGED =
  'x\n\ntenant_id      00000000-0000-4000-8000-000000000000\nname           ACME\u001b]0;pwned\u0007\u001b[8m\u202e';
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\n', '\r', '\u001b', '\u009b', '\u0007', '\u202e', '\u200b', '\ud800', 'a'),
  }),
);

describe('the output of the operator', () => {
  it('has no control character of a name, in lines and in lists', () => {
    fc.assert(
      fc.property(text, text, (name, other) => {
        const lines = show({ name, nested: { other }, tenants: [{ name }, { name: other }] }, false);
        expect(lines.replaceAll('\n', '')).not.toMatch(UNSAFE);
        expect(lines.split('\n')).toHaveLength(6);
      }),
      { numRuns: cases(300) },
    );
  });

  it('is the same value in JSON, without characters that a terminal acts on', () => {
    fc.assert(
      fc.property(text, (name) => {
        const json = show({ name }, true);
        expect(json.slice(0, -1)).not.toMatch(UNSAFE);
        expect(JSON.parse(json)).toEqual({ name });
      }),
      { numRuns: cases(300) },
    );
  });

  it('shows a forged tenant as one escaped line', () => {
    expect(show({ tenants: [{ name: FORGED }] }, false)).toBe(`name  ${printable(FORGED)}\n`);
    expect(printable('a\u001b[8mb')).toBe(String.raw`a\u{001b}[8mb`);
    expect(printable('Zoë 日本 💳')).toBe('Zoë 日本 💳');
  });
});
