import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import type { ApiResponse } from '../support/http-client.ts';
import {
  ALL_TOKEN_PERMISSIONS,
  anApplication,
  call,
  CARD,
  credentials,
  management,
  revealing,
} from '../support/service.ts';

/*
 * The service drops nothing silently (docs/security.md). Each test changes an accepted request in
 * one place; the response must reflect the change or be an error that names the place.
 */

type Value = any;
type Key = string | number;

/** A request that is accepted unchanged. */
interface Valid {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body: Record<string, Value>;
  /** Names of members whose content is the caller's own. */
  readonly free: readonly string[];
  /** Members that the response shows as they were sent. */
  readonly shown: readonly string[];
  /**
   * Whether it is sent again with changes that may be accepted: some requests cost or change too
   * much.
   */
  readonly isRepeatable: boolean;
  readonly send: (body: string, query: string) => Promise<ApiResponse>;
}

const REACTOR_CODE = 'module.exports = async () => ({ raw: 1 });';
const DETAILS = {
  containers: ['/door/'],
  metadata: { order: 'a-1' },
  mask: '{{ data | stringify | last4 }}',
  search_indexes: ['{{ data | stringify }}'],
  fingerprint_expression: '{{ data | stringify }}',
  expires_at: '2099-01-01T00:00:00+00:00',
};
const GRANTS = {
  permissions: ['token:create'],
  rules: [{ ...revealing('/door/', ['token:read', 'token:use']), description: 'd' }],
};
const OF_KEY = {
  name: 'k',
  expires_at: '2099-01-01T00:00:00+00:00',
  source_addresses: ['203.0.113.0/24', '2001:db8::/48'],
};
const OF_SESSION = {
  permissions: [],
  rules: [
    {
      priority: 1,
      transform: 'mask',
      permissions: ['token:read'],
      conditions: [{ attribute: 'id', operator: 'equals', value: 'x' }],
    },
  ],
};
const OF_TOKENS = [
  'type',
  'containers',
  'metadata',
  'search_indexes',
  'fingerprint_expression',
  'expires_at',
];

async function validRequests(): Promise<readonly Valid[]> {
  const app = await anApplication({ rules: [revealing('/', ALL_TOKEN_PERMISSIONS)] });
  const [token, card] = await Promise.all([
    app.post('/tokens', { type: 'token', data: { a: 1 }, ...DETAILS }),
    app.post('/tokens', { type: 'card', data: CARD }),
  ]);
  const key = await management.post(`/applications/${app.id}/keys`);
  const reactor = await management.post('/reactors', { name: 'r', code: REACTOR_CODE, configuration: {} });
  const valid = (
    caller: typeof app | typeof management,
    method: Valid['method'],
    path: string,
    body: Record<string, Value>,
    more: Partial<Pick<Valid, 'free' | 'shown' | 'isRepeatable'>> = {},
  ): Valid => ({
    method,
    path,
    body,
    free: [],
    shown: [],
    isRepeatable: true,
    ...more,
    send: (raw, query) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      return caller.send(method, `${path}${query}`, { raw, headers: { 'Content-Type': type } });
    },
  });
  const ofTokens = { free: ['data', 'metadata', 'mask'], shown: OF_TOKENS };
  const application = { name: 'n', ...GRANTS };
  const ofReactor = {
    name: 'r',
    code: REACTOR_CODE,
    configuration: { a: 'b' },
    application: { id: app.id },
  };
  const once = { free: ['configuration', 'args'], isRepeatable: false };
  return [
    valid(app, 'POST', '/tokens', { type: 'token', data: { a: [1] }, ...DETAILS }, ofTokens),
    valid(
      app,
      'POST',
      '/tokens',
      { type: 'card', data: CARD, metadata: {} },
      { ...ofTokens, free: ['metadata'] },
    ),
    valid(app, 'PATCH', `/tokens/${token.body.id}`, { data: { b: 2 }, ...DETAILS }, ofTokens),
    valid(app, 'PATCH', `/tokens/${card.body.id}`, { data: { expiration_month: 1 } }),
    valid(app, 'POST', '/tokens/search', { query: 'type:card', page: 1, size: 1 }),
    valid(app, 'POST', '/tokenize', { type: 'card', data: CARD }),
    valid(
      management,
      'POST',
      '/applications',
      { ...application, type: 'private' },
      { shown: ['name', 'type', 'permissions', 'rules'] },
    ),
    valid(
      management,
      'PUT',
      `/applications/${app.id}`,
      { ...application, rules: [revealing('/', ALL_TOKEN_PERMISSIONS)] },
      { isRepeatable: false },
    ),
    valid(management, 'POST', `/applications/${app.id}/keys`, OF_KEY, { isRepeatable: false }),
    valid(management, 'PATCH', `/applications/${app.id}/keys/${key.body.id}`, OF_KEY, {
      shown: Object.keys(OF_KEY),
    }),
    valid(management, 'PUT', '/tenants/self', { name: 't', settings: {} }, { isRepeatable: false }),
    valid(app, 'POST', '/sessions/authorize', { nonce: 'x', ...OF_SESSION }, { isRepeatable: false }),
    valid(management, 'POST', '/reactors', ofReactor, once),
    valid(management, 'PUT', `/reactors/${reactor.body.id}`, ofReactor, once),
    valid(management, 'PATCH', `/reactors/${reactor.body.id}`, ofReactor, once),
    valid(app, 'POST', `/reactors/${reactor.body.id}/react`, { args: { a: 1 } }, once),
  ];
}

