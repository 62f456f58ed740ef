// Right and wrong uses of the SDK. `tsc` checks it here against the source, and
// test/end-to-end/sdk-package.test.ts against the packed declarations.
import {
  ApiError,
  createClient,
  TimeoutError,
  verifyWebhook,
  type Client,
  type Json,
  type LogRecord,
  type NewToken,
  type PermissionName,
  type ProxyRequest,
  type ReactRequest,
  type StoredProxy,
  type StoredProxyTransform,
  type Token,
  type TokenChange,
  type TokenForm,
  type Tokenized,
} from '../src/index.ts';

interface Line {
  readonly sku: string;
  readonly count: number | null;
}

/** As users write their types: no index signature makes it `Json`. */
interface Order {
  id: string;
  lines: Line[];
  note?: string;
  extra: Json;
  parent?: Order | undefined;
}

export const client: Client = createClient({ baseUrl: 'https://tokens.example.com', apiKey: 'k' });

export const inNode: Client = createClient();

export const measured: Client = createClient({
  onAttempt: ({ route, status, durationMs, retryInMs = 0 }) =>
    console.log(`${route} ${String(status)}`, durationMs + retryInMs),
});

const arrayBuffer = () => Promise.resolve(new ArrayBuffer(0));

/** The platform's, and a function of the tests. */
export const others: readonly Client[] = [
  createClient({ baseUrl: 'https://tokens.example.com', apiKey: 'k', fetch }),
  createClient({
    baseUrl: 'https://tokens.example.com',
    apiKey: 'k',
    fetch: async (url, { method, headers, body = '', signal, ...rest }) =>
      fetch(url, { method, headers, body, signal, ...rest }),
  }),
  createClient({
    baseUrl: 'https://tokens.example.com',
    apiKey: 'k',
    fetch: () => Promise.resolve({ status: 204, headers: new Map(), arrayBuffer }),
  }),
];

