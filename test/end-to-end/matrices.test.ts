import { allRoutes } from '../../tools/openapi/all-routes.ts';
import {
  isLegalFor,
  PERMISSION_NAMES,
  type ApplicationType,
  type Permission,
  satisfying,
} from '../../src/core/access/permission.ts';
import {
  type Answer,
  aRevealingApplication,
  call,
  client,
  management,
  operator,
  revealing,
} from '../support/service.ts';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';
import { tableUnder } from '../support/docs-table.ts';

/*
 * Two matrices over the route tables themselves, so that they cover every new route: the routes
 * that each single permission opens, and the information that one tenant can get about another.
 */

const ROUTES = allRoutes();

/** The types that may call the operations without a permission (docs/api.md#operations). */
const UNGUARDED: Readonly<Record<string, (type: ApplicationType, permission: Permission) => boolean>> = {
  getApplicationByKey: (type, permission) => type === 'private' || permission === 'application:read',
  listPermissions: () => true,
  createSession: (type) => type === 'public',
  authorizeSession: (type) => type === 'private',
};

/**
 * The permission of each route in docs/api.md, which promises it. It is not read from the code, so
 * that not both are wrong.
 */
const DOCUMENTED = new Map(
  tableUnder('docs/api.md', '## Operations').map(([, route = '', permission = '']) => [
    route.replaceAll('`', ''),
    permission.replaceAll('`', ''),
  ]),
);

const documentedFor = ({ method, path }: Pick<(typeof ROUTES)[number], 'method' | 'path'>) =>
  DOCUMENTED.get(`${method} ${path}`);

const BODIES: Readonly<Record<string, unknown>> = {
  updateTenant: { name: 'Local', settings: {} },
  authorizeSession: { nonce: 'unknown', permissions: ['token:read'] },
};

const request = (key: string | undefined, method: string, path: string, operation: string, id: string) =>
  call(
    key,
    method,
    path.replaceAll(/\{[^}]+\}/g, encodeURIComponent(id)),
    method === 'GET' || method === 'DELETE' ? {} : { body: BODIES[operation] ?? {} },
  );

describe('route by permission', () => {
  const TYPES = ['private', 'public', 'management'] as const;
  const cases = TYPES.flatMap((type) =>
    PERMISSION_NAMES.filter((permission) => isLegalFor(permission, type)).map((permission) => ({
      type,
      permission,
    })),
  );

  it('has the permission of every route in docs/api.md', () => {
    const unguarded = ROUTES.filter(({ permission }) => permission === undefined).map(
      ({ operation }) => operation,
    );
    expect(unguarded.sort()).toEqual(Object.keys(UNGUARDED).sort());
    const guarded = ROUTES.filter(({ permission }) => permission !== undefined);
    expect(guarded.map(({ permission }) => permission)).toEqual(guarded.map(documentedFor));
    expect(guarded.length).toBeGreaterThan(20);
  });

  it.each(cases)(
    '$type with $permission alone opens exactly the routes in the table',
    async ({ type, permission }) => {
      const isOpen = (route: (typeof ROUTES)[number]) => {
        const guard = UNGUARDED[route.operation];
        if (guard !== undefined) return guard(type, permission);
        return satisfying(documentedFor(route) as Permission).includes(permission);
      };
      // npm test requests other closed routes under each permission.
      const first = PERMISSION_NAMES.indexOf(permission);
      const requested = ROUTES.filter(
        (route, index) => IS_THOROUGH || isOpen(route) || (first + index) % 4 === 0,
      );
      const { body } = await management.post('/applications', {
        name: 'matrix',
        type,
        permissions: [permission],
      });
      const opened = await Promise.all(
        requested.map(async ({ operation, method, path }) => {
          const { status } = await request(body.key, method, path, operation, 'does-not-exist');
          expect([operation, status === 401 || status >= 500]).toEqual([operation, false]);
          return status === 403 ? [] : [operation];
        }),
      );
      const expected = ROUTES.filter(isOpen);
      const names = (all: readonly string[]) => [...new Set(all)].sort();
      expect(names(opened.flat())).toEqual(names(expected.map(({ operation }) => operation)));
    },
  );

  it.each(ROUTES)('401: $method $path without a key', async ({ operation, method, path }) => {
    expect((await request(undefined, method, path, operation, 'x')).status).toBe(401);
  });
});