const pathOf = (keys: readonly Key[]): string =>
  keys.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${String(key)}]` : `${path}${path && '.'}${key}`),
    '',
  );

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every object of a body whose members the interface names. */
function objectsIn(
  value: unknown,
  free: readonly string[],
  at: readonly Key[] = [],
): readonly (readonly Key[])[] {
  const inside = (member: unknown, key: Key) =>
    free.includes(String(key)) ? [] : objectsIn(member, free, [...at, key]);
  if (Array.isArray(value)) return value.flatMap(inside);
  if (!isObject(value)) return [];
  return [at, ...Object.entries(value).flatMap(([key, member]) => inside(member, key))];
}

const at = (body: unknown, keys: readonly Key[]): Value =>
  keys.reduce<Value>((value, key) => value[key], body);

/** The JSON of a body with one of its objects written by `write`. */
function written(
  body: unknown,
  keys: readonly Key[],
  write: (object: Record<string, unknown>) => string,
): string {
  const copy = structuredClone({ body });
  const path = ['body', ...keys];
  const target = at(copy, path.slice(0, -1));
  const last = path.at(-1) ?? '';
  const marker = 'WRITTEN-HERE';
  const text = write(target[last]);
  target[last] = marker;
  return JSON.stringify(copy.body).replace(`"${marker}"`, () => text);
}

const membersOf = (object: object) =>
  Object.entries(object).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);

const pick = fc.nat();
const of = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;

let requests: readonly Valid[];
beforeAll(async () => {
  requests = await validRequests();
});

const errorsOf = ({ status, body }: ApiResponse) => ({
  status,
  code: body.code as unknown,
  paths: Object.keys((body.errors ?? {}) as object),
});
const named = (path: string) => ({
  status: 400,
  code: 'validation_failed',
  paths: expect.arrayContaining([path]),
});

/** Calls `change` for every object of every request. */
async function everywhere(
  all: readonly Valid[],
  isFree: boolean,
  change: (request: Valid, keys: readonly Key[]) => readonly (readonly [path: string, text: string])[],
): Promise<readonly { readonly at: string; readonly path: string; readonly response: ApiResponse }[]> {
  const tried = all.flatMap((request) =>
    objectsIn(request.body, isFree ? [] : request.free).flatMap((keys) =>
      change(request, keys).map(([path, text]) => ({ request, path, text })),
    ),
  );
  const responses = [];
  for (const { request, path, text } of tried) {
    const at = `${request.method} ${request.path} ${path}`;
    responses.push({ at, path, response: await request.send(text, '') });
  }
  return responses;
}

it('an unknown member is named, at any depth', async () => {
  const tried = await everywhere(requests, false, ({ body }, keys) => [
    [
      pathOf([...keys, 'unheard_of']),
      written(body, keys, (object) => JSON.stringify({ ...object, unheard_of: 1 })),
    ],
  ]);
  expect(tried.length).toBeGreaterThan(20);
  for (const { at, path, response } of tried) expect([at, errorsOf(response)]).toEqual([at, named(path)]);
});

it('a misspelt member is named, together with its correct spelling', async () => {
  // The input of tokenize is any JSON: an object without `type` and `data` is not an object of the
  // interface.
  const interfaces = requests.filter(({ path }) => path !== '/tokenize');
  const tried = await everywhere(interfaces, false, ({ body }, keys) =>
    Object.keys(at(body, keys) as object)
      .filter((name) => name.length > 3)
      .map((name) => {
        const misspelt = `${name.slice(0, 2)}${name.slice(3)}`;
        const text = written(body, keys, ({ [name]: value, ...rest }) =>
          JSON.stringify({ ...rest, [misspelt]: value }),
        );
        return [`${pathOf([...keys, misspelt])} ${name}`, text] as const;
      }),
  );
  expect(tried.length).toBeGreaterThan(60);
  for (const { at: where, path: both, response } of tried) {
    const [path = '', name = ''] = both.split(' ');
    expect([where, errorsOf(response)]).toEqual([where, named(path)]);
    expect([where, response.body.errors[path]]).toEqual([where, [`is not known; did you mean \`${name}\`?`]]);
  }
});

