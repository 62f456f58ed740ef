import { apiRequest } from '../../src/http/api-request.ts';
import { reservedHeaders } from '../../src/http/reserved-headers.ts';
import { traceId } from '../../src/http/trace-id.ts';
import { anEvent } from '../support/builders/an-event.ts';

describe('reserved headers', () => {
  const headers = apiRequest(anEvent({ headers: { 'Acme-Api-KEY': 'k', 'X-Other': '1' } }), [
    'SVC',
    'ACME',
  ]).reserved;

  it('are read under any listed prefix in any case, and answered with the one that came', () => {
    expect(headers.get('api-key')).toBe('k');
    expect(headers.get('trace-id')).toBeUndefined();
    expect(headers.nameOf('trace-id')).toBe('ACME-TRACE-ID');
  });

  it('the first prefix wins, and answers when none came', () => {
    const both = reservedHeaders({ 'svc-api-key': 'one', 'acme-api-key': 'two' }, ['SVC', 'ACME']);
    expect(both.get('api-key')).toBe('one');
    expect(both.nameOf('trace-id')).toBe('SVC-TRACE-ID');
    const reversed = reservedHeaders({ 'svc-api-key': 'one', 'acme-api-key': 'two' }, ['ACME', 'SVC']);
    expect(reversed.get('api-key')).toBe('two');
    expect(reservedHeaders({}, ['SVC', 'ACME']).nameOf('trace-id')).toBe('SVC-TRACE-ID');
  });

  it('are those of a listed prefix alone', () => {
    const other = reservedHeaders({ 'acme-api-key': 'k', 'svcx-api-key': 'k', 'api-key': 'k' }, ['SVC']);
    expect(other.get('api-key')).toBeUndefined();
    expect(other.nameOf('trace-id')).toBe('SVC-TRACE-ID');
  });

  it('may be empty, which is not absent', () => {
    expect(reservedHeaders({ 'svc-idempotency-key': '' }, ['SVC']).get('idempotency-key')).toBe('');
  });
});

describe('a trace id', () => {
  it.each(['a', 'x'.repeat(200), '!~', '00-4bf92f3577b34da6a3ce929d0e0e4736-00'])('%s is taken', (given) => {
    expect(traceId(given)).toBe(given);
  });

  it.each([undefined, '', 'x'.repeat(201), 'a b', 'a\n', 'a\r\nX-Evil: 1', 'é', '\u0000', '\u007f'])(
    '%j is replaced',
    (given) => {
      expect(traceId(given)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('a request', () => {
  it.each([
    ['the time of the gateway', (now: number) => now - 2_000, true],
    ['seconds, as sam local gives', (now: number) => Math.round(now / 1000), false],
    ['a time that nobody waits any more since', (now: number) => now - 60_000, false],
    ['nothing', () => undefined, false],
  ] as const)('was received when %s says, if it can be', (_, timeEpoch, isTaken) => {
    const event = anEvent();
    const given = timeEpoch(Date.now());
    Object.assign(event.requestContext, { timeEpoch: given });
    const { receivedAt } = apiRequest(event, ['SVC']);
    if (isTaken) expect(receivedAt).toBe(given);
    else expect(receivedAt).toBeGreaterThan(Date.now() - 2_000);
  });

  it('has its path without one trailing slash, its query, and its body as bytes', () => {
    const request = apiRequest(
      anEvent({ path: '/a/b/', query: 'x=1&x=2&y=%20', body: Buffer.from([0, 255]) }),
      ['SVC'],
    );
    expect(request.path).toBe('/a/b');
    expect(request.query.getAll('x')).toEqual(['1', '2']);
    expect(request.body.bytes).toEqual(Buffer.from([0, 255]));
    expect(apiRequest(anEvent({ path: '/' }), ['SVC']).path).toBe('/');
    expect(apiRequest(anEvent({ path: '/a//' }), ['SVC']).path).toBe('/a/');
    expect(apiRequest(anEvent(), ['SVC']).body.bytes).toHaveLength(0);
    expect(apiRequest({ ...anEvent(), body: 'é', isBase64Encoded: false }, ['SVC']).body.bytes).toEqual(
      Buffer.from('é'),
    );
  });
});