describe('two tenants', () => {
  it('do not affect each other’s data', async () => {
    const other = await operator({ command: 'create-tenant', name: 'Hostile names' });
    const sender = await client(other['management_key']).post('/applications', {
      name: 'sender',
      type: 'private',
      rules: [revealing()],
    });
    const hostile = client(sender.body.key);
    const app = await aRevealingApplication();
    // V8 may take an escaped name for another one at its place with the same written beginning
    // (docs/decisions/0014).
    for (const data of [{ first: 1, '"': 2 }, { second: 1, 'a\n': 2 }, { third: { '\t': 1 } }]) {
      const asItBegins = JSON.parse(JSON.stringify(data).replace(/\\["nt]/, '\\\\')) as object;
      expect((await hostile.post('/tokens', { type: 'token', data: asItBegins })).status).toBe(201);
      const { status, body } = await app.post('/tokens', { type: 'token', data });
      expect(status).toBe(201);
      expect((await app.get(`/tokens/${body.id}`)).body.data).toEqual(data);
    }
  });

  /** All of a response except the parts that always differ. */
  const visible = ({ status, headers, body }: Answer, id: string) => {
    const ignored = new Set(['date', 'svc-trace-id', 'apigw-requestid', 'content-length']);
    const rest = [...headers].filter(([name]) => !ignored.has(name)).sort();
    return JSON.parse(JSON.stringify({ status, rest, body }).replaceAll(id, '<id>'));
  };

  it('learn nothing of each other: every route treats ids of the other tenant like unknown ids', async () => {
    const all = PERMISSION_NAMES.filter((permission) => isLegalFor(permission, 'private'));
    const owner = (
      await management.post('/applications', { name: 'owner', type: 'private', permissions: all })
    ).body;
    const tokenId = (
      await client(owner.key).post('/tokens', {
        type: 'card',
        data: { number: '4242424242424242' },
        metadata: { shared: 'yes' },
      })
    ).body.id as string;
    const other = await operator({ command: 'create-tenant', name: 'Other' });
    const strangerManagement = other['management_key'];
    const stranger = (
      await client(strangerManagement).post('/applications', {
        name: 'stranger',
        type: 'private',
        permissions: all,
      })
    ).body.key as string;
    const reactor = await management.post('/reactors', {
      name: 'owner',
      code: 'module.exports = () => ({});',
      configuration: {},
    });
    const proxy = await management.post('/proxies', {
      name: 'owner',
      destination_url: 'https://destination.example.com',
    });
    const ids: Readonly<Record<string, string>> = {
      proxies: proxy.body.id,
      tokens: tokenId,
      applications: owner.id,
      reactors: reactor.body.id,
    };

    for (const route of ROUTES.filter(({ path: each }) => /^\/(?!proxy\/).*\{/.test(each))) {
      const { operation, method, path } = route;
      const key = documentedFor(route)?.startsWith('token:') === true ? stranger : strangerManagement;
      const id = ids[path.split('/')[1] ?? ''] ?? '';
      const unknown = id.replace(/^.{8}/, '00000000');
      const responses = [
        await request(key, method, path, operation, id),
        await request(key, method, path, operation, unknown),
      ] as const;
      expect([operation, visible(responses[0], id)]).toEqual([operation, visible(responses[1], unknown)]);
      expect(responses[0].status).toBeGreaterThanOrEqual(400);
    }
    for (const query of [`id:"${tokenId}"`, 'metadata.shared:"yes"', 'type:card', 'container:/']) {
      expect((await client(stranger).post('/tokens/search', { query })).body.data).toEqual([]);
    }
    expect((await client(stranger).get(`/tokens?id=${tokenId}`)).body.pagination.total_items).toBe(0);
    expect((await client(stranger).get('/tokens?metadata.shared=yes')).body.data).toEqual([]);
    expect((await client(stranger).post('/detokenize', `{{ ${tokenId} }}`)).status).toBe(400);
    expect(
      (await client(strangerManagement).get(`/applications?id=${owner.id as string}`)).body.data,
    ).toEqual([]);
    expect((await client(stranger).post('/tokens', { type: 'token', data: 1, id: tokenId })).status).toBe(
      201,
    );
    expect((await client(owner.key).get(`/tokens/${tokenId}`)).body.type).toBe('card');
  });

  it('have different fingerprints for the same data', async () => {
    const other = await operator({ command: 'create-tenant', name: 'Other' });
    const fingerprints = await Promise.all(
      [management, client(other['management_key'])].map(async (own) => {
        const { body } = await own.post('/applications', {
          name: 'x',
          type: 'private',
          permissions: ['token:create'],
        });
        return (await client(body.key).post('/tokens', { type: 'card_number', data: '4242424242424242' }))
          .body.fingerprint as string;
      }),
    );
    expect(fingerprints[0]).not.toBe(fingerprints[1]);
  });
});
