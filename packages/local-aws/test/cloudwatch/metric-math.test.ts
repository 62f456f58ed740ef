import { parseFormula } from '../../src/cloudwatch/metric-math.ts';

function evaluated(text: string, values: Readonly<Record<string, number | undefined>> = {}) {
  return parseFormula(text).formula((id) => values[id]);
}

it.each([
  ['1 + 2 * 3 - 4 / 2', 5],
  ['(1 + 2) * 3', 9],
  ['-m * 2', -6],
  ['10 - 2 - 3', 5],
  ['m > 2', 1],
  ['m >= 4 OR m < 4 AND m == 3', 1],
  ['m != 3 || m <= 2', 0],
  ['m && 0', 0],
  ['MAX([m, 5, 1.5])', 5],
  ['MIN([m, 5])', 3],
  ['SUM([m, 5])', 8],
  ['AVG([m, 5])', 4],
  ['IF(m > 2, 10, 20)', 10],
  ['IF(m > 3, 10, IF(m > 2, 20, 30))', 20],
])('evaluates %s', (text, expected) => {
  expect(evaluated(text, { m: 3 })).toBe(expected);
});

it('a period without a value of an operand has no value', () => {
  expect(['m + 1', '-m', 'IF(m > 1, 1, 2)', 'MAX([m])'].map((text) => evaluated(text))).toEqual(
    Array(4).fill(undefined),
  );
});

it('a function of an array ignores what is missing', () => {
  expect(evaluated('MAX([m, other])', { other: 2 })).toBe(2);
});

it('FILL replaces missing values alone', () => {
  expect([evaluated('FILL(m, 0) + 1'), evaluated('FILL(m, 0) + 1', { m: 4 })]).toEqual([1, 5]);
});

it('a division by 0 has no value', () => {
  expect(evaluated('100 * errors / requests', { errors: 1, requests: 0 })).toBeUndefined();
});

it('names the metrics of an expression', () => {
  expect(parseFormula('IF(requests > 50, 100 * errors / requests, 0)').ids).toEqual(['requests', 'errors']);
});

it.each([
  ['RATE(m)', 'the metric math RATE'],
  ['MAX(m)', 'the metric math MAX'],
  ['constructor(m)', 'the metric math constructor'],
  ['FILL(m)', 'the metric math FILL'],
  ['IF([m], 1, 2)', 'the metric math IF'],
  ["SEARCH('x')", "metric math with '"],
  ['m ^ 2', 'metric math with ^'],
  ['m constructor 2', 'constructor after its end'],
  ['m +', 'ends too early'],
  ['(m', 'ends too early'],
  ['m ) 1', ') after its end'],
  ['* 2', '* instead of a value'],
  ['(m, 1)', ', instead of )'],
])('rejects %s', (text, message) => {
  expect(() => parseFormula(text)).toThrow(message);
});
