import { runInNewContext } from 'node:vm';
import { parseFormula } from '../../packages/local-aws/src/cloudwatch/metric-math.ts';
import { problemCodes } from '../../src/wire/problem.ts';
import { synthesis } from '../support/synthesis.ts';
import { VERSIONS } from '../support/template-settings.ts';
import { synthesized } from '../support/synthesized.ts';

it('the gateway gets another version of a function with the content that the function depends on', () => {
  const [none, a, again, b] = synthesis('versions', ...VERSIONS);
  expect(again).toBe(a);
  expect(new Set([none, a, b]).size).toBe(3);
});

describe('a canary', () => {
  const resources = () =>
    synthesized({ deployment: 'canary' }, 'eu-west-1').flatMap(({ template }) =>
      Object.entries(template.Resources),
    );
  const patterns = () =>
    resources()
      .filter(([id, { Type }]) => Type === 'AWS::Logs::MetricFilter' && /Canary/.test(id))
      .map(([id, { Properties }]) => [id, String(Properties['FilterPattern'])] as const);

  it('counts the log lines with codes of the service itself, which exist', () => {
    expect(patterns()).toHaveLength(6);
    const codes = patterns().flatMap(([, pattern]) => [...pattern.matchAll(/\$\.code = "(\w+)"/g)]);
    expect(new Set(codes.map(([, code]) => code))).toEqual(
      new Set(['internal_error', 'dependency_unavailable']),
    );
    expect(problemCodes()).toEqual(expect.arrayContaining(codes.map(([, code]) => code)));
  });

  /** Whether a pattern selects a line. It compares members with texts, and combines comparisons. */
  function selects(pattern: string, line: unknown): boolean {
    const compared = pattern.replaceAll(
      /\$\.([\w.]+) (!?=) "([^"]*)"/g,
      (_, path: string, operator: string, text: string) => {
        const value = path.split('.').reduce<any>((at, name) => at?.[name], line);
        return String(value !== undefined && (value === text) === (operator === '='));
      },
    );
    expect(compared).toMatch(/^[{}()|& truefals]+$/);
    return Boolean(runInNewContext(compared.replaceAll(/^\{|\}$/g, '')));
  }

  /** Computes the alarm of a function for a minute with these lines in its log. */
  function percentOf(name: string, requests: number, lines: readonly object[]): number {
    const [, pattern = ''] = patterns().find(([id]) => id.startsWith(`${name}Canary`)) ?? [];
    const [id, alarm] =
      resources().find(
        ([each, { Type }]) => Type === 'AWS::CloudWatch::Alarm' && each.startsWith(`${name}Canary`),
      ) ?? [];
    if (id === undefined || alarm === undefined) throw new Error(`no alarm of ${name}`);
    const metrics = alarm.Properties['Metrics'] as { Id: string; Expression?: string }[];
    const expression = metrics.find(({ Expression }) => Expression !== undefined)?.Expression ?? '';
    const statusOf = (line: object) => (line as { record?: { status?: string } }).record?.status ?? 'success';
    const values: Readonly<Record<string, number>> = {
      requests,
      failures: lines.filter((line) => selects(pattern, line)).length,
      // Lambda counts every call that ends without a result.
      errors: lines.filter((line) => statusOf(line) !== 'success').length,
    };
    const { formula, ids } = parseFormula(expression);
    expect(
      metrics
        .map((metric) => metric.Id)
        .filter((each) => each in values)
        .toSorted(),
    ).toEqual([...new Set(ids)].toSorted());
    return formula((each) => values[each]) ?? 0;
  }

  const report = (status: string) => ({ type: 'platform.report', record: { requestId: 'x', status } });
  const ended = (status: string) => ({ type: 'platform.runtimeDone', record: { requestId: 'x', status } });
  const times = (count: number, ...lines: readonly object[]) =>
    Array.from({ length: count }, () => lines).flat();

  it('is not rolled back by callers of the proxy whose calls time out', () => {
    const timedOut = times(40, ended('timeout'), report('timeout'));
    for (const requests of [40, 1_000]) expect(percentOf('Proxy', requests, timedOut)).toBe(0);
    // No caller without an API key reaches the others.
    expect(percentOf('Tokens', 1_000, times(20, report('timeout')))).toBe(2);
  });

  it.each(['Proxy', 'Tokens'])('is rolled back by crashes and faults of %s', (name) => {
    const crashed = times(7, ended('error'), report('error'));
    expect(percentOf(name, 20, name === 'Proxy' ? crashed : times(7, report('error')))).toBe(100);
    expect(percentOf(name, 700, times(7, { code: 'internal_error', status: 500 }))).toBe(1);
    expect(percentOf(name, 700, times(7, { code: 'destination_timeout', status: 408 }))).toBe(0);
    expect(percentOf(name, 700, times(7, { operation: 'proxy', status: 200 }))).toBe(0);
  });
});
