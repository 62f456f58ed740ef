import type { ProxyReports } from '../../src/core/stored-proxies/proxy-reports.ts';
import { proxyReports } from '../../src/lambda/proxy-metrics.ts';

/** The lines of JSON that are printed meanwhile. */
function printed(report: (reports: ProxyReports) => void): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  report(proxyReports((line) => lines.push(line), 'test'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const FOUND = { traceId: 'trace', tenantId: 'tenant', proxyId: 'proxy', name: 'API_KEY' };

it('a guess is logged with the name of the value, and counted once', () => {
  const [line, metric, ...more] = printed(({ onSecretGuessed }) => onSecretGuessed(FOUND));
  const { name, ...ids } = FOUND;
  expect(line).toMatchObject({
    level: 'warn',
    operation: 'reportConfigurationGuessed',
    ...ids,
    configurationName: name,
  });
  expect(metric).toMatchObject({ service: 'proxies', ConfigurationGuessed: 1 });
  expect(more).toEqual([]);
});

it('forgotten secrets are logged with their proxy, and counted once', () => {
  const { name: _, ...ids } = FOUND;
  const [line, metric, ...more] = printed(({ onSecretsForgotten }) => onSecretsForgotten(ids));
  expect(line).toMatchObject({ level: 'warn', operation: 'reportRetiredSecretsForgotten', ...ids });
  expect(metric).toMatchObject({ service: 'proxies', RetiredSecretsForgotten: 1 });
  expect(more).toEqual([]);
});
