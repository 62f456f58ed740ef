import { classBytes, unescapedBytes } from '../../../src/core/stored-proxies/canonical-bytes.ts';
import { findForms, Prefixes, searchesFor, SearchRun } from '../../../src/core/stored-proxies/form-search.ts';
import { TransformError } from '../../../src/core/stored-proxies/transform-failure.ts';
import { plainForm } from '../../../src/core/stored-proxies/value-forms.ts';

const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';

function matchesIn(text: string, values: readonly string[], isRefused: boolean): number {
  const forms = values.map((value) => ({
    ...plainForm(Buffer.from(value)),
    owner: { name: 'A', value, isRefused },
  }));
  const run = new SearchRun(new TransformError('refused'), true);
  const source = Buffer.from(text);
  const units = unescapedBytes(classBytes(source));
  const matches = findForms(searchesFor(forms), { source, units, run, prefixes: new Prefixes() });
  if (isRefused) expect(() => run.end()).toThrow('refused');
  return matches.length;
}

it('compares nothing after a refused value, so that no time shows how many guesses overlap it', () => {
  const guesses = Array.from({ length: 40 }, (_, at) => `Bearer ${SECRET}`.slice(at % 8, 24));
  const text = `Bearer ${SECRET} `.repeat(1_000);
  expect(matchesIn(text, [SECRET, ...guesses], false)).toBeGreaterThan(40_000);
  expect(matchesIn(text, [SECRET], true)).toBe(1);
  expect(matchesIn(text, [SECRET, ...guesses], true)).toBeLessThanOrEqual(41);
});

it('finds forms of less than two windows, and of one', () => {
  for (const value of [SECRET, SECRET.slice(0, 16), SECRET.slice(0, 15), SECRET.slice(0, 8)])
    expect(matchesIn(`x${value}x${value.slice(1)}`, [value], false)).toBe(1);
});
