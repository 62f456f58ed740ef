// Sends a request at each limit of docs/contract.md#limits, and one beyond it, to the testing
// package. limits.test.ts compares the numbers themselves.
import { existsSync, readFileSync } from 'node:fs';
import { createProxyFailureStore } from '../../src/adapters/dynamodb/proxy-failure-store.ts';
import type { ProxyFailure } from '../../src/core/stored-proxies/proxy-failure-store.ts';
import { idsOf } from '../../src/wire/page.ts';
import { aVault } from '../support/builders/a-vault.ts';
import { tablesInMemory } from '../support/stores-in-memory.ts';
import { createVault, type Vault } from '../../packages/testing/src/index.ts';

const x = (count: number): string => 'x'.repeat(count);
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const entries = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(times(count, (at) => [`n${String(at)}`, value]));
/** Pads a text that begins with an expression to a length. */
const padded = (beginning: string, length: number): string => beginning.padEnd(length, 'x');

const PERMISSIONS = ['token:create', 'token:read', 'token:update', 'token:search', 'token:use'] as const;
const CODE = 'module.exports = () => ({ raw: 1 });';

let vault: Vault;
/** A private application that may do everything in `/`. */
let key: string;
let publicKey: string;
let ids: readonly string[];
let reactor: string;
let bank: string;
beforeAll(async () => {
  vault = await createVault();
  const rules = [
    { priority: 1, container: '/', permissions: [...PERMISSIONS], transform: 'reveal' as const },
  ];
  const application = { name: 'Shop', type: 'private' as const, rules };
  key = (await vault.applications.create(application)).key;
  publicKey = (
    await vault.applications.create({ name: 'Page', type: 'public', permissions: ['token:create'] })
  ).key;
  const client = vault.client({ apiKey: key });
  const made = await client.tokenize(times(100, (at) => ({ type: 'token', data: at })));
  const { id } = await client.tokens.create({ type: 'token', data: 'last' });
  ids = [...(made as readonly { readonly id: string }[]).map((token) => token.id), id];
  reactor = (await vault.reactors.create({ name: 'x', code: CODE, configuration: {} })).id;
  bank = 'https://bank.example';
  vault.destination(bank, ({ url }) => new Response(x(Number(new URL(url).searchParams.get('bytes') ?? 1))));
});

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

