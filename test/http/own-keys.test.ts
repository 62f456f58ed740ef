// Tests what a key of an application has of its own: its end, its networks, the day of its last
// use.
import { turns, whenever } from '../../packages/test-kit/src/event-loop.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import { route } from '../../src/http/route.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { anEvent, KEY } from '../support/builders/an-event.ts';
import { anApi } from './an-api.ts';

const STATUS = route({
  operation: 'status',
  method: 'GET',
  path: '/status',
  success: 200,
  handle: () => Promise.resolve({}),
});

const DAY = 24 * 60 * 60_000;
const EDGE = 'the secret of the edge';
const GATEWAY = '130.176.1.1';
const NAME = { tenantId: aCaller().tenantId, applicationId: aCaller().applicationId, keyId: 'a-key' };

interface Options {
  readonly isBehindEdge?: boolean;
  readonly note?: (hash: Buffer, day: string) => Promise<void>;
}

function setUp({ isBehindEdge = false, note = () => Promise.resolve() }: Options = {}) {
  const api = anApi();
  const noted: string[] = [];
  const deps = {
    ...api.deps,
    edgeSecret: isBehindEdge ? [EDGE] : [],
    keyUses: {
      note(hash: Buffer, day: string) {
        noted.push(day);
        return note(hash, day);
      },
    },
  };
  const handle = createApiHandler(deps, [STATUS]);
  const bind = (sourceAddresses: readonly string[], expiresAtMs?: number) =>
    api.allow(KEY, aCaller(), {
      key: { ...NAME, sourceAddresses, ...(expiresAtMs !== undefined && { expiresAtMs }) },
    });
  const send = async (headers: Record<string, string> = {}, sourceIp = GATEWAY) => {
    const edge = isBehindEdge ? { 'x-cloakroom-edge': EDGE } : {};
    const event = anEvent({ path: '/status', headers: { 'SVC-API-KEY': KEY, ...edge, ...headers } });
    event.requestContext.http.sourceIp = sourceIp;
    const { statusCode, body } = await handle(event);
    const { code } = JSON.parse(body === undefined || body === '' ? '{}' : body) as { code?: string };
    return code ?? statusCode;
  };
  return { ...api, noted, bind, send };
}

const FORGED = [
  { 'X-Forwarded-For': '203.0.113.7' },
  { 'X-Forwarded-For': '203.0.113.7, 203.0.113.7' },
  { 'X-Real-IP': '203.0.113.7', 'True-Client-IP': '203.0.113.7', 'CF-Connecting-IP': '203.0.113.7' },
  { Forwarded: 'for=203.0.113.7', 'CloudFront-Viewer-Address': '203.0.113.7:443' },
];

describe('a key with networks', () => {
  it.each(FORGED)(
    'is refused without the edge from elsewhere, whatever a caller sends: %j',
    async (headers) => {
      const { send, bind } = setUp();
      bind(['203.0.113.0/24']);
      expect(await send(headers, '198.51.100.1')).toBe('address_not_allowed');
      expect(await send(headers, '203.0.113.9')).toBe(200);
    },
  );

  it.each(FORGED)(
    'is refused behind the edge from elsewhere, whatever a caller sends: %j',
    async (headers) => {
      const { send, bind } = setUp({ isBehindEdge: true });
      bind(['203.0.113.0/24']);
      // CloudFront and the gateway each append the address that they see.
      const forged = 'X-Forwarded-For' in headers ? `${headers['X-Forwarded-For']}, ` : '';
      const seenAs = (address: string) => ({
        ...headers,
        'X-Forwarded-For': `${forged}${address}, ${GATEWAY}`,
      });
      expect(await send(seenAs('198.51.100.1'))).toBe('address_not_allowed');
      expect(await send(seenAs('203.0.113.9'))).toBe(200);
      expect(await send(seenAs('2001:db8::1'))).toBe('address_not_allowed');
      expect(await send(seenAs('::ffff:203.0.113.9'))).toBe(200);
      // Without an address that CloudFront vouches for, the key is not accepted.
      expect(await send({ ...headers, 'X-Forwarded-For': `nowhere, ${GATEWAY}` })).toBe(
        'address_not_allowed',
      );
    },
  );

  it.each([
    ['2001:db8::1', 200],
    ['2001:0DB8:0:0:0:0:0:1', 200],
    ['2001:db8:1::1', 'address_not_allowed'],
    ['::ffff:32.1.13.184', 'address_not_allowed'],
  ])('sent from %s gives %s', async (address, expected) => {
    const { send, bind } = setUp();
    bind(['2001:db8::/48']);
    expect(await send({}, address)).toBe(expected);
  });

  it('that has expired says so from everywhere: existence, end and address are checked in this order', async () => {
    const { send, bind, forget, pass } = setUp();
    bind(['203.0.113.0/24'], 1_000_000 + DAY);
    expect(await send({}, '198.51.100.1')).toBe('address_not_allowed');
    pass(DAY);
    expect(await send({}, '198.51.100.1')).toBe('key_expired');
    forget(KEY);
    expect(await send({}, '198.51.100.1')).toBe('unauthenticated');
  });
});

