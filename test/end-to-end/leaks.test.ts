import { untilTrue } from '../../packages/test-kit/src/until.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { advanceClock } from '../support/advance-clock.ts';
import { allItems, bytesOf } from '../support/aws.ts';
import { startDestination, testCertificate, type TestDestination } from '../support/destination.ts';
import { aCardNumber } from '../support/a-card-number.ts';
import { needlesOf, occurrences } from '../support/needles.ts';
import { operatorOf } from '../support/operator.ts';
import { runService, TEST_SETTINGS, temporaryFolder, type RunningService } from '../support/run-service.ts';
import { send, type ApiResponse, type CallOptions } from '../support/http-client.ts';
import { needing } from '../support/needing.ts';

const { it } = needing('openssl');

let service: RunningService;
let destination: TestDestination;
const data = join(temporaryFolder(), 'data');

/** A part of a host name too, which ends with no hyphen. */
const mark = (name: string) => `MARK-${name}-${randomBytes(9).toString('hex')}`;

/** Secrets that must not be found anywhere. */
const marks: Record<string, string> = {
  card: aCardNumber(),
  text: mark('text'),
  updated: mark('updated'),
  large: mark('large'),
  metadata: mark('metadata'),
  mask: mark('mask'),
  term: mark('term'),
  bad: mark('bad'),
  badBody: mark('bad-body'),
  proxyBody: mark('proxy-body'),
  proxyHeader: mark('proxy-header'),
  proxyConfiguration: mark('proxy-configuration'),
  proxyOther: mark('proxy-other'),
  proxyTokenized: mark('proxy-tokenized'),
  proxyQuery: mark('proxy-query'),
  proxyResponse: mark('proxy-answer'),
  badExpression: mark('expression'),
  configuration: mark('configuration'),
  code: mark('code'),
  args: mark('args'),
  raw: mark('raw'),
  thrown: mark('thrown'),
  printed: mark('printed'),
  tokenized: mark('tokenized'),
  callback: mark('callback'),
  asyncArgs: mark('async-args'),
};

const collected: ApiResponse[] = [];

async function api(
  key: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse> {
  const reply = await send(service.credentials.base_url, key, method, path, options);
  collected.push(reply);
  return reply;
}

/** Files below a folder, with their content. */
function filesBelow(folder: string): Record<string, Buffer> {
  const found: Record<string, Buffer> = {};
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) Object.assign(found, filesBelow(path));
    else found[path] = readFileSync(path);
  }
  return found;
}

/**
 * All items of all tables, each value as its bytes: files of the local database may be compressed.
 */