async function statusOf({ method = 'POST', path, key: by = key, headers = {}, body }: Sent): Promise<number> {
  const response = await vault.fetch(path, {
    method,
    headers: { 'SVC-API-KEY': by, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return response.status;
}

async function idOf(members: object): Promise<string> {
  const init = { method: 'POST', headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' } };
  const response = await vault.fetch('/tokens', {
    ...init,
    body: JSON.stringify({ type: 'token', ...members }),
  });
  return ((await response.json()) as { readonly id: string }).id;
}

const management = (path: string, body?: unknown, method = 'POST'): Sent => ({
  method,
  path,
  key: vault.managementKey,
  body,
});
const token = (members: object): Sent => ({ path: '/tokens', body: { type: 'token', data: 1, ...members } });
const detokenize = (body: unknown): Sent => ({ path: '/detokenize', body });
const application = (members: object): Sent =>
  management('/applications', { name: 'x', type: 'private', ...members });
const aReactor = (members: object): Sent =>
  management('/reactors', { name: 'x', code: CODE, configuration: {}, ...members });
const aProxy = (members: object): Sent =>
  management('/proxies', { name: 'x', destination_url: bank, ...members });
const aRule = (at: number, members: object = {}) => ({
  priority: at + 1,
  container: '/',
  transform: 'mask',
  permissions: ['token:read'],
  ...members,
});
const appending = (value: string) => ({ type: 'append_header', name: 'A', value });

async function authorizing(members: object): Promise<Sent> {
  const response = await vault.fetch('/sessions', { method: 'POST', headers: { 'SVC-API-KEY': publicKey } });
  const { nonce } = (await response.json()) as { readonly nonce: string };
  return { path: '/sessions/authorize', body: { nonce, ...members } };
}
const conditional = (counts: readonly number[], value = 'x') => ({
  rules: counts.map((count, at) => ({
    priority: at + 1,
    transform: 'mask',
    permissions: ['token:read'],
    conditions: times(count, () => ({ attribute: 'id', operator: 'equals', value })),
  })),
});

const entriesOf = (names: readonly string[], value: string) =>
  Object.fromEntries(names.map((name) => [name, value]));

/** Rules of a session that are, with no permissions, so many bytes of JSON. */
function rulesOf(size: number): readonly object[] {
  const { rules } = conditional([...times(25, () => 20), ...times(75, () => 0)], x(500));
  const described = rules.map(({ conditions, ...rule }) => ({
    ...rule,
    ...(conditions.length === 0 ? { container: '/' } : { conditions }),
    description: x(250),
  }));
  const bytes = JSON.stringify({ permissions: [], rules: described }).length;
  let left = size - bytes;
  return described.map((rule) => {
    const more = Math.max(-250, Math.min(250, left));
    left -= more;
    return { ...rule, description: x(250 + more) };
  });
}

/** Each edge has a row of the page, one of its limits, and makes a request of a size. */
const EDGES: readonly (readonly [
  row: string,
  limit: number,
  request: (size: number) => Sent | Promise<Sent>,
])[] = [
  ['Body', 6_000_000, (size) => detokenize(`{"a":1${' '.repeat(size - 7)}}`)],
  ['Nesting of objects and arrays in a body', 64, (size) => detokenize('['.repeat(size) + ']'.repeat(size))],
  [
    'Elements of arrays and members of objects in a body, all together',
    100_000,
    (size) => detokenize(times(size, () => 0)),
  ],
  ['Id of a token', 400, (size) => token({ id: x(size) })],
  ['Data of a token', 3_500_000, (size) => token({ data: x(size - 2) })],
  ['Containers of a token', 10, (size) => token({ containers: times(size, (at) => `/a${String(at)}/`) })],
  ['Containers of a token', 8, (size) => token({ containers: [`/${'a/'.repeat(size)}`] })],
  ['Containers of a token', 64, (size) => token({ containers: [`/${x(size)}/`] })],
  ['Metadata of a token', 50, (size) => token({ metadata: entries(size, 'x') })],
  ['Metadata of a token', 40, (size) => token({ metadata: { [x(size)]: 'x' } })],
  ['Metadata of a token', 500, (size) => token({ metadata: { a: x(size) } })],
  ['Search indexes of a token', 10, (size) => token({ search_indexes: times(size, () => '{{ data }}') })],
  [
    'Fingerprint expression of a token',
    400,
    (size) => token({ fingerprint_expression: padded('{{ data }}', size) }),
  ],
  ['Text with expressions', 10_000, (size) => token({ search_indexes: [padded('{{ data }}', size)] })],
  ['Expressions of a request', 10_000, (size) => detokenize(times(size, () => `{{ ${ids[0] ?? ''} }}`))],
  [
    'Tokens that a request creates',
    100,
    (size) => ({ path: '/tokenize', body: times(size, () => ({ type: 'token', data: 1 })) }),
  ],
  [
    'Tokens that a request detokenizes',
    100,
    (size) => detokenize(ids.slice(0, size).map((id) => `{{ ${id} }}`)),
  ],
  [
    'Search query',
    20,
    (size) => ({ path: '/tokens/search', body: { query: times(size, () => 'type:token').join(' AND ') } }),
  ],
  ['Search query', 10_000, (size) => ({ path: '/tokens/search', body: { query: `data:${x(size - 5)}` } })],
  ['Items of a page', 100, (size) => ({ method: 'GET', path: `/tokens?size=${String(size)}` })],
  [
    'Name of an application, a reactor, a proxy or a tenant',
    200,
    (size) => application({ name: x(size), permissions: ['token:create'] }),
  ],
  ['Name of an application, a reactor, a proxy or a tenant', 200, (size) => aReactor({ name: x(size) })],
  ['Name of an application, a reactor, a proxy or a tenant', 200, (size) => aProxy({ name: x(size) })],
  [
    'Name of an application, a reactor, a proxy or a tenant',
    200,
    (size) => management('/tenants/self', { name: x(size) }, 'PUT'),
  ],
  [
    'Name that a list of applications, reactors or proxies is narrowed to',
    200,
    (size) => management(`/applications?name=${x(size)}`, undefined, 'GET'),
  ],
  [
    'External id of an application, a reactor or a proxy',
    200,
    (size) => application({ external_id: x(size), permissions: ['token:create'] }),
  ],
  ['External id of an application, a reactor or a proxy', 200, (size) => aReactor({ external_id: x(size) })],
  ['External id of an application, a reactor or a proxy', 200, (size) => aProxy({ external_id: x(size) })],
  [
    'External ids that a list is narrowed to',
    100,
    (size) => management(`/proxies?${times(size, () => 'external_id=a').join('&')}`, undefined, 'GET'),
  ],
  [
    'Label of a value of a configuration',
    200,
    (size) => aReactor({ configuration: { a: 'b' }, configuration_labels: { a: x(size) } }),
  ],
  [
    'Revision of the configuration of a tenant',
    200,
    (size) => management('/tenants/self', { name: 'x', configuration_revision: x(size) }, 'PUT'),
  ],
  ['Rules of an application or a session', 100, (size) => application({ rules: times(size, aRule) })],
  [
    'Rules of an application or a session',
    500,
    (size) => application({ rules: [aRule(0, { description: x(size) })] }),
  ],
  ['Rules of an application or a session', 500, (size) => authorizing(conditional([1], x(size)))],
  ['Conditions of the rules of a session', 20, (size) => authorizing(conditional([size]))],
  [
    'Conditions of the rules of a session',
    500,
    (size) => authorizing(conditional([...times(25, () => 20), ...(size > 500 ? [1] : [])])),
  ],
  [
    'Life of a session',
    24 * 3_600_000,
    async (size) => {
      const { body, ...sent } = await authorizing({ permissions: ['token:read'] });
      // The clock of a vault is one ms later for each request.
      const end = new Date(vault.clock.now().getTime() + 1 + size).toISOString();
      return { ...sent, body: { ...(body as object), expires_at: end } };
    },
  ],
  ['Code of a reactor', 50_000, (size) => aReactor({ code: padded(`${CODE}//`, size) })],
  ['Configuration of a reactor', 25, (size) => aReactor({ configuration: entries(size, 'x') })],
  ['Configuration of a reactor', 200, (size) => aReactor({ configuration: { [x(size)]: 'x' } })],
  ['Configuration of a reactor', 1_000, (size) => aReactor({ configuration: { a: x(size) } })],
  ['Paths of a stored proxy', 50, (size) => aProxy({ paths: times(size, (at) => `/${String(at)}`) })],
  ['Paths of a stored proxy', 200, (size) => aProxy({ paths: [`/${x(size - 1)}`] })],
  ['Configuration of a stored proxy', 50, (size) => aProxy({ configuration: entries(size, x(20)) })],
  ['Configuration of a stored proxy', 100, (size) => aProxy({ configuration: { [x(size)]: x(20) } })],
  ['Configuration of a stored proxy', 20_000, (size) => aProxy({ configuration: { A: x(size) } })],
  [
    'Transforms of a stored proxy, of requests and of answers',
    20,
    (size) => aProxy({ request_transforms: times(size, () => appending('x')) }),
  ],
  [
    'Transforms of a stored proxy, of requests and of answers',
    20,
    (size) => aProxy({ response_transforms: times(size, () => appending('x')) }),
  ],
  [
    'Header value, replacement, regular expression of a transform',
    8_000,
    (size) => aProxy({ request_transforms: [appending(x(size))] }),
  ],
  [
    'Time of an asynchronous invocation',
    210_000,
    (size) => ({ path: `/reactors/${reactor}/react`, body: { args: {}, async: true, timeout_ms: size } }),
  ],
  [
    'Code of a reactor',
    200_000,
    (size) => aReactor({ code: `${CODE}//${'\u0001'.repeat(31_000)}`.padEnd(size - 2 - 31_000 * 5, 'x') }),
  ],
  // Each entry counts in whole 1,000 bytes of its JSON.
  [
    'The same, all together',
    100_000,
    (size) =>
      aProxy({ configuration: { ...entriesOf(['A', 'B', 'C', 'D'], x(19_965)), E: x(size - 80_000 - 35) } }),
  ],
  ['Metadata, mask and expressions of a token', 300_000, (size) => token({ mask: { a: x(size - 17) } })],
  [
    'Permissions and rules of a session',
    300_000,
    (size) => authorizing({ permissions: [], rules: rulesOf(size) }),
  ],
  [
    'Data of the tokens that a request detokenizes',
    6_000_000,
    async (size) => {
      const big = await Promise.all(
        [3_000_000, size - 3_000_000].map((bytes) => idOf({ data: x(bytes - 2) })),
      );
      return detokenize({ a: big.map((id) => `{{ ${id} | size }}`) });
    },
  ],
  [
    'Items that numbered pages reach',
    10_000,
    (size) => ({
      method: 'GET',
      path: `/applications?size=1&page=${String(size)}`,
      key: vault.managementKey,
    }),
  ],
  [
    'Header value, replacement, regular expression of a transform',
    200,
    (size) =>
      aProxy({
        response_transforms: [{ type: 'mask', matcher: 'regex', expression: 'a', replacement: x(size) }],
      }),
  ],
  [
    'Header value, replacement, regular expression of a transform',
    1_000,
    (size) =>
      aProxy({
        response_transforms: [
          { type: 'mask', matcher: 'regex', expression: 'a'.repeat(size), replacement: 'x' },
        ],
      }),
  ],
  [
    'A stored proxy without its configuration',
    100_000,
    (size) =>
      aProxy({ request_transforms: [...times(12, () => appending(x(8_000))), appending(x(size - 96_769))] }),
  ],
  ['Idempotency key', 400, (size) => ({ ...token({}), headers: { 'SVC-IDEMPOTENCY-KEY': x(size) } })],
  [
    'Destination of the proxy',
    400,
    (size) => ({ method: 'GET', path: '/proxy', headers: { 'SVC-PROXY-URL': padded(`${bank}/`, size) } }),
  ],
  [
    'Response of a destination',
    6_000_000,
    (size) => ({
      method: 'GET',
      path: '/proxy',
      headers: { 'SVC-PROXY-URL': `${bank}/?bytes=${String(size)}` },
    }),
  ],
  [
    'Elements of a list that a member of the interface takes',
    100,
    (size) => application({ permissions: times(size, () => 'token:use') }),
  ],
];

/** Returns the rows of the table, with the status beyond the limit. */
function documented(): ReadonlyMap<string, string> {
  const text = readFileSync('docs/contract.md', 'utf8');
  const [section = ''] = text.slice(text.indexOf('\n## Limits\n') + 1).split(/\n(?=###? )/);
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  return new Map(
    rows.map((row) => {
      const [, what = '', , beyond = ''] = row.split('|').map((cell) => cell.trim());
      return [what, beyond];
    }),
  );
}

it.each(EDGES.map(([row, limit, request]) => ({ row, limit, request })))(
  '$row: $limit is accepted, and one more is rejected',
  async ({ row, limit, request }) => {
    expect(await statusOf(await request(limit))).toBeLessThan(300);
    expect(String(await statusOf(await request(limit + 1)))).toBe(documented().get(row));
  },
);

it.each<[row: string, least: number, request: (size: number) => Sent]>([
  ['Id of a token', 3, (size) => token({ id: x(size) })],
  [
    'Time of an asynchronous invocation',
    10_000,
    (size) => ({ path: `/reactors/${reactor}/react`, body: { args: {}, async: true, timeout_ms: size } }),
  ],
])('%s: %d is accepted, and one less is rejected', async (row, least, request) => {
  expect(await statusOf(request(least))).toBeLessThan(300);
  expect(String(await statusOf(request(least - 1)))).toBe(documented().get(row));
});

it('Keys of a stored proxy: the fifth is rejected', async () => {
  const headers = { 'SVC-API-KEY': vault.managementKey, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: 'x', destination_url: bank });
  const { id } = (await (await vault.fetch('/proxies', { method: 'POST', headers, body })).json()) as {
    id: string;
  };
  const statuses: number[] = [];
  for (let keys = 2; keys <= 5; keys += 1)
    statuses.push(await statusOf(management(`/proxies/${id}/keys`, {})));
  expect(statuses).toEqual([201, 201, 201, Number(documented().get('Keys of a stored proxy'))]);
});

it('Members that a 400 reports: the first 100', async () => {
  const init = { method: 'POST', headers: { 'SVC-API-KEY': key, 'Content-Type': 'application/json' } };
  const reported = async (count: number) => {
    const body = JSON.stringify({ type: 'token', data: 1, ...entries(count, 1) });
    const { errors } = (await (await vault.fetch('/tokens', { ...init, body })).json()) as {
      readonly errors: object;
    };
    return Object.keys(errors).length;
  };
  expect([await reported(99), await reported(100), await reported(101)]).toEqual([99, 100, 100]);
});

it('Ids that a list is narrowed to: 1,000 are read, and one more is rejected', () => {
  const query = (count: number) => new URLSearchParams(times(count, (at) => `id=${String(at)}`).join('&'));
  expect(idsOf(query(1_000))).toHaveLength(1_000);
  expect(() => idsOf(query(1_001))).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});

it('Failures of transforms that can be read: the last 50', async () => {
  const store = createProxyFailureStore(tablesInMemory(() => 0).table('Ephemeral'), aVault());
  const of = { tenantId: vault.tenantId, proxyId: vault.tenantId };
  for (let at = 1; at <= 51; at += 1) await store.add(of, { traceId: `t-${String(at)}`, at } as ProxyFailure);
  expect((await store.last(of)).map((failure) => failure.at)).toEqual(times(50, (index) => 51 - index));
});

it('Reactors of a tenant: 100 exist, and one more is rejected', async () => {
  const full = await createVault();
  const create = () =>
    full.reactors.create({ name: 'x', code: 'module.exports = () => ({});', configuration: {} });
  for (let count = 1; count <= 100; count += 1) await create();
  await expect(create()).rejects.toMatchObject({
    status: Number(documented().get('Reactors of a tenant')),
    code: 'limit_reached',
  });
});

it('Stored proxies of a tenant: 500 exist, and one more is rejected', async () => {
  const full = await createVault();
  const create = () => full.proxies.create({ name: 'x', destination_url: bank });
  for (let count = 1; count <= 500; count += 1) await create();
  await expect(create()).rejects.toMatchObject({
    status: Number(documented().get('Stored proxies of a tenant')),
  });
});

/** Rows whose edges other tests hold, because a request alone does not reach them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'The same in the data of a token, also after an update': 'test/core/tokens/detokenize.test.ts',
  'The same in all tokens that a request detokenizes': 'test/core/tokens/detokenize.test.ts',
  'Versions of a stored proxy': 'test/interface/stored-proxies.test.ts',
  'Versions of a stored proxy that are retained beside them': 'test/interface/stored-proxies.test.ts',
  'Bytes that the transforms of one call read': 'test/core/stored-proxies/transform-budget.test.ts',
  'Tokens that the transforms of one call make': 'test/core/stored-proxies/transform-budget.test.ts',
  "Life of a card's `cvc`": 'test/lib/settings.test.ts',
  'Time of a destination': 'test/functions/proxy/slow-destination.test.ts',
};

it('each row of the page is tested here, or in a file that this one names', () => {
  const source = readFileSync(import.meta.filename, 'utf8');
  const missing = [...documented().keys()].filter((row) => {
    const file = ELSEWHERE[row];
    return file === undefined ? !source.includes(`'${row}`) : !existsSync(file);
  });
  expect(missing).toEqual([]);
});
