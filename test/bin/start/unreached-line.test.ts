import { unreachedLine } from '../../../bin/start/unreached-line.ts';

const LINE = {
  level: 'error',
  operation: 'proxy',
  code: 'destination_unreachable',
  traceId: 't-1',
  cause: [
    'ServiceError | at unreachable (index.cjs:1:2)',
    'Error | ECONNREFUSED | at TCPConnectWrap (node:net)',
  ],
};

it('names the code of a connection that failed, which its caller does not get', () => {
  expect(unreachedLine(JSON.stringify(LINE))).toBe(
    'call of the proxy failed: the destination cannot be reached (ECONNREFUSED), trace id t-1',
  );
  const late = { ...LINE, code: 'destination_timeout', cause: ['ServiceError | at x'] };
  expect(unreachedLine(JSON.stringify(late))).toBe(
    'call of the proxy failed: the destination did not respond in time, trace id t-1',
  );
});

it.each([
  JSON.stringify({ ...LINE, code: 'internal_error' }),
  JSON.stringify({ ...LINE, code: 'destination_other' }),
  'a line with "destination_unreachable"',
])('says nothing of %s', (line) => {
  expect(unreachedLine(line)).toBeUndefined();
});
