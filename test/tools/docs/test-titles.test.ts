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
  "describe('a process', () => { it('ends', () => {}); });",
  "describe('a process', () => { describe('at the end', () => { it('ends', () => {}); }); });",
  "describe(name, () => { it('ends', () => {}); });",
])('accepts a title that names its subject, or whose describe or file does: %s', (source) => {
  expect(problems(source)).toEqual([]);
});

it.each([
  ["it('of another tenant is rejected', () => {});", 'begins with a preposition'],
  ["it.each(cases)('with %s fails', () => {});", 'begins with a preposition'],
  [
    "describe('at the end', () => { it('is ended', () => {}); });",
    'begins with its verb, and no `describe` around it names the subject',
  ],
  ["it('a wrong key, and another tenant', () => {});", 'has no verb'],
  ["it('400: a missing destination', () => {});", 'has no verb'],
])('reports a title without a subject or an outcome: %s', (source, problem) => {
  expect(problems(`\n${source}`)).toEqual([[2, problem]]);
});
