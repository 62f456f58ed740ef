import { deliveryReports } from '../../src/lambda/delivery-report.ts';

it.each([
  [{ outcome: 'delivered', attempt: 1, status: 204 }, 0, undefined, 'info'],
  [{ outcome: 'failed', attempt: 2, status: 500, nextAt: 0 }, 1, 'HTTP 500', 'warn'],
  [{ outcome: 'parked', attempt: 10, reason: 'connection refused' }, 1, 'connection refused', 'warn'],
] as const)('reports %j in the metric and the log', (sent, value, reason, level) => {
  const printed: string[] = [];
  const handled = deliveryReports((line) => printed.push(line), 'test')(sent);
  const lines = printed.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([{ service: 'webhook-sender', DeliveryFailed: value }]);
  expect(lines[0]?.['DeliveryParked']).toBe(sent.outcome === 'parked' ? 1 : undefined);
  expect(lines[0]?.['reason']).toBe(reason);
  const { outcome, attempt } = sent;
  expect(handled).toMatchObject({ level, fields: { outcome, attempt } });
  expect(handled.fields.reason).toBe(reason);
  expect(handled.fields.nextAttempt).toBe('nextAt' in sent ? '1970-01-01T00:00:00.000Z' : undefined);
});
