import { randomUUID } from 'node:crypto';
import { strictClient, type StrictClient } from '../../../test/support/http-client.ts';
import type { Credentials } from '../../../test/support/credentials.ts';
import { CARD, revealing } from '../../../test/support/sample-requests.ts';
import { sampleCard } from '../../import-samples/cards.ts';
import { anEvent, type EventOf } from '../an-event.ts';
import type { CountedOperation } from './counted-operation.ts';

/** Calls stored proxies, which differ by what they have. */
function storedProxies(
  {
    management,
    destination,
    application,
    reactor,
  }: {
    readonly management: StrictClient;
    readonly destination: string;
    readonly application: string;
    readonly reactor: string;
  },
  call: (proxyKey: string) => Promise<object>,
): readonly CountedOperation[] {
  const append = { type: 'append_header', name: 'X-Secret', value: '{{ configuration.SECRET }}' };
  const tokenize = { type: 'tokenize', location: '$.filler', token: { type: 'token' } };
  const members: Readonly<Record<string, object>> = {
    'stored proxy 1 KB': {},
    'stored proxy, a secret and a mask': {
      configuration: { SECRET: 'a secret of a proxy' },
      request_transforms: [append],
      response_transforms: [{ type: 'mask', matcher: 'card_number', replacement: '[card]' }],
    },
    'stored proxy, an application': { application: { id: application } },
    'stored proxy, tokenize': { request_transforms: [tokenize] },
    'stored proxy, a reactor': { request_transforms: [{ type: 'reactor', reactor_id: reactor }] },
  };
  const made = new Map<string, Promise<{ readonly key: string }>>();
  return Object.entries(members).map(([name, more]) => ({
    name,
    folder: 'proxy',
    status: 200,
    async event() {
      const proxy =
        made.get(name) ??
        management<{ readonly key: string }>('POST', '/proxies', {
          name,
          destination_url: destination,
          ...more,
        });
      made.set(name, proxy);
      return call((await proxy).key);
    },
  }));
}

const REACTOR_CODE = 'module.exports = async ({ args }) => ({ raw: { last4: args.card.number.slice(-4) } });';
const PASSING_CODE = 'module.exports = async ({ args: { body } }) => ({ raw: { body } });';

interface Identified {
  readonly id: string;
}

interface Listed {
  readonly pagination: { readonly after: string };
}

let imported = 0;

/** A card as an import sends it, with an id of its own and pairs that hardly any other has. */
function importedCard(): object {
  imported += 1;
  const { id, customer, number, month, year } = sampleCard(imported);
  return {
    id: randomUUID(),
    type: 'card',
    data: { number, expiration_month: month, expiration_year: year },
    metadata: { source_id: id, customer },
  };
}

/**
 * All operations of clients, against a running service; `destination` is an HTTPS server that the
 * service may call.
 */