describe('the last use of a key', () => {
  it('is noted once a day, after the key was accepted', async () => {
    const { send, bind, noted, pass } = setUp();
    bind(['203.0.113.0/24']);
    expect(await send()).toBe('address_not_allowed');
    expect(noted).toEqual([]);
    for (let request = 0; request < 5; request += 1) await send({}, '203.0.113.7');
    expect(noted).toEqual(['1970-01-01']);
    pass(DAY);
    for (let request = 0; request < 5; request += 1) await send({}, '203.0.113.7');
    expect(noted).toEqual(['1970-01-01', '1970-01-02']);
  });

  it('does not depend on refused requests with the same key from elsewhere', async () => {
    const { send, bind, noted } = setUp();
    bind(['203.0.113.0/24']);
    for (let request = 0; request < 5; request += 1) {
      expect(await send({}, '203.0.113.7')).toBe(200);
      expect(await send({}, '198.51.100.1')).toBe('address_not_allowed');
    }
    expect(noted).toHaveLength(1);
  });

  it('is noted before the response: an instance may be frozen after it', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { send, bind, noted } = setUp({ note: () => promise });
    bind([]);
    const response = send();
    await whenever(() => noted.length > 0);
    expect(await Promise.race([response, turns(10).then(() => 'waits')])).toBe('waits');
    resolve(undefined);
    expect(await response).toBe(200);
  });

  it('is not noted of a session, an invocation or a key that was deleted', async () => {
    const { send, allow, noted, forget } = setUp();
    allow(KEY, aCaller({ actsBy: 'session' }));
    await send();
    allow(KEY, aCaller({ actsBy: 'invocation' }));
    await send();
    forget(KEY);
    await send();
    expect(noted).toEqual([]);
  });

  it('fails no request, and is not tried again on the same day', async () => {
    const failing = () => Promise.reject(new ServiceError('dependency_unavailable', 'Down.'));
    const { send, bind, noted } = setUp({ note: failing });
    bind([]);
    expect([await send(), await send()]).toEqual([200, 200]);
    expect(noted).toHaveLength(1);
  });

  it('delays no response for longer than a second', async () => {
    const timers: number[] = [];
    const { deps, allow } = anApi();
    allow(KEY, aCaller(), { key: { ...NAME, sourceAddresses: [] } });
    const startTimer = (ms: number, onEnd: () => void) => {
      timers.push(ms);
      onEnd();
      return () => undefined;
    };
    const keyUses = { note: () => new Promise<void>(() => undefined) };
    const handle = createApiHandler({ ...deps, keyUses, startTimer }, [STATUS]);
    expect((await handle(anEvent({ path: '/status' }))).statusCode).toBe(200);
    expect(timers).toEqual([1_000]);
  });
});