async function tables(): Promise<Buffer> {
  const items = await allItems(service.credentials);
  const kinds = new Set(items.map(({ sk }) => (sk?.S ?? '').split('#')[0]));
  // The places must contain something, or the search proves nothing.
  for (const kind of [
    'token',
    'cvc',
    'tenant',
    'application',
    'session',
    'reactor',
    'invocation',
    'payload',
    'result',
  ])
    expect([...kinds]).toContain(kind);
  // The audit trail has items of each kind: records, ids that they refer to, marks, seals.
  for (const partition of [/#log#\d\d$/, /^id#/, /^open#/, /^seal$/])
    expect(items.some(({ pk }) => partition.test(pk?.S ?? ''))).toBe(true);
  return Buffer.from(items.map(bytesOf).join('\n'), 'latin1');
}

beforeAll(async () => {
  const certificate = testCertificate();
  destination = await startDestination(certificate);
  destination.respond = (_received, response) => response.end(marks['proxyAnswer']);
  service = await runService([...TEST_SETTINGS, '--data', data], {
    NODE_EXTRA_CA_CERTS: certificate.certFile,
  });
});

afterAll(async () => {
  await service.stop();
  await destination.close();
});

it('the search finds a value in every encoding', () => {
  const value = mark('self-test');
  for (const form of [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString('hex'),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${value}tail`).toString('base64')),
    Buffer.from(`x${value}`).toString('base64url'),
  ])
    expect(occurrences({ value }, { place: Buffer.from(`... ${form} ...`) })).toEqual(['value in place']);
  expect(needlesOf(value).every(({ length }) => length > 12)).toBe(true);
});

it('the service leaves no secret in plain text anywhere', async () => {
  const management = service.credentials.management_key;
  const all = ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search', 'token:use'];
  const application = async (body: object) =>
    (await api(management, 'POST', '/applications', { body: { name: 'leaks', ...body } })).body;
  const reveal = [{ priority: 1, container: '/', transform: 'reveal', permissions: all }];
  const { key } = await application({ type: 'private', rules: reveal });
  const { key: publicKey } = await application({ type: 'public', permissions: ['token:create'] });
  const m = (name: string) => marks[name] ?? '';
  const as = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api(key, method, path, { headers, ...(body === undefined ? {} : { body }) });

  // Tokens: data, cvc, metadata, mask, terms, large data, stored responses, updates, lists,
  // searches, and rejections that quote nothing.
  const { body: card } = await as(
    'POST',
    '/tokens',
    {
      type: 'card',
      data: { number: m('card'), expiration_month: 1, expiration_year: 2031, cvc: '4929' },
      metadata: { note: m('metadata') },
    },
    { 'SVC-IDEMPOTENCY-KEY': randomUUID() },
  );
  const { body: token } = await as('POST', '/tokens', {
    type: 'token',
    data: { text: m('text'), term: m('term') },
    mask: m('mask'),
    search_indexes: ['{{ data.term }}'],
  });
  await as('POST', '/tokens', { type: 'token', id: 'a-chosen-id', data: m('text') });
  await as('POST', '/tokens', { type: 'token', data: `${m('large')}${'x'.repeat(900_000)}` });
  await as('PATCH', `/tokens/${token.id as string}`, { data: { text: m('updated') } });
  await as('POST', '/tokens/search', { query: `data:"${m('term')}"` });
  await as('GET', '/tokens');
  await as('POST', '/tokenize', { card: { type: 'card', data: { number: m('card') } }, text: m('text') });
  await as('POST', '/detokenize', { all: `{{ ${token.id as string} }}` });
  await as('POST', '/tokens', { type: 'card', data: { number: m('bad') } });
  await as('POST', '/tokens', {
    type: 'token',
    data: m('text'),
    containers: [m('bad')],
    expires_at: m('bad'),
  });
  await as('POST', '/tokens', {
    type: 'token',
    data: m('text'),
    mask: `{{ data | nothing: '${m('badExpression')}' }}`,
  });
  await api(key, 'POST', '/tokens', {
    raw: `{"type":"token","data":"${m('badBody')}"`,
    headers: { 'Content-Type': 'application/json' },
  });

  // The proxy succeeds and fails.
  const url = `https://localhost:${String(destination.port)}/in`;
  const through = (target: string, body: unknown, more: Record<string, string> = {}) =>
    api(key, 'POST', `/proxy/x?q=${m('proxyQuery')}`, {
      body,
      headers: { 'SVC-PROXY-URL': target, 'X-Marked': m('proxyHeader'), ...more },
    });
  await through(url, { text: m('proxyBody'), card: `{{ ${card.id as string} }}` });
  await through(url, { text: `${m('proxyBody')} {{ bad` });
  await through(`https://${m('bad')}.invalid/`, { text: m('proxyBody') });
  await through('https://localhost:1/', { text: m('proxyBody') });

  // Stored proxies are created, changed and called; some calls fail.
  const { body: storedProxy } = await api(management, 'POST', '/proxies', {
    body: {
      name: 'leaks',
      destination_url: `https://localhost:${String(destination.port)}/stored`,
      configuration: { SECRET: m('proxyConfiguration'), OTHER: m('proxyOther') },
      request_transforms: [
        { type: 'append_header', name: 'X-Secret', value: '{{ configuration.SECRET }}' },
        { type: 'tokenize', location: '$.card', token: { type: 'token', metadata: { a: 'b' } } },
      ],
      response_transforms: [{ type: 'mask', location: '$.nothing', replacement: 'x' }],
    },
  });
  const throughStored = (body: unknown) =>
    api(key, 'POST', `/proxy/y?q=${m('proxyQuery')}&svc-proxy-key=${storedProxy.key as string}`, {
      body,
      headers: { 'X-Marked': m('proxyHeader') },
    });
  await throughStored({ card: m('proxyTokenized'), text: m('proxyBody') });
  await throughStored({ text: m('proxyBody') });
  await api(management, 'PATCH', `/proxies/${storedProxy.id as string}`, {
    body: { configuration: { SECRET: m('proxyOther'), OTHER: m('proxyConfiguration') } },
  });

  // A session is created and authorized.
  const { body: session } = await api(publicKey, 'POST', '/sessions');
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  await as('POST', '/sessions/authorize', { nonce: session.nonce, rules: reveal, expires_at: inAnHour });
  await api(session.session_key, 'GET', `/tokens/${card.id as string}`);

  // Reactors run synchronously and asynchronously. They succeed and fail.
  const { body: reactor } = await api(management, 'POST', '/reactors', {
    body: {
      name: 'leaks',
      code: `// ${m('code')}
        module.exports = (req) => {
          console.log('${m('printed')}', JSON.stringify(req)); process.stderr.write('${m('printed')}');
          if (req.args.fail) throw Object.assign(new Error('${m('thrown')} ' + JSON.stringify(req.args)), { status: 418 });
          return { raw: { raw: '${m('raw')}', got: req.args }, tokenize: { type: 'token', data: '${m('tokenized')}' } };
        };`,
      configuration: { secret: m('configuration') },
    },
  });
  const react = (body: object, headers = {}) =>
    as('POST', `/reactors/${reactor.id as string}/react`, body, headers);
  await react(
    { args: { text: m('args'), card: `{{ ${card.id as string} }}` } },
    { 'SVC-IDEMPOTENCY-KEY': randomUUID() },
  );
  await react({ args: { fail: true, text: m('args') } });
  const callback = `https://localhost:${String(destination.port)}/hook?key=${m('callback')}`;
  for (const fail of [false, true])
    await react({
      args: { fail, text: m('asyncArgs'), card: `{{ ${card.id as string} }}` },
      callback_url: callback,
    });
  const hooks = () => destination.received.filter(({ url: path }) => path.startsWith('/hook'));
  await untilTrue(() => hooks().length >= 2);
  await operatorOf(service.credentials, { command: 'rotate-keys', tenant_id: service.credentials.tenant_id });
  await operatorOf(service.credentials, { command: 'reencrypt', tenant_id: service.credentials.tenant_id });
  // The sealer waits for late records.
  await advanceClock(service.credentials, 180);
  await untilTrue(async () => (await allItems(service.credentials)).some(({ pk }) => pk?.S === 'seal'));

  const keys = {
    managementKey: management,
    key,
    publicKey,
    sessionKey: session.session_key,
    nonce: session.nonce,
    webhookSecret: service.credentials.webhook_secret,
  } as Record<string, string>;

  // Error bodies are for the caller, and quote nothing of the request; only the author of a reactor
  // may include data.
  const errors = collected.filter(({ status }) => status >= 400);
  expect(errors.map(({ status }) => status).toSorted()).toEqual([...Array<number>(7).fill(400), 500, 502]);
  const errorBodies = Object.fromEntries(
    errors.map(({ body }, index) => [`error ${String(index)}`, Buffer.from(JSON.stringify(body))]),
  );
  const logs = await api(management, 'GET', '/logs?size=100');
  expect(logs.body.data.length).toBeGreaterThan(20);
  const stored = await tables();
  await service.stop();
  // The output of the code of reactors: the local account shows it to the author, and AWS logs none
  // of it.
  const OF_REACTORS = /^\S+Z reactor [0-9a-f-]{36} .*\n/gm;
  const printed = (service.output().match(OF_REACTORS) ?? []).join('');
  for (const name of ['printed', 'thrown']) expect(printed).toContain(marks[name]);
  const places = {
    ...errorBodies,
    'GET /logs': Buffer.from(JSON.stringify(logs.body)),
    'all items of all tables': stored,
    'output and logs': Buffer.from(service.output().replaceAll(OF_REACTORS, '')),
    ...Object.fromEntries(
      // The local file with the first tenant's credentials, mode 0600, exists to store them.
      Object.entries(filesBelow(data)).filter(([path]) => path !== join(data, 'credentials.json')),
    ),
  };
  const searched = Object.keys(places).map((place) =>
    place.replace(data, '').replace(/[0-9a-f-]{36}|[0-9a-f]{32}|\d+/g, '*'),
  );
  expect(service.output()).toContain('createToken');
  // `npm start` prints the first management key on purpose.
  const { managementKey: _, ...otherKeys } = keys;
  expect(occurrences({ ...marks, ...otherKeys }, places)).toEqual([]);
  console.log(
    `leak search: ${String(Object.keys(marks).length + Object.keys(otherKeys).length)} values in ${String(Object.keys(places).length)} places (${[...new Set(searched)].join(', ')}), 0 found`,
  );
});