export async function right(maybe: string | undefined, json: Json, ids: readonly string[]): Promise<void> {
  const signal = new AbortController().signal;
  const token: Token = await client.tokens.create(
    { type: 'card', data: { number: '4242' }, expires_at: maybe },
    { signal },
  );
  await client.tokens.create({ type: 'token', data: { any: ['json', 1, true, null] } });
  const dynamic: NewToken = { type: 'bank', data: { routing_number: '1', account_number: '2' } };
  await client.tokens.create(dynamic, { idempotencyKey: maybe, timeoutMs: 1, maxRetries: 0 });
  await client.tokens.update(token.id, { metadata: { gone: null }, mask: null, containers: null });

  const answered = await client.tokens.retrieve(token.id).withResponse();
  const same: Token = answered.data;
  const requestId: string | undefined = answered.response.headers['svc-trace-id'];
  const firstPage = await client.tokens.list().withResponse();
  const total: number | undefined = firstPage.data.pagination.total_items;
  const filled: { readonly n: number } = (await client.detokenize({ n: 1 }).withResponse()).data;
  const deleted: Promise<void> = client.tokens.delete(token.id);
  await deleted;
  console.log(same, requestId, total, filled, answered.response.status);

  const page = await client.tokens.list({ id: ids, metadata: { a: 'b' } });
  const listed: readonly Token[] = page.data;
  for await (const { id } of client.tokens.search({ query: 'type:card' })) id.trim();

  const made = await client.tokenize({ card: { type: 'card', data: {} }, list: ['a', 1], nothing: null });
  const card: Token = made.card;
  const [first, second]: readonly string[] = made.list;
  const { nothing }: { readonly nothing: null } = made;
  const any: Json = await client.tokenize(json);
  const seen = await client.detokenize({ last4: '{{ x }}', n: 1 });
  const { last4, n }: { readonly last4: Json; readonly n: number } = seen;

  const { key }: { readonly key: string } = await client.applications.create({
    name: 'a',
    type: 'private',
    permissions: ['token:use'],
  });

  const authorization: StoredProxyTransform = {
    type: 'append_header',
    name: 'Authorization',
    value: 'Bearer {{ configuration.API_KEY }}',
  };
  const { id: proxyId, key: proxyKey }: { readonly id: string; readonly key: string } =
    await client.proxies.create({
      name: 'p',
      destination_url: 'https://example.com',
      methods: ['POST'],
      configuration: { API_KEY: 'secret', REGION: { value: 'eu', public: true } },
      request_transforms: [authorization, { type: 'append_json', location: '$.a', value: json }],
    });
  const patched: StoredProxy = await client.proxies.patch(proxyId, {
    timeout: null,
    configuration: { REGION: null },
  });
  for await (const { configuration_names } of client.proxies.list({ name: 'p' })) configuration_names.at(0);
  const [latest] = await client.proxies.listVersions(proxyId);
  await client.proxies.revert(proxyId, { version: latest?.version ?? 1 });
  const { hint } = await client.proxies.keys.create(proxyId, { expires_at: maybe });
  const stored = await client.proxy({ proxyKey, path: 'charges', method: 'POST', body: { hint } });

  const logs = await client.logs.list({ token_id: token.id, outcome: 'refused', after: maybe, size: 5 });
  const said: readonly LogRecord[] = logs.data;
  for await (const { tokens = [] } of client.logs.list()) tokens.map(({ form }) => form satisfies TokenForm);

  const { id: invocation } = await client.reactors.reactAsync('r', { callback_url: 'https://me.example' });
  const result = await client.reactors.retrieveResult('r', invocation);
  if (result.status === 'succeeded') console.log(result.result.raw);
  else if (result.status === 'failed') console.log(result.result.title);
  else console.log(result.result satisfies undefined);

  const webhook = await verifyWebhook({
    body: new Uint8Array(),
    headers: { 'webhook-id': ['a'] },
    secret: 's',
  });
  const title = webhook.status === 'failed' ? webhook.result.title : webhook.result.tokens;
  const proxied = await client.proxy({
    url: 'https://example.com',
    body: new Uint8Array(),
    query: { a: ids },
  });
  await client.proxy({ url: 'https://example.com', body: new URLSearchParams({ a: '1' }) });
  await client.proxy({ url: 'https://example.com', body: new ArrayBuffer(1) });
  console.log(listed, card, key, first, second, nothing, any, last4, n, title, proxied.text(), said);
  console.log(patched.version, stored.status);
}

export async function withInterfaces(
  order: Order,
  maybe: Order | undefined,
  args: ReactRequest,
): Promise<void> {
  await client.tokens.create({ type: 'token', data: order });
  await client.tokens.update('x', { data: order });
  const change: TokenChange = { data: { expiration_year: 2031 } };
  await client.tokens.update('x', change);
  const { id, lines }: Pick<Tokenized<Order>, 'id' | 'lines'> = await client.tokenize(order);
  const shown: { readonly sku: Json } | undefined = (await client.detokenize(order)).lines[0];
  await client.reactors.react('r', { args: order });
  await client.reactors.react('r', { args: maybe });
  await client.reactors.react('r', args);
  await client.reactors.react('r', { args: '{{ x }}' });
  await client.reactors.reactAsync('r', { args: [order], callback_url: 'https://me.example' });
  const proxied = await client.proxy({ url: 'https://example.com', method: 'POST', body: order });
  const request: ProxyRequest = { url: 'https://example.com', body: { a: [1] } };
  await client.proxy(request);
  console.log(id.length, lines.length, shown, proxied.setCookies.length);
}

export function statusOf(error: unknown): number | undefined {
  if (error instanceof TimeoutError) return error.message.length;
  return error instanceof ApiError ? error.status : undefined;
}