it('a duplicate member is named, even within the caller’s own data', async () => {
  const tried = await everywhere(requests, true, ({ body }, keys) => {
    const members = membersOf(at(body, keys) as object);
    return Object.keys(at(body, keys) as object).map((name, index) => [
      pathOf([...keys, name]),
      written(body, keys, () => `{${[...members, members[index]].join()}}`),
    ]);
  });
  expect(tried.length).toBeGreaterThan(80);
  for (const { at, path, response } of tried) expect([at, errorsOf(response)]).toEqual([at, named(path)]);
});

it('a wrong member of a token is named by its path in the body of tokenize', async () => {
  const app = await anApplication();
  const response = await app.post('/tokenize', {
    a: { type: 'card', data: { ...CARD, cvv: '123' } },
    b: [['x'], { type: 'token', data: 1, containrs: [] }],
  });
  expect(errorsOf(response)).toEqual({
    status: 400,
    code: 'validation_failed',
    paths: ['b[1].containrs'],
  });
});

it('an unknown query parameter is named', async () => {
  const reader = await anApplication();
  const paths = [
    ...['/tokens', '/applications', '/reactors', '/permissions', '/tenants/self', '/applications/key'],
    ...['/tokens/some-id', '/reactors/some-id', '/applications/some-id'],
  ];
  for (const path of paths) {
    const caller = path.startsWith('/tokens') ? reader : management;
    expect([path, errorsOf(await caller.get(`${path}?unheard_of=1`))]).toEqual([path, named('unheard_of')]);
  }
  for (const { method, path, body, send } of requests) {
    const response = await send(JSON.stringify(body), '?unheard_of=1');
    expect([method, path, errorsOf(response)]).toEqual([method, path, named('unheard_of')]);
  }
  for (const [query, path] of [
    ['size=1&size=2', 'size'],
    ['id=', 'id'],
    ['page=1&after=x', 'page'],
    ['metadata={"a":"1","a":"2"}', 'metadata'],
    ['metadata={}', 'metadata'],
    ['metadata.=1', 'metadata.'],
  ] as const)
    expect([query, errorsOf(await reader.get(`/tokens?${query}`))]).toEqual([query, named(path)]);
});

