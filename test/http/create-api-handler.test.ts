import { withoutRandom } from '../../packages/test-kit/src/without-random.ts';
import { turns } from '../../packages/test-kit/src/event-loop.ts';
import { z } from 'zod';
import { generateApiKey } from '../../src/core/crypto/api-key.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { createApiHandler, type ApiDeps } from '../../src/http/create-api-handler.ts';
import { route, type Route } from '../../src/http/route.ts';
import { body, text } from '../../src/wire/parts.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { TENANT } from '../support/builders/a-stored-token.ts';
import { anApi } from './an-api.ts';
import { anEvent, KEY } from '../support/builders/an-event.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const OTHER_TENANT = '5a1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b22';
const OTHER_KEY = generateApiKey(machinePlatform.random, 'private', OTHER_TENANT).reveal();
const UNKNOWN_KEY = generateApiKey(machinePlatform.random, 'private', TENANT).reveal();

const ROUTES: Route<ApiDeps>[] = [
  route({
    operation: 'create',
    method: 'POST',
    path: '/things',
    permission: 'token:create',
    success: 201,
    body: body({ name: text }),
    handle: (_, { body: { name }, caller }) => Promise.resolve({ body: { name, by: caller.applicationId } }),
  }),
  route({
    operation: 'patch',
    method: 'PATCH',
    path: '/things/{id}',
    permission: 'token:read',
    success: 200,
    mergePatch: true,
    body: body({ name: text }),
    handle: (_, { params }) => Promise.resolve({ body: params }),
  }),
  route({
    operation: 'delete',
    method: 'DELETE',
    path: '/things/{id}',
    permission: 'token:delete',
    success: 204,
    handle: () => Promise.resolve({}),
  }),
  route({
    operation: 'status',
    method: 'GET',
    path: '/status',
    success: 200,
    handle: () => Promise.resolve({ status: 202 }),
  }),
  route({
    operation: 'break',
    method: 'GET',
    path: '/break/{how}',
    success: 200,
    handle: (_, { params }) => {
      if (params['how'] === 'service')
        throw new ServiceError('not_found', 'No.', { headers: { 'X-Hint': 'h' } });
      if (params['how'] === 'store')
        throw new ServiceError('dependency_unavailable', 'Down.', {
          cause: new Error('4242424242424242'),
          headers: { 'Retry-After': '1' },
        });
      throw new TypeError('number 4242424242424242');
    },
  }),
];

function setUp(routes = ROUTES) {
  const edge = anApi();
  const handler = createApiHandler(edge.deps, routes);
  const send = async (request: Parameters<typeof anEvent>[0]) => {
    const response = await handler(anEvent(request));
    return {
      ...response,
      json: response.body === undefined ? undefined : JSON.parse(response.body),
    };
  };
  return { ...edge, send };
}

const key = { 'SVC-API-KEY': KEY };

describe('a response', () => {
  it('is the handler’s, with the route’s status code unless the handler returns another', async () => {
    const { send } = setUp();
    expect(await send({ method: 'POST', headers: key, body: '{"name":"n"}' })).toMatchObject({
      statusCode: 201,
      json: { name: 'n', by: 'app-1' },
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    });
    expect(await send({ path: '/status/', headers: key })).toMatchObject({ statusCode: 202 });
  });

  it('a response of 204 has no body and no content type', async () => {
    const { send, allow } = setUp();
    allow(KEY, aCaller({ permissions: ['token:delete'] }));
    const response = await send({ method: 'DELETE', path: '/things/1', headers: key });
    expect(response.statusCode).toBe(204);
    expect(response.body).toBeUndefined();
    expect(Object.keys(response.headers ?? {})).toEqual(['SVC-TRACE-ID']);
  });

  it('always has a trace id, the caller’s if valid, under the prefix of the request', async () => {
    const { send, lines } = setUp();
    for (const path of ['/status', '/nowhere', '/break/x']) {
      const { headers } = await send({ path, headers: { 'acme-api-key': KEY, 'Acme-Trace-Id': 'my-trace' } });
      expect(headers).toMatchObject({ 'ACME-TRACE-ID': 'my-trace' });
    }
    const { headers } = await send({ headers: { 'svc-trace-id': 'bad trace' } });
    expect(headers?.['SVC-TRACE-ID']).toMatch(/^[0-9a-f-]{36}$/);
    expect(lines.map((line) => line.traceId).slice(0, 3)).toEqual(['my-trace', 'my-trace', 'my-trace']);
  });
});

