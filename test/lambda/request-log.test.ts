import { withoutRandom } from '../../packages/test-kit/src/without-random.ts';
import { createLog, type Log } from '../../src/lambda/request-log.ts';

/** The lines that an instance prints meanwhile. */
function printed(write: (log: Log) => void): readonly string[] {
  const lines: string[] = [];
  write(createLog((line) => lines.push(line)));
  return lines;
}

const LINE = {
  level: 'info',
  traceId: 't-1',
  operation: 'getToken',
  status: 200,
  milliseconds: 12,
  tenantId: 'tenant',
  applicationId: 'application',
} as const;

/** A line without its time, which must have a format that Lambda accepts: RFC 3339. */
function withoutTime(text: string): object {
  const { timestamp, ...line } = JSON.parse(text) as { readonly timestamp: string };
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return line;
}

it('a request is one line of JSON', () => {
  const lines = printed((log) => {
    log.request(LINE);
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\n]+$/);
  expect(withoutTime(lines[0] ?? '')).toEqual(LINE);
});

it('a field that is not on the list, or has no value, is left out', () => {
  const { applicationId: _, ...line } = LINE;
  const more = { ...line, body: 'secret', headers: { 'svc-api-key': 'key_1' } };
  const [text = ''] = printed((log) => {
    log.request(more);
  });
  expect(withoutTime(text)).toEqual(line);
});

it('a caller cannot inject a line', () => {
  const traceId = 'a\n{"level":"error"}\r\n';
  const lines = printed((log) => {
    log.write('info', { traceId });
  });
  expect(lines.join('\n').split('\n')).toHaveLength(1);
  expect(withoutTime(lines.join(''))).toEqual({ level: 'info', traceId });
});

it('an unhandled failure is logged with names and positions only', () => {
  const code = { code: 'ECONNREFUSED' };
  const cause = Object.assign(new TypeError('quotes 4242424242424242'), code);
  const [text = ''] = printed((log) => {
    log.failure('prefetch')(new Error('holds secret', { cause }));
  });
  const line = JSON.parse(text) as { level: string; operation: string; cause: readonly string[] };
  expect(line).toMatchObject({ level: 'error', operation: 'prefetch' });
  expect(line.cause).toHaveLength(2);
  expect(line.cause[1]).toMatch(/^TypeError \| ECONNREFUSED \| at /);
  expect(withoutRandom(text)).not.toMatch(/4242|secret/);
});