export async function wrong(token: Token): Promise<void> {
  // @ts-expect-error -- a function is no JSON
  await client.tokens.create({ type: 'token', data: { call: () => 1 } });
  // @ts-expect-error -- a symbol is no JSON
  await client.tokenize([Symbol('x')]);
  // @ts-expect-error -- nothing is no JSON
  await client.tokenize(undefined);
  // @ts-expect-error -- a member that is never there is no JSON
  await client.detokenize({ a: undefined });
  // @ts-expect-error -- a bigint is no JSON
  await client.reactors.react('r', { args: { amount: 1n } });
  // @ts-expect-error -- arguments are an object, an array or an expression
  await client.reactors.react('r', { args: 7 });
  // @ts-expect-error -- what has methods is no JSON
  await client.proxy({ url: 'https://example.com', method: 'POST', body: new Map() });
  const unknown: unknown = token;
  // @ts-expect-error -- an unknown value may not be JSON
  await client.proxy({ url: 'https://example.com', method: 'POST', body: unknown });
  // @ts-expect-error -- a filter without a value would list everything
  await client.tokens.list({ metadata: { customer: undefined } });
  // @ts-expect-error -- neither would one of ids
  await client.tokens.list({ id: undefined });
  // @ts-expect-error -- the proxy has no such method
  await client.proxy({ url: 'https://example.com', method: 'TRACE' });
  // @ts-expect-error -- a card has a number
  await client.tokens.create({ type: 'card', data: {} });
  // @ts-expect-error -- there is no such type
  await client.tokens.create({ type: 'passport', data: 'x' });
  // @ts-expect-error -- a token holds something
  await client.tokens.create({ type: 'token', data: null });
  // @ts-expect-error -- there is no such permission
  const permission: PermissionName = 'token:steal';
  // @ts-expect-error -- metadata are texts
  await client.tokens.update('x', { metadata: { a: 1 } });
  // @ts-expect-error -- what the service answers is not changed
  token.id = 'x';
  // @ts-expect-error -- nothing that comes back is any
  console.log((await client.tokens.retrieve('x')).nonsense);
  // @ts-expect-error -- a deletion has no idempotency key
  await client.tokens.delete('x', { idempotencyKey: 'k' });
  // @ts-expect-error -- the key is shown once
  const { key } = await client.applications.retrieve('x');
  await client.reactors.reactAsync('x', { args: {}, async: true });
  // @ts-expect-error -- an asynchronous invocation says where its result goes, or that it is read
  await client.reactors.reactAsync('x', { args: {} });
  // @ts-expect-error -- a result is there once it has ended
  const { raw } = (await client.reactors.retrieveResult('r', 'i')).result;
  // @ts-expect-error -- pages of the trail have no numbers
  await client.logs.list({ page: 2 });
  // @ts-expect-error -- the proxy is not retried
  await client.proxy({ url: 'https://example.com', maxRetries: 1 });
  // @ts-expect-error -- a proxied request has a destination or the key of a stored proxy
  await client.proxy({ method: 'POST' });
  // @ts-expect-error -- a stored proxy has its own destination
  await client.proxy({ url: 'https://example.com', proxyKey: 'k' });
  // @ts-expect-error -- a stored proxy has a destination
  await client.proxies.create({ name: 'p' });
  // @ts-expect-error -- the values of a configuration are never shown
  console.log((await client.proxies.retrieve('x')).configuration);
  // @ts-expect-error -- there is no such transform
  await client.proxies.patch('x', { request_transforms: [{ type: 'steal' }] });
  // @ts-expect-error -- a transform has the members of its type
  await client.proxies.patch('x', { response_transforms: [{ type: 'mask', names: [] }] });
  // @ts-expect-error -- and all that are required
  await client.proxies.patch('x', { request_transforms: [{ type: 'append_header', name: 'A' }] });
  // @ts-expect-error -- a key is text
  createClient({ baseUrl: 'https://tokens.example.com', apiKey: 7 });
  // @ts-expect-error -- an event has no values
  createClient({ onAttempt: ({ url }) => console.log(url) });
  // @ts-expect-error -- the data is a token here too
  console.log((await client.tokens.retrieve('x').withResponse()).data.nonsense);
  // @ts-expect-error -- the response of the proxy has its status itself
  await client.proxy({ url: 'https://example.com' }).withResponse();
  // @ts-expect-error -- a webhook has headers
  await verifyWebhook({ body: '', secret: '' });
  console.log(permission, key, raw);
}