it('a non-empty body is rejected where the operation reads none', async () => {
  const { id, key } = await anApplication();
  const { key: publicKey } = await anApplication({
    type: 'public',
    permissions: ['token:create'],
    rules: [],
  });
  for (const [caller, method, path] of [
    [key, 'DELETE', '/tokens/some-id'],
    [publicKey, 'POST', '/sessions'],
    [credentials.management_key, 'DELETE', `/applications/${id}/keys/x`],
    [credentials.management_key, 'POST', `/applications/${id}/regenerate`],
  ] as const) {
    const headers = { 'Content-Type': 'application/json' };
    const refused = await call(caller, method, path, { raw: '{"a":1}', headers });
    expect([method, path, errorsOf(refused)]).toEqual([method, path, named('body')]);
    const { status } = await call(caller, method, path, { raw: '{}', headers });
    expect([method, path, status]).not.toEqual([method, path, 400]);
  }
});

const VALUES: readonly Value[] = [
  null,
  0,
  -1,
  1.5,
  '',
  'x',
  '/other/',
  true,
  [],
  ['x'],
  {},
  { x: 'y' },
  'token',
];

it('a member with another value is applied as sent, or named in the error', async () => {
  const seen = { done: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(pick, pick, pick, async (which, member, value) => {
      const { method, body, shown, send } = of(
        requests.filter(({ isRepeatable }) => isRepeatable),
        which,
      );
      const name = of(Object.keys(body), member);
      const sent = { ...body, [name]: of(VALUES, value) as unknown };
      const response = await send(JSON.stringify(sent), '');
      if (response.status < 300) {
        seen.done += 1;
        // `null` and an empty list mean the default.
        const isDefault = sent[name] === null || JSON.stringify(sent[name]) === '[]';
        if (!shown.includes(name) || isDefault) return;
        // A patch of an object is merged.
        if (method === 'PATCH' && isObject(sent[name])) expect(response.body[name]).toMatchObject(sent[name]);
        else expect(response.body[name]).toEqual(sent[name]);
      } else {
        seen.refused += 1;
        expect(response.status).toBe(400);
        const { paths } = errorsOf(response);
        // A wrong type causes errors in the data, and wrong data in the members computed from it.
        const places = {
          type: ['type', 'data', 'permissions', 'rules'],
          data: ['data', 'search_indexes', 'mask', 'fingerprint_expression'],
        }[name] ?? [name];
        expect([name, paths.some((path) => places.some((place) => path.startsWith(place)))]).toEqual([
          name,
          true,
        ]);
      }
    }),
    { numRuns: cases(120) },
  );
  expect(seen.done).toBeGreaterThan(10);
  expect(seen.refused).toBeGreaterThan(10);
});

