import { NOW } from '../support/now.ts';
import { apiRequest } from '../../src/http/api-request.ts';
import { reservedHeaders } from '../../src/http/reserved-headers.ts';
import { traceId } from '../../src/http/trace-id.ts';
import { anEvent } from '../support/builders/an-event.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

describe('reserved headers', () => {
  const headers = apiRequest(machinePlatform, anEvent({ headers: { 'Acme-Api-KEY': 'k', 'X-Other': '1' } }), [
    'SVC',
    'ACME',
  ]).reserved;

  it('are read under any listed prefix in any case, and returned under the one of the request', () => {
    expect(headers.get('api-key')).toBe('k');
    expect(headers.get('trace-id')).toBeUndefined();
    expect(headers.nameOf('trace-id')).toBe('ACME-TRACE-ID');
  });

  it('use the first prefix where two are sent, and in the response where none is sent', () => {
    const both = reservedHeaders({ 'svc-api-key': 'one', 'acme-api-key': 'two' }, ['SVC', 'ACME']);
    expect(both.get('api-key')).toBe('one');
    expect(both.nameOf('trace-id')).toBe('SVC-TRACE-ID');
    const reversed = reservedHeaders({ 'svc-api-key': 'one', 'acme-api-key': 'two' }, ['ACME', 'SVC']);
    expect(reversed.get('api-key')).toBe('two');
    expect(reservedHeaders({}, ['SVC', 'ACME']).nameOf('trace-id')).toBe('SVC-TRACE-ID');
  });

  it('are only those with a listed prefix', () => {
    const other = reservedHeaders({ 'acme-api-key': 'k', 'svcx-api-key': 'k', 'api-key': 'k' }, ['SVC']);
    expect(other.get('api-key')).toBeUndefined();
    expect(other.nameOf('trace-id')).toBe('SVC-TRACE-ID');
  });

  it('may be empty, which differs from absent', () => {
    expect(reservedHeaders({ 'svc-idempotency-key': '' }, ['SVC']).get('idempotency-key')).toBe('');
  });
});

describe('a trace id', () => {
  it.each(['a', 'x'.repeat(200), '!~', '00-4bf92f3577b34da6a3ce929d0e0e4736-00'])(
    '%s is accepted',
    (input) => {
      expect(traceId(machinePlatform.random, input)).toBe(input);
    },
  );

  it.each([undefined, '', 'x'.repeat(201), 'a b', 'a\n', 'a\r\nX-Evil: 1', 'é', '\u0000', '\u007f'])(
    '%j is replaced',
    (input) => {
      expect(traceId(machinePlatform.random, input)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('a request', () => {
  it.each([
    ['a plausible time', (now: number) => now - 2_000, true],
    ['a time in seconds, as from sam local,', (now: number) => Math.round(now / 1000), false],
    ['a time a minute ago', (now: number) => now - 60_000, false],
    ['no time', () => undefined, false],
  ] as const)(
    'whose event has %s was received then, or now if that is implausible',
    (_, timeEpoch, isAccepted) => {
      const event = anEvent();
      const input = timeEpoch(NOW);
      Object.assign(event.requestContext, { timeEpoch: input });
      const { receivedAt } = apiRequest({ ...machinePlatform, clock: () => NOW }, event, ['SVC']);
      expect(receivedAt).toBe(isAccepted ? input : NOW);
    },
  );

  it.each([
    ['https://api.example.com', {}],
    ['https://api.example.com', { 'x-forwarded-proto': 'https', 'x-forwarded-port': '8443' }],
    ['http://api.example.com:8400', { 'x-forwarded-proto': 'http', 'x-forwarded-port': '8400' }],
    ['http://api.example.com', { 'x-forwarded-proto': 'http', 'x-forwarded-port': '1@evil.example' }],
  ])('has the address %s that the gateway reports, whatever host the caller names', (baseUrl, forwarded) => {
    for (const host of ['api.example.com:18290', 'evil.example', 'API.example.com:1']) {
      const event = anEvent({ headers: { Host: host, ...forwarded } });
      expect(apiRequest(machinePlatform, event, ['SVC'])).toMatchObject({
        baseUrl,
        domainName: 'api.example.com',
      });
    }
  });

  it('has its path without one trailing slash, its query, and its body as bytes', () => {
    const request = apiRequest(
      machinePlatform,
      anEvent({ path: '/a/b/', query: 'x=1&x=2&y=%20', body: Buffer.from([0, 255]) }),
      ['SVC'],
    );
    expect(request.path).toBe('/a/b');
    expect(request.query.getAll('x')).toEqual(['1', '2']);
    expect(request.body.bytes).toEqual(Buffer.from([0, 255]));
    expect(apiRequest(machinePlatform, anEvent({ path: '/' }), ['SVC']).path).toBe('/');
    expect(apiRequest(machinePlatform, anEvent({ path: '/a//' }), ['SVC']).path).toBe('/a/');
    expect(apiRequest(machinePlatform, anEvent(), ['SVC']).body.bytes).toHaveLength(0);
    expect(
      apiRequest(machinePlatform, { ...anEvent(), body: 'é', isBase64Encoded: false }, ['SVC']).body.bytes,
    ).toEqual(Buffer.from('é'));
  });
});