describe('the order of checks', () => {
  /** Wrong in every way; each step corrects one thing. */
  it('is route, key, permission, size, media type, input', async () => {
    const { send, allow } = setUp();
    allow(KEY, aCaller({ permissions: [] }));
    const huge = Buffer.alloc(6_000_001, '{');
    const wrong = {
      method: 'PATCH',
      path: '/things/1',
      headers: { 'content-type': 'text/plain' },
      body: huge,
    };
    expect((await send({ ...wrong, path: '/nope' })).statusCode).toBe(404);
    expect(await send({ ...wrong, method: 'PUT' })).toMatchObject({
      statusCode: 405,
      headers: { Allow: 'DELETE, PATCH' },
    });
    expect((await send(wrong)).statusCode).toBe(401);
    const known = { ...wrong, headers: { ...wrong.headers, ...key } };
    expect((await send(known)).statusCode).toBe(403);
    allow(KEY, aCaller());
    expect((await send(known)).statusCode).toBe(413);
    expect((await send({ ...known, body: '{' })).statusCode).toBe(415);
    const typed = { ...known, headers: { ...key, 'content-type': 'application/merge-patch+json' } };
    expect((await send({ ...typed, body: '{' })).statusCode).toBe(400);
    expect((await send({ ...typed, body: '{}' })).json).toMatchObject({ errors: { name: ['is required'] } });
    expect(await send({ ...typed, body: '{"name":"n"}' })).toMatchObject({
      statusCode: 200,
      json: { id: '1' },
    });
  });

  it.each([
    undefined,
    '',
    'nonsense',
    UNKNOWN_KEY,
    `key_private_${'c'.repeat(44)}`,
    `${KEY} `,
    KEY.toUpperCase(),
  ])('%j is not a valid key', async (input) => {
    const { send } = setUp();
    const { statusCode, json } = await send({
      path: '/status',
      headers: input === undefined ? {} : { 'SVC-API-KEY': input },
    });
    expect([statusCode, json.title]).toEqual([401, 'Unauthorized']);
  });

  it('a key that has expired or was deleted is rejected immediately', async () => {
    const { send, allow, forget } = setUp();
    expect((await send({ path: '/status', headers: key })).statusCode).toBe(202);
    allow(KEY, aCaller(), { expiresAtMs: 1_000_000 });
    expect((await send({ path: '/status', headers: key })).statusCode).toBe(401);
    forget(KEY);
    expect((await send({ path: '/status', headers: key })).statusCode).toBe(401);
  });
});

describe('a failure', () => {
  it('that is expected has the message of its error', async () => {
    const { send } = setUp();
    expect(await send({ path: '/break/service', headers: key })).toMatchObject({
      statusCode: 404,
      json: { title: 'Not Found', status: 404, detail: 'No.' },
      headers: { 'X-Hint': 'h', 'Content-Type': 'application/json' },
    });
  });

  it('that is unexpected has title, status and code only, and the log neither message nor value', async () => {
    const { send, lines } = setUp();
    const { statusCode, json } = await send({
      path: '/break/unexpected',
      headers: key,
    });
    expect([statusCode, json]).toEqual([
      500,
      { title: 'Internal Server Error', status: 500, code: 'internal_error' },
    ]);
    expect((await send({ path: '/break/store', headers: key })).headers).toMatchObject({
      'Retry-After': '1',
    });
    expect(lines).toMatchObject([
      {
        level: 'error',
        operation: 'break',
        status: 500,
        code: 'internal_error',
        tenantId: TENANT,
        applicationId: 'app-1',
      },
      { level: 'error', operation: 'break', status: 503, code: 'dependency_unavailable' },
    ]);
    expect(lines[0]?.cause?.[0]).toMatch(/^TypeError \| at /);
    expect(withoutRandom(lines)).not.toMatch(/4242|number/);
  });

  it('a failure of an unknown caller logs a line without one', async () => {
    const { send, lines } = setUp();
    await send({ path: '/nowhere/4242', headers: key });
    await send({ path: '/status', headers: {} });
    expect(lines).toMatchObject([
      { level: 'info', operation: 'none', status: 404 },
      { level: 'info', operation: 'status', status: 401 },
    ]);
    expect(withoutRandom(lines)).not.toMatch(/4242|tenant|cause/);
  });
});

describe('idempotency', () => {
  it('replays the response, and allows a retry after a failure', async () => {
    const { send, requestItems } = setUp();
    const request = { method: 'POST', headers: { ...key, 'SVC-IDEMPOTENCY-KEY': 'k' } };
    expect((await send({ ...request, body: '{}' })).statusCode).toBe(400);
    const first = await send({ ...request, body: '{"name":"one"}' });
    const again = await send({ ...request, body: '{ "name": "one" }' });
    expect([again.statusCode, again.json]).toEqual([first.statusCode, first.json]);
    expect((await send({ ...request, body: '{"name":"two"}' })).statusCode).toBe(422);
    expect(requestItems()).toHaveLength(1);
  });

  it('does not replay to a key that has lost the permission', async () => {
    const { send, allow } = setUp();
    const request = {
      method: 'POST',
      headers: { ...key, 'SVC-IDEMPOTENCY-KEY': 'k' },
      body: '{"name":"one"}',
    };
    await send(request);
    allow(KEY, aCaller({ permissions: ['token:read'] }));
    expect((await send(request)).statusCode).toBe(403);
  });
});

