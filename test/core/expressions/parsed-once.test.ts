import { parsedOnce } from '../../../src/core/expressions/parsed-once.ts';

function counting() {
  const parsed: string[] = [];
  const parse = parsedOnce((source) => {
    parsed.push(source);
    if (source === 'bad') throw new Error('bad');
    return { source };
  });
  return { parse, parsed };
}

it('parses a source once', () => {
  const { parse, parsed } = counting();
  expect(parse('a')).toBe(parse('a'));
  expect(parsed).toEqual(['a']);
});

it('does not cache a failure', () => {
  const { parse, parsed } = counting();
  for (let time = 0; time < 2; time += 1) expect(() => parse('bad')).toThrow('bad');
  expect(parsed).toEqual(['bad', 'bad']);
});

it('does not cache long sources', () => {
  const { parse, parsed } = counting();
  const long = 'a'.repeat(401);
  parse(long);
  parse(long);
  expect(parsed).toEqual([long, long]);
});

it('does not cache a result that `mayKeep` excludes', () => {
  const parsed: string[] = [];
  const parse = parsedOnce(
    (source) => {
      parsed.push(source);
      return { source };
    },
    ({ source }) => source !== 'secret',
  );
  for (const source of ['secret', 'secret', 'a', 'a']) parse(source);
  expect(parsed).toEqual(['secret', 'secret', 'a']);
});

it('caches a thousand results, and drops the oldest', () => {
  const { parse, parsed } = counting();
  for (let index = 0; index <= 1_000; index += 1) parse(String(index));
  parse('1');
  expect(parsed).toHaveLength(1_001);
  parse('0');
  expect(parsed).toHaveLength(1_002);
});