describe('the body that a read returned', () => {
  const changed = (value: Value) => (typeof value === 'string' ? `${value}x` : [value]);

  it('the body that a read returned for an application can be sent back, and its immutable members only unchanged', async () => {
    const { id } = await anApplication({ expires_at: '2099-01-01T00:00:00+00:00' });
    await management.put(`/applications/${id}`, { name: 'read', ...GRANTS });
    const { body: read } = await management.get(`/applications/${id}`);
    for (const name of ['id', 'tenant_id', 'type', 'created_by', 'created_at', 'modified_at', 'expires_at']) {
      const response = await management.put(`/applications/${id}`, { ...read, [name]: changed(read[name]) });
      expect([name, errorsOf(response)]).toEqual([name, named(name)]);
    }
    const { body: written } = await management.put(`/applications/${id}`, read);
    expect({ ...written, modified_at: 0 }).toEqual({ ...read, modified_at: 0 });
  });

  it('the body that a read returned for a tenant can be sent back, and settings left out stay unchanged', async () => {
    const { body: read } = await management.get('/tenants/self');
    expect((await management.put('/tenants/self', read)).body).toEqual(read);
    const { settings: _, ...named } = read;
    expect((await management.put('/tenants/self', named)).body).toEqual(read);
    expect((await management.put('/tenants/self', { ...read, id: 'x' })).status).toBe(400);
  });

  it('the body that a read returned for a reactor can be sent back, with its application', async () => {
    const app = await anApplication();
    const { body: made } = await management.post('/reactors', {
      name: 'r',
      code: REACTOR_CODE,
      configuration: {},
      application: { id: app.id },
    });
    const url = `/reactors/${made.id}`;
    const { body: read } = await management.get(url);
    const written = await management.put(url, read);
    expect([written.status, { ...written.body, modified_by: 0, modified_at: 0 }]).toEqual([
      200,
      { ...read, modified_by: 0, modified_at: 0 },
    ]);
    const { body: again } = await management.get(url);
    expect((await management.patch(url, again)).status).toBe(204);
    const other = { ...read, application: { ...read.application, name: 'other' } };
    expect(errorsOf(await management.put(url, other))).toEqual(named('application.name'));
    expect(errorsOf(await management.patch(url, { created_by: app.id }))).toEqual(named('created_by'));
  });

  it('the body that a read returned for a token can be sent back by a caller that may describe the token', async () => {
    const app = await anApplication({ rules: [revealing('/', ALL_TOKEN_PERMISSIONS)] });
    const { body: read } = await app.post('/tokens', { type: 'card', data: CARD, metadata: { a: 'b' } });
    const url = `/tokens/${read.id}`;
    for (const name of ['id', 'tenant_id', 'type', 'fingerprint', 'created_by', 'created_at'])
      expect([name, errorsOf(await app.patch(url, { [name]: changed(read[name]) }))]).toEqual([
        name,
        named(name),
      ]);
    const { status, body } = await app.patch(url, read);
    expect([status, { ...body, modified_by: 0, modified_at: 0 }]).toEqual([
      200,
      { ...read, modified_by: 0, modified_at: 0 },
    ]);
  });

  it('the body that a read returned for a masked token cannot be sent back as data: the masked values would replace the data', async () => {
    const owner = await anApplication({ rules: [revealing('/', ALL_TOKEN_PERMISSIONS)] });
    const masked = await anApplication({ permissions: ['token:read', 'token:update'], rules: [] });
    const mask = { secret: '{{ data.secret | last4 }}', plain: '{{ data.plain }}', more: 'x' };
    const data = { secret: 'secret-1234', plain: 'p', more: 1 };
    const { body: token } = await owner.post('/tokens', { type: 'token', data, mask });
    const url = `/tokens/${token.id}`;
    const { body: read } = await masked.get(url);
    expect(read.data).toEqual({ secret: '1234', plain: 'p', more: 'x' });
    const refused = await masked.patch(url, { data: read.data });
    expect(Object.keys(refused.body.errors as object)).toEqual(['data.secret', 'data.more']);
    expect((await masked.patch(url, { data: { plain: 'p' } })).status).toBe(200);
    expect((await owner.get(url)).body.data).toEqual(data);
    // Data that equals its masked value is rejected too, so the error reveals nothing.
    const { body: short } = await owner.post('/tokens', {
      type: 'token',
      data: '1234',
      mask: '{{ data | last4 }}',
    });
    expect(errorsOf(await masked.patch(`/tokens/${short.id}`, { data: '1234' }))).toEqual(named('data'));
    expect((await masked.patch(`/tokens/${short.id}`, { data: '5678' })).status).toBe(200);
    expect((await owner.patch(`/tokens/${short.id}`, { data: '5678' })).status).toBe(200);
  });

  it('does not reveal a fingerprint: without read access a right and a wrong one get the same error', async () => {
    const app = await anApplication({ rules: [revealing('/', ALL_TOKEN_PERMISSIONS)] });
    const writer = await anApplication({ permissions: ['token:update'], rules: [] });
    const { body: read } = await app.post('/tokens', { type: 'token', data: 'x' });
    const responses = await Promise.all(
      [read.fingerprint, 'another'].map((fingerprint) => writer.patch(`/tokens/${read.id}`, { fingerprint })),
    );
    expect(responses.map(errorsOf)).toEqual([named('fingerprint'), named('fingerprint')]);
    const [right, wrong] = responses.map(({ body }) => body);
    expect(right).toEqual(wrong);
  });
});