// oxlint-disable-next-line max-lines-per-function -- a table: one row for each operation
export async function countedOperations(
  { base_url: baseUrl, management_key: management }: Pick<Credentials, 'base_url' | 'management_key'>,
  destination: string,
): Promise<readonly CountedOperation[]> {
  const manage = strictClient(baseUrl, management);
  const application = (more: object) =>
    manage<Identified & { readonly key: string }>('POST', '/applications', { name: 'counted', ...more });
  const { key } = await application({ type: 'private', permissions: [], rules: [revealing()] });
  const { key: publicKey } = await application({ type: 'public', permissions: ['token:create'] });
  const app = strictClient(baseUrl, key);

  let serial = 0;
  const unique = () => `counted ${String((serial += 1))}`;
  const token = async (body: object) => (await app<Identified>('POST', '/tokens', body)).id;
  const card = (more: object = {}) => token({ type: 'card', data: { ...CARD, ...more } });
  const hundred = (value: (index: number) => unknown) => Array.from({ length: 100 }, (_, at) => value(at));
  const request = (method: string, path: string, more: Partial<EventOf> = {}) =>
    anEvent({ method, path, key, ...more });
  const creation = (body: () => object, headers: () => Record<string, string> = () => ({})) => ({
    folder: 'tokens' as const,
    status: 201,
    event: () => Promise.resolve(request('POST', '/tokens', { body: body(), headers: headers() })),
  });
  const ofToken = async (method: string, id: Promise<string>, more: Partial<EventOf> = {}) => {
    const found = await id;
    return request(method, `/tokens/${found}`, { id: found, ...more });
  };
  const expression = (id: string) => `{{ ${id} | json: '$.number' }}`;
  const proxied = (fillerBytes: number) => async () =>
    request('POST', '/proxy', {
      headers: { 'svc-proxy-url': destination },
      body: { card: expression(await card()), filler: 'x'.repeat(fillerBytes) },
    });
  const managed = (method: string, path: string, more: Partial<EventOf> = {}) =>
    anEvent({ method, path, key: management, ...more });
  const anApplication = () => application({ type: 'private', permissions: ['token:read'] });
  const session = () =>
    strictClient(baseUrl, publicKey)<{ readonly nonce: string; readonly session_key: string }>(
      'POST',
      '/sessions',
    );
  const reading = (id: string) => [
    {
      priority: 1,
      transform: 'reveal',
      permissions: ['token:read'],
      conditions: [{ attribute: 'id', operator: 'equals', value: id }],
    },
  ];

  const { id: reactor } = await manage<Identified>('POST', '/reactors', {
    name: 'counted',
    code: REACTOR_CODE,
    configuration: { url: 'https://processor.example.com' },
  });
  const { id: passing } = await manage<Identified>('POST', '/reactors', {
    name: 'passes on',
    code: PASSING_CODE,
    configuration: {},
  });
  const { id: applicationOfProxy } = await application({ type: 'private', permissions: ['token:create'] });
  const stored = { management: manage, destination, application: applicationOfProxy, reactor: passing };
  const react = (more: object) => async () =>
    request('POST', `/reactors/${reactor}/react`, {
      id: reactor,
      body: { args: { card: `{{ ${await card()} }}` }, ...more },
    });
  await app(
    'POST',
    '/tokenize',
    hundred((at) => at),
  );
  const { pagination } = await app<Listed>('GET', '/tokens?size=1');
  const plain = { type: 'token', data: 'a plain token' };

  return [
    { name: 'create a token', ...creation(() => plain) },
    { name: 'create a card', ...creation(() => ({ type: 'card', data: CARD })) },
    { name: 'create a card with cvc', ...creation(() => ({ type: 'card', data: { ...CARD, cvc: '123' } })) },
    {
      name: 'create with two metadata pairs',
      ...creation(() => ({ ...plain, metadata: { customer: unique(), order: unique() } })),
    },
    {
      name: 'create with deduplicate_token',
      ...creation(() => ({ type: 'token', data: unique(), deduplicate_token: true })),
    },
    {
      name: 'create under an idempotency key',
      ...creation(
        () => plain,
        () => ({ 'svc-idempotency-key': randomUUID() }),
      ),
    },
    { name: 'get a card', folder: 'tokens', status: 200, event: () => ofToken('GET', card()) },
    {
      name: 'get a card with cvc',
      folder: 'tokens',
      status: 200,
      event: () => ofToken('GET', card({ cvc: '123' })),
    },
    {
      name: 'list 20 by cursor',
      folder: 'tokens',
      status: 200,
      event: () =>
        Promise.resolve(
          request('GET', '/tokens', { query: `after=${encodeURIComponent(pagination.after)}` }),
        ),
    },
    {
      name: 'list 100 by cursor, revealed',
      folder: 'tokens',
      status: 200,
      event: async () => {
        await app('POST', '/tokenize', hundred(importedCard));
        const { pagination: newest } = await app<Listed>('GET', '/tokens?size=1');
        return request('GET', '/tokens', { query: `size=100&after=${encodeURIComponent(newest.after)}` });
      },
    },
    {
      name: 'search a term with one match',
      folder: 'tokens',
      status: 200,
      event: async () => {
        const customer = unique();
        await token({ ...plain, metadata: { customer } });
        return request('POST', '/tokens/search', { body: { query: `metadata.customer:"${customer}"` } });
      },
    },
    {
      name: 'PATCH a card',
      folder: 'tokens',
      status: 200,
      event: () => ofToken('PATCH', card(), { body: { data: { expiration_year: 2031 } } }),
    },
    { name: 'delete a card', folder: 'tokens', status: 204, event: () => ofToken('DELETE', card()) },
    {
      name: 'tokenize 100',
      folder: 'tokens',
      status: 200,
      event: () => Promise.resolve(request('POST', '/tokenize', { body: hundred((at) => at) })),
    },
    {
      name: 'tokenize 25 imported cards',
      folder: 'tokens',
      status: 200,
      event: () =>
        Promise.resolve(request('POST', '/tokenize', { body: hundred(importedCard).slice(0, 25) })),
    },
    {
      name: 'detokenize 100',
      folder: 'tokens',
      status: 200,
      event: async () => {
        const ids = await app<readonly string[]>(
          'POST',
          '/tokenize',
          hundred((at) => at),
        );
        return request('POST', '/detokenize', { body: ids.map((id) => `{{ ${id} }}`) });
      },
    },
    { name: 'proxy 1 KB', folder: 'proxy', status: 200, event: proxied(900) },
    { name: 'proxy 1 MB', folder: 'proxy', status: 200, event: proxied(999_900) },
    ...storedProxies(stored, async (proxyKey) =>
      request('POST', '/proxy', {
        headers: { 'svc-proxy-key': proxyKey },
        body: { card: expression(await card()), filler: 'x'.repeat(900) },
      }),
    ),
    { name: 'react', folder: 'reactors', status: 200, event: react({}) },
    { name: 'react later', folder: 'reactors', status: 202, event: react({ callback_url: destination }) },
    {
      name: 'create an application',
      folder: 'applications',
      status: 201,
      event: () =>
        Promise.resolve(
          managed('POST', '/applications', {
            body: { name: 'counted', type: 'private', permissions: ['token:read'] },
          }),
        ),
    },
    {
      name: 'list applications',
      folder: 'applications',
      status: 200,
      event: () => Promise.resolve(managed('GET', '/applications')),
    },
    {
      name: 'get an application',
      folder: 'applications',
      status: 200,
      event: async () => {
        const { id } = await anApplication();
        return managed('GET', `/applications/${id}`, { id });
      },
    },
    {
      name: 'delete an application',
      folder: 'applications',
      status: 204,
      event: async () => {
        const { id } = await anApplication();
        return managed('DELETE', `/applications/${id}`, { id });
      },
    },
    {
      name: 'create a session',
      folder: 'applications',
      status: 201,
      event: () => Promise.resolve(anEvent({ method: 'POST', path: '/sessions', key: publicKey })),
    },
    {
      name: 'authorize a session',
      folder: 'applications',
      status: 200,
      event: async () => {
        const { nonce } = await session();
        return request('POST', '/sessions/authorize', { body: { nonce, rules: reading(await card()) } });
      },
    },
    {
      name: 'get a card in a session',
      folder: 'tokens',
      status: 200,
      event: async () => {
        const { nonce, session_key: sessionKey } = await session();
        const id = await card();
        await app('POST', '/sessions/authorize', { nonce, rules: reading(id) });
        return ofToken('GET', Promise.resolve(id), { key: sessionKey });
      },
    },
  ];
}
