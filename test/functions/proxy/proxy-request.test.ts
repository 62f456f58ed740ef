import type { EgressClient, HeaderFields } from '../../../src/core/egress/egress-client.ts';
import { forward, type ForwardDeps } from '../../../src/core/proxy-expressions/forward.ts';
import { apiRequest } from '../../../src/http/api-request.ts';
import { EDGE_HEADER } from '../../../src/http/edge-secret.ts';
import { proxyRequest } from '../../../functions/proxy/proxy-request.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { anEvent } from '../../support/builders/an-event.ts';
import { anAudit } from '../../support/fakes/an-audit.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const SECRET = 'the secret of the edge';
const NAMES = { headerPrefixes: ['SVC', 'ACME'], publicUrl: 'https://vault.example.com' };

/**
 * Sends a request through the proxy; returns the requests and responses of its destination and the
 * caller.
 */
async function forwarded(sent: Readonly<Record<string, string>>, answered: HeaderFields, path = '/proxy') {
  let received: HeaderFields = [];
  let sentTo = '';
  const egress: EgressClient = {
    send({ headers, target }) {
      received = headers.reveal();
      sentTo = target.reveal();
      return Promise.resolve({ status: 200, headers: answered, body: Buffer.from('') });
    },
  };
  const headers = { 'SVC-PROXY-URL': 'https://destination.example.com/base/', ...sent };
  const event = anEvent({ method: 'POST', path, headers, body: 'x' });
  const request = proxyRequest(apiRequest(machinePlatform, event, NAMES.headerPrefixes), NAMES);
  // Without expressions no other dependency is used.
  const asked = { egress, egressAllowList: [], ...machinePlatform, audit: anAudit() };
  const deps = asked as unknown as ForwardDeps;
  const response = await forward(deps, aCaller({ permissions: ['token:use'] }), request);
  return { received, returned: response.headers, sentTo };
}

describe('a request that the proxy forwards', () => {
  // The gateway decodes the path: `/proxy%2f..%2f` arrives as `/proxy/../`.
  it.each([
    '/proxy/..',
    '/proxy/../',
    '/proxy/a/../../b',
    '/proxy/.',
    '/proxy/./a',
    '/proxy/..\\b',
    '/proxy/..;a/b',
    '/proxy/.. /b',
    '/proxy/.\t./b',
    '/proxy/\u0000..',
  ])('stays below the path of the destination: %s', async (path) => {
    await expect(forwarded({}, [], path)).rejects.toMatchObject({ errors: { path: [expect.any(String)] } });
  });

  it.each(['api.example.com', 'vault.example.com', 'VAULT.example.com'])(
    'never goes to the service itself, by the name of the gateway or the public one: %s',
    async (name) => {
      await expect(forwarded({ 'SVC-PROXY-URL': `https://${name}/proxy` }, [])).rejects.toMatchObject({
        errors: { 'SVC-PROXY-URL': ['must not be the service itself'] },
      });
    },
  );

  it('carries any other path, encoded', async () => {
    for (const [path, sentTo] of [
      ['/proxy/a/b', '/base/a/b'],
      ['/proxy/...', '/base/...'],
      ['/proxy/%2e%2e', '/base/%252e%252e'],
      ['/proxy/a\\b', '/base/a%5Cb'],
      ['/proxy/.a;b', '/base/.a;b'],
    ] as const)
      expect((await forwarded({}, [], path)).sentTo).toBe(sentTo);
  });

  it.each([EDGE_HEADER, EDGE_HEADER.toUpperCase()])(
    'never carries the secret of the edge, sent as %s',
    async (name) => {
      const { received } = await forwarded({ [name]: SECRET, 'x-other': 'saved' }, []);
      expect(received).toContainEqual(['x-other', 'saved']);
      expect(JSON.stringify(received)).not.toContain(SECRET);
    },
  );

  it('carries no header under any of the prefixes except the trace id', async () => {
    const { received } = await forwarded({ 'SVC-API-KEY': 'key', 'acme-anything': 'else' }, []);
    const names = received.map(([name]) => name.toLowerCase());
    expect(names.filter((name) => /^(?:svc|acme)-/.test(name))).toEqual(['svc-trace-id']);
  });

  it('returns no header of the destination that is spelled like one of the service', async () => {
    const answered = [EDGE_HEADER, 'SVC-Trace-Id', 'acme-x'].map((name) => [name, 'forged'] as const);
    const { returned } = await forwarded({}, [...answered, ['x-other', 'saved']]);
    expect(returned).toEqual([['x-other', 'saved']]);
  });
});