describe('an early read', () => {
  function early(prefetch: (tenantId: string) => Promise<string>) {
    return setUp([
      route({
        operation: 'get',
        method: 'GET',
        path: '/things/{id}',
        permission: 'token:read',
        success: 200,
        query: z.custom<URLSearchParams>((input) => (input as URLSearchParams).get('bad') === null, {
          error: 'is bad',
        }),
        prefetch: (_: Unaudited<ApiDeps>, tenantId: string) => prefetch(tenantId),
        handle: (_, { prefetched }) => Promise.resolve({ body: prefetched ?? 'not read early' }),
      }),
    ]);
  }
  const request = { path: '/things/1', headers: key };

  it('starts once the tenant of the key is known, and is used', async () => {
    const { send } = early((tenantId) => Promise.resolve(`of ${tenantId}`));
    expect((await send(request)).json).toBe('not read early');
    expect((await send(request)).json).toBe(`of ${TENANT}`);
  });

  it('is discarded with 401 if the credential’s tenant differs from that of the key', async () => {
    const { send, allow } = early((tenantId) => Promise.resolve(`of ${tenantId}`));
    await send(request);
    allow(KEY, aCaller({ tenantId: OTHER_TENANT }));
    expect((await send(request)).statusCode).toBe(401);
    expect((await send(request)).statusCode).toBe(401);
  });

  it('is made for the tenant of its own key only', async () => {
    const asked: string[] = [];
    const { send, allow } = early((tenantId) => {
      asked.push(tenantId);
      return Promise.resolve('early');
    });
    allow(OTHER_KEY, aCaller({ tenantId: OTHER_TENANT }));
    await send(request);
    await send({ ...request, headers: { 'SVC-API-KEY': OTHER_KEY } });
    await send({ ...request, headers: {} });
    await send({ ...request, headers: { 'SVC-API-KEY': 'nonsense' } });
    expect(asked).toEqual([]);
    await send({ ...request, headers: { 'SVC-API-KEY': OTHER_KEY } });
    expect(asked).toEqual([OTHER_TENANT]);
  });

  it('that fails is the failure of the request, unless the request is rejected anyway', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const { send, allow, forget } = early(() =>
        Promise.reject(new ServiceError('dependency_unavailable', 'Down.')),
      );
      await send(request);
      expect((await send(request)).statusCode).toBe(503);
      expect((await send({ ...request, query: 'bad=1' })).statusCode).toBe(400);
      allow(KEY, aCaller({ permissions: [] }));
      expect((await send(request)).statusCode).toBe(403);
      forget(KEY);
      expect((await send(request)).statusCode).toBe(401);
      await turns();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });

  it('forgets the tenant of a rejected key', async () => {
    const asked: string[] = [];
    const { send, allow, forget } = early((tenantId) => {
      asked.push(tenantId);
      return Promise.resolve('early');
    });
    await send(request);
    forget(KEY);
    await send(request);
    allow(KEY, aCaller());
    await send(request);
    expect(asked).toEqual([TENANT]);
  });
});

describe('a response that exceeds the limit of Lambda', () => {
  it.each(['x'.repeat(6_100_000), '"'.repeat(3_100_000)])(
    'is replaced by a 413 in the usual form',
    async (text) => {
      const { deps, allow } = anApi();
      allow(KEY, aCaller());
      const large = route({
        operation: 'large',
        method: 'GET',
        path: '/large',
        success: 200,
        handle: () => Promise.resolve({ body: { text } }),
      });
      const reply = await createApiHandler(deps, [large])(anEvent({ path: '/large' }));
      expect(reply.statusCode).toBe(413);
      expect(JSON.parse(reply.body ?? '')).toMatchObject({
        status: 413,
        detail: expect.stringContaining('6 MB'),
      });
    },
  );
});

describe('behind an edge', () => {
  const edge = (edgeSecret: readonly string[]) => {
    const { deps, allow } = anApi();
    allow(KEY, aCaller());
    return createApiHandler({ ...deps, edgeSecret }, ROUTES);
  };
  const status = async (headers: Record<string, string>, secrets = ['the secret of the edge']) => {
    const event = anEvent({ path: '/status', headers: { 'SVC-API-KEY': KEY, ...headers } });
    return (await edge(secrets)(event)).statusCode;
  };

  it('accepts requests from the edge', async () => {
    expect(await status({ 'X-Cloakroom-Edge': 'the secret of the edge' })).toBe(202);
  });

  it.each([
    ['the new value', 'new', 202],
    ['the previous one', 'old', 202],
    ['an older one', 'older', 403],
    ['both in one header', 'new,old', 403],
  ])(
    'a request with %s, while the secret of the edge is replaced, is %j: %d',
    async (_what, value, expected) => {
      expect(await status({ 'x-cloakroom-edge': value }, ['new', 'old'])).toBe(expected);
    },
  );

  it('accepts every request if there is no secret', async () => {
    expect(await status({}, [])).toBe(202);
    expect(await status({ 'x-cloakroom-edge': 'anything' }, [])).toBe(202);
  });

  it.each([{}, { 'x-cloakroom-edge': '' }, { 'x-cloakroom-edge': 'the secret of the edgE' }])(
    '403: rejects all other requests before it checks the key: %j',
    async (headers) => {
      expect(await status(headers as Record<string, string>)).toBe(403);
      expect(await status({ ...(headers as Record<string, string>), 'SVC-API-KEY': 'unknown' })).toBe(403);
    },
  );
});
