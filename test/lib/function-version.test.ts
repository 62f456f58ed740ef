import { problemCodes } from '../../src/wire/problem.ts';
import { synthesis } from '../support/synthesis.ts';
import { VERSIONS } from '../support/template-settings.ts';
import { synthesized } from '../support/synthesized.ts';

it('the gateway gets another version of a function with the content that the function depends on', () => {
  const [none, a, again, b] = synthesis('versions', ...VERSIONS);
  expect(again).toBe(a);
  expect(new Set([none, a, b]).size).toBe(3);
});

it('a canary counts the log lines with codes of the service itself, which exist', () => {
  const patterns = synthesized({ deployment: 'canary' }, 'eu-west-1').flatMap(({ template }) =>
    Object.values(template.Resources)
      .filter(({ Type }) => Type === 'AWS::Logs::MetricFilter')
      .map(({ Properties }) => String(Properties['FilterPattern'])),
  );
  expect(patterns).toHaveLength(6);
  const codes = [...new Set(patterns.flatMap((pattern) => [...pattern.matchAll(/"(\w+)"/g)]))].map(
    ([, code]) => code,
  );
  expect(problemCodes()).toEqual(expect.arrayContaining(codes));
  expect(new Set(codes)).toEqual(new Set(['internal_error', 'dependency_unavailable']));
});
