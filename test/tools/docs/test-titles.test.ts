import { titleFindings } from '../../../tools/docs/test-titles.ts';

const problems = (source: string) =>
  titleFindings('a.test.ts', source).map(({ line, problem }) => [line, problem]);

it.each([
  "it('returns 404 for a result of another tenant', () => {});",
  "it('a token without a mask is redacted', () => {});",
  "it.each(cases)('an id with %s is rejected', () => {});",
  "it.each(cases)('%s', () => {});",
  'it.each`a`(`${name} of $name ends`, () => {});',
  "describe('at the end', () => { it('a process ends', () => {}); });",
])('accepts a title that stands alone: %s', (source) => {
  expect(problems(source)).toEqual([]);
});

it.each([
  ["it('of another tenant is rejected', () => {});", 'starts with a preposition'],
  ["it.each(cases)('with %s fails', () => {});", 'starts with a preposition'],
  ["it('a wrong key, and another tenant', () => {});", 'has no verb'],
  ["it('400: a missing destination', () => {});", 'has no verb'],
])('reports a title that says too little: %s', (source, problem) => {
  expect(problems(`\n${source}`)).toEqual([[2, problem]]);
});
