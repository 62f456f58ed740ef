import { randomUUID } from 'node:crypto';
import type { Credentials } from '../../../test/support/credentials.ts';
import { strictClient } from '../../../test/support/http-client.ts';
import { STORED_PROXY_LIMITS } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { anEvent } from '../an-event.ts';
import { effort } from '../effort.ts';
import {
  BODY_MAX_BYTES,
  DEAREST,
  FEW,
  member,
  requestsOf,
  valuesOf,
  WHOLE,
  type ApiFolder,
  type BodyRoute,
  type HostileRequest,
  type HostilePlace,
} from './body-route.ts';
import { hostileCalls } from './hostile-calls.ts';
import { limitRequests } from './hostile-limits.ts';
import { proxyRequests, storedCalls } from './hostile-proxies.ts';

const DATA_MAX_BYTES = 3_500_000;

interface Identified {
  readonly id: string;
}

/**
 * The targets of the requests: applications, tokens that a weaker caller has planted, a reactor.
 */
async function world({ base_url: baseUrl, management_key: management }: Credentials) {
  const manage = strictClient(baseUrl, management);
  const application = (type: string, permissions: readonly string[], transform: string) =>
    manage<Identified & { readonly key: string }>('POST', '/applications', {
      name: 'hostile',
      type,
      rules: [{ priority: 1, container: '/', transform, permissions }],
    });
  const all = ['token:create', 'token:read', 'token:update', 'token:search', 'token:use'];
  const revealing = await application('private', all, 'reveal');
  const masked = await application('private', all, 'mask');
  const planter = await application('public', ['token:create'], 'mask');
  const publicClient = strictClient(baseUrl, planter.key);
  const { id: applicationId } = await application('private', ['token:read'], 'mask');
  const { id: keyId } = await manage<Identified>('POST', `/applications/${applicationId}/keys`, {});
  const proxy = await manage<Identified>('POST', '/proxies', {
    name: 'hostile',
    destination_url: 'https://example.com/',
  });
  const proxyKey = await manage<Identified>('POST', `/proxies/${proxy.id}/keys`, {});
  const reactor = await manage<Identified>('POST', '/reactors', {
    name: 'hostile',
    code: 'module.exports = async () => ({ raw: 1 });',
    configuration: {},
  });

  /** Creates a token with the weakest key, its body as text. */
  async function plant(body: string): Promise<string> {
    const options = { raw: body, headers: { 'Content-Type': 'application/json' } };
    return (await publicClient<Identified>('POST', '/tokens', undefined, options)).id;
  }
  return {
    manage,
    publicClient,
    client: strictClient(baseUrl, revealing.key),
    revealing,
    masked,
    management,
    applicationId,
    keyId,
    proxy: { id: proxy.id, keyId: proxyKey.id, management },
    reactorId: reactor.id,
    plant,
  };
}

export type World = Awaited<ReturnType<typeof world>>;

// oxlint-disable-next-line max-lines-per-function -- a table: one row for each route
export function bodyRoutes(
  {
    revealing,
    management,
    applicationId,
    keyId,
    reactorId,
  }: Pick<World, 'revealing' | 'management' | 'applicationId' | 'keyId' | 'reactorId'>,
  tokenId: string,
  warmUpId: string,
  destination: string,
) {
  const { key } = revealing;
  const token = (name: string) => member(name, '"type":"token","data":0');
  const reactor = '"name":"hostile","code":"module.exports = 1;"';
  const application = '"name":"hostile","type":"private"';
  const grants = (rest: string): readonly HostilePlace[] => [
    WHOLE,
    member('permissions', rest),
    member('rules', rest),
    { name: 'conditions', before: `{${rest},"rules":[{"conditions":`, after: '}]}' },
  ];
  const patches = ['data', 'mask', 'metadata', 'containers', 'search_indexes'].map((name) => member(name));
  const routes: readonly BodyRoute[] = [
    {
      folder: 'tokens',
      method: 'POST',
      pattern: '/tokens',
      key,
      values: 'all',
      places: [{ ...member('data', '"type":"token"'), bytes: DATA_MAX_BYTES }],
    },
    {
      folder: 'tokens',
      method: 'POST',
      pattern: '/tokens',
      key,
      values: 'dearest',
      places: [
        WHOLE,
        { ...token('mask'), name: 'mask of 300 KB', bytes: 300_000 },
        ...['id', 'mask', 'metadata', 'containers', 'search_indexes', 'fingerprint_expression'].map(token),
        {
          name: 'data under an index',
          before: '{"type":"token","search_indexes":["{{ data }}"],"data":',
          after: '}',
          bytes: 3_000_000,
        },
        member('data', '"type":"card"'),
      ],
    },
    {
      folder: 'tokens',
      method: 'PATCH',
      pattern: '/tokens/{id}',
      path: `/tokens/${tokenId}`,
      id: tokenId,
      warmUpId,
      key,
      values: 'dearest',
      places: [WHOLE, ...patches],
    },
    {
      folder: 'tokens',
      method: 'POST',
      pattern: '/tokens/search',
      key,
      values: 'few',
      places: [WHOLE, member('query'), member('after')],
    },
    { folder: 'tokens', method: 'POST', pattern: '/tokenize', key, values: 'all', places: [WHOLE] },
    { folder: 'tokens', method: 'POST', pattern: '/detokenize', key, values: 'all', places: [WHOLE] },
    ...['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method): readonly BodyRoute[] =>
      ['/proxy', '/proxy/{suffix+}'].map((pattern) => ({
        folder: 'proxy',
        method,
        pattern,
        path: pattern.replace('{suffix+}', 'a'),
        key,
        headers: { 'svc-proxy-url': destination, 'content-type': 'application/json' },
        values: method === 'POST' && pattern === '/proxy' ? 'all' : 'few',
        places: [
          { name: 'beside an expression', before: `["{{ ${tokenId} }}",`, after: ']' },
          ...(method === 'PUT' ? [WHOLE] : []),
        ],
      })),
    ),
    ...[
      'text/plain',
      'application/xml',
      'application/x-ndjson',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=a',
    ].map((type): BodyRoute => ({
      folder: 'proxy',
      method: 'POST',
      pattern: '/proxy',
      key,
      values: 'dearest',
      headers: { 'svc-proxy-url': destination, 'content-type': type },
      places: [
        {
          name: `${type}, beside an expression`,
          before: `--a\n\n{{ ${tokenId} }}&a=%7B%7B&`,
          after: '\n--a--',
        },
      ],
    })),
    {
      folder: 'reactors',
      method: 'POST',
      pattern: '/reactors',
      key: management,
      values: 'few',
      places: [
        WHOLE,
        member('name', '"code":"1"'),
        member('code', '"name":"hostile"'),
        ...['configuration', 'application'].map((name) => member(name, reactor)),
      ],
    },
    {
      folder: 'reactors',
      method: 'PUT',
      pattern: '/reactors/{id}',
      path: `/reactors/${reactorId}`,
      id: reactorId,
      key: management,
      values: 'few',
      places: [WHOLE, member('configuration', reactor)],
    },
    {
      folder: 'reactors',
      method: 'PATCH',
      pattern: '/reactors/{id}',
      path: `/reactors/${reactorId}`,
      id: reactorId,
      key: management,
      values: 'few',
      places: [WHOLE, member('configuration')],
    },
    {
      folder: 'reactors',
      method: 'POST',
      pattern: '/reactors/{id}/react',
      path: `/reactors/${reactorId}/react`,
      id: reactorId,
      key,
      maxBytes: 5_000_000,
      values: 'dearest',
      places: [WHOLE, member('args'), member('args', `"callback_url":"${destination}"`)],
    },
    {
      folder: 'applications',
      method: 'POST',
      pattern: '/applications',
      key: management,
      values: 'few',
      places: grants(application),
    },
    {
      folder: 'applications',
      method: 'PUT',
      pattern: '/applications/{id}',
      path: `/applications/${applicationId}`,
      id: applicationId,
      key: management,
      values: 'few',
      places: grants('"name":"hostile"'),
    },
    {
      folder: 'applications',
      method: 'PUT',
      pattern: '/tenants/self',
      key: management,
      values: 'few',
      places: [WHOLE, member('settings', '"name":"hostile"')],
    },
    {
      folder: 'applications',
      method: 'POST',
      pattern: '/sessions/authorize',
      key,
      values: 'few',
      places: grants('"nonce":"hostile"'),
    },
    {
      folder: 'applications',
      method: 'POST',
      pattern: '/sessions',
      key,
      values: 'few',
      places: [WHOLE],
    },
    {
      folder: 'applications',
      method: 'POST',
      pattern: '/access/explain',
      key: management,
      values: 'few',
      places: [WHOLE, ...['rules', 'containers'].map((name) => member(name))],
    },
    {
      folder: 'applications',
      method: 'POST',
      pattern: '/applications/{id}/keys',
      path: `/applications/${applicationId}/keys`,
      key: management,
      values: 'few',
      places: [WHOLE, member('source_addresses')],
    },
    {
      folder: 'applications',
      method: 'PATCH',
      pattern: '/applications/{id}/keys/{key_id}',
      path: `/applications/${applicationId}/keys/${keyId}`,
      key: management,
      values: 'few',
      places: [WHOLE, member('source_addresses')],
    },
  ];
  return routes;
}

const QUERY_BYTES = 9_000;

/**
 * Long queries, for which the gateway accepts about 10 KB of request line and headers, and many
 * expressions.
 */
function queries({ revealing: { key }, management }: World, destination: string): readonly HostileRequest[] {
  const metadata = valuesOf(DEAREST).map(({ name, text }) => ({
    what: `metadata: ${name}`,
    query: `metadata=${encodeURIComponent(text(QUERY_BYTES / 3))}`,
  }));
  const tokens = [
    ...metadata,
    { what: 'ids', query: 'id=a&'.repeat(QUERY_BYTES / 5) },
    { what: 'metadata pairs', query: 'metadata.a=b&'.repeat(QUERY_BYTES / 13) },
  ].map(({ what, query }): HostileRequest => ({
    route: 'GET /tokens',
    folder: 'tokens',
    what,
    warmUp: anEvent({ method: 'GET', path: '/tokens', key }),
    event: () => anEvent({ method: 'GET', path: '/tokens', key, query }),
  }));
  const proxied = (more: object) =>
    anEvent({ method: 'GET', path: '/proxy', key, headers: { 'svc-proxy-url': destination }, ...more });
  return [
    ...tokens,
    {
      route: 'GET /reactors',
      folder: 'reactors',
      what: 'a name of *',
      warmUp: anEvent({ method: 'GET', path: '/reactors', key: management }),
      event: () =>
        anEvent({ method: 'GET', path: '/reactors', key: management, query: `name=${'*a'.repeat(100)}` }),
    },
    {
      route: 'GET /proxy',
      folder: 'proxy',
      what: 'a query of expressions',
      warmUp: proxied({}),
      event: () => proxied({ query: `a=${'%7B%7Ba%7D%7D'.repeat(QUERY_BYTES / 13)}` }),
    },
    {
      route: 'POST /proxy',
      folder: 'proxy',
      what: 'text of pairs, each with an expression',
      warmUp: proxied({}),
      event: () => {
        const headers = { 'svc-proxy-url': destination, 'content-type': 'text/plain' };
        const id = randomUUID().slice(0, 3);
        const pair = `a={{${id}}};`;
        const body = pair.repeat(Math.floor(BODY_MAX_BYTES / pair.length));
        return { ...anEvent({ method: 'POST', path: '/proxy', key, headers }), body };
      },
    },
    {
      route: 'GET /proxy',
      folder: 'proxy',
      what: 'a header of expressions',
      warmUp: proxied({}),
      event: () =>
        proxied({ headers: { 'svc-proxy-url': destination, 'x-a': '{{a}}'.repeat(QUERY_BYTES / 5) } }),
    },
  ];
}

const SIZES = [2_990_000, 2_000_000, 1_400_000, 1_000_000, 700_000, 490_000];

/** The result for the largest of several sizes that the service accepts. */
async function largest<T>(make: (bytes: number) => Promise<T>): Promise<T> {
  for (const bytes of SIZES) {
    const made = await make(bytes).catch(() => undefined);
    if (made !== undefined) return made;
  }
  throw new Error('the service takes none of the sizes');
}

/** Requests of a strong caller that read two large tokens of a weaker one. */
function planted(
  { revealing: { key }, masked, reactorId, plant }: World,
  destination: string,
): readonly HostileRequest[] {
  const get = (id: string) => anEvent({ method: 'GET', path: `/tokens/${id}`, key, id });
  const patch = (id: string) =>
    anEvent({ method: 'PATCH', path: `/tokens/${id}`, key, id, body: { metadata: { a: 'b' } } });
  const detokenize = (body: unknown, by = key) =>
    anEvent({ method: 'POST', path: '/detokenize', key: by, body });
  const proxied = (body: unknown) =>
    anEvent({ method: 'POST', path: '/proxy', key, headers: { 'svc-proxy-url': destination }, body });
  const react = (args: unknown) =>
    anEvent({ method: 'POST', path: `/reactors/${reactorId}/react`, key, id: reactorId, body: { args } });
  const none = randomUUID();
  return valuesOf(DEAREST).flatMap(({ name, text }): readonly HostileRequest[] => {
    let made: Promise<readonly string[]> | undefined;
    const ids = () =>
      (made ??= Promise.all(
        [1, 2].map(() => largest((bytes) => plant(`{"type":"token","data":${text(bytes)}}`))),
      ));
    const request = (
      route: string,
      folder: ApiFolder,
      how: string,
      warmUp: object,
      event: (expressions: readonly string[], id: string) => object,
    ): HostileRequest => ({
      route,
      folder,
      what: `planted${how}: ${name}`,
      warmUp,
      event: async () => {
        const found = await ids();
        return event(
          found.map((id) => `{{ ${id} }}`),
          found[0] ?? '',
        );
      },
    });
    return [
      request('GET /tokens/{id}', 'tokens', '', get(none), (_, id) => get(id)),
      request('PATCH /tokens/{id}', 'tokens', '', patch(none), (_, id) => patch(id)),
      request('POST /detokenize', 'tokens', '', detokenize([]), (all) => detokenize(all)),
      request('POST /detokenize', 'tokens', ' in text', detokenize([]), (all) =>
        detokenize(all.map((each) => `x${each}`)),
      ),
      request('POST /detokenize', 'tokens', ' filtered', detokenize([]), (_, id) =>
        detokenize([`{{ ${id} | stringify | upcase }}`]),
      ),
      request('POST /detokenize', 'tokens', ' whole', detokenize([]), (_, id) =>
        detokenize([`{{ token: ${id} }}`]),
      ),
      request('POST /detokenize', 'tokens', ' masked', detokenize([], masked.key), (all) =>
        detokenize(all, masked.key),
      ),
      request('POST /proxy', 'proxy', '', proxied([]), (all) => proxied(all)),
      request('POST /reactors/{id}/react', 'reactors', '', react({}), ([first]) => react([first])),
    ];
  });
}

/** The planted bytes of each of a page's hundred tokens. */
const CROWDS = [
  { what: 'as large as a page shows', data: 12_400, mask: 9_000 },
  { what: 'of large data', data: 340_000, mask: 20 },
  { what: 'of large masks', data: 20, mask: 150_000 },
];

/** Requests pages, and detokenization, of a hundred tokens for a caller with few rights. */
function crowds({ revealing: { key }, masked, plant }: World): readonly HostileRequest[] {
  const list = (query: string, by: string) => anEvent({ method: 'GET', path: '/tokens', key: by, query });
  const search = (body: unknown, by: string) =>
    anEvent({ method: 'POST', path: '/tokens/search', key: by, body });
  const detokenize = (body: unknown, by: string) =>
    anEvent({ method: 'POST', path: '/detokenize', key: by, body });
  return valuesOf(['[[],[],...]', ...FEW]).flatMap(({ name, text }) =>
    CROWDS.flatMap(({ what, data, mask }, crowd): readonly HostileRequest[] => {
      const label = `${name} ${String(crowd)}`.replaceAll(/["\\]/g, '');
      let made: Promise<readonly string[]> | undefined;
      const hundred = async () => {
        const ids: string[] = [];
        const body = `{"type":"token","metadata":{"planted":"${label}"},"mask":${text(mask)},"data":${text(data)}}`;
        while (ids.length < 100) ids.push(await plant(body));
        return ids;
      };
      const planting = () => (made ??= hundred());
      return [key, masked.key].flatMap((by) => {
        const named = { what: `a hundred ${what}${by === key ? '' : ', masked'}: ${name}` };
        return [
          {
            ...named,
            route: 'GET /tokens',
            folder: 'tokens',
            warmUp: list('size=1', by),
            event: async () => {
              await planting();
              return list(`metadata.planted=${encodeURIComponent(label)}&size=100`, by);
            },
          },
          {
            ...named,
            route: 'POST /tokens/search',
            folder: 'tokens',
            warmUp: search({ query: 'type:token', size: 1 }, by),
            event: async () => {
              await planting();
              return search({ query: `metadata.planted:"${label}"`, size: 100 }, by);
            },
          },
          {
            ...named,
            route: 'POST /detokenize',
            folder: 'tokens',
            warmUp: detokenize([], by),
            event: async () =>
              detokenize(
                (await planting()).map((id) => `{{ ${id} }}`),
                by,
              ),
          },
        ];
      });
    }),
  );
}

/** A reactor returns a hostile result for these arguments, and a small one without them. */
export const HOSTILE_ARGS = { hostile: true };
const RESULT_BYTES = 4_990_000;

/** The return value of a reactor's code, in the response of its runtime. */
export const hostileResults = () =>
  valuesOf([...DEAREST, 'escaped names beyond the limit', '[[],[],...] beyond the limit']).flatMap(
    ({ name, text }) =>
      ['raw', 'tokenize'].map((member) => ({
        what: `a result, ${member}: ${name}`,
        payload: () => `{"outcome":"returned","value":{"${member}":${text(RESULT_BYTES)}}}`,
      })),
  );

/** The event that runs a reactor, synchronously or not. */
export const reactEvent = (
  { revealing: { key }, reactorId }: World,
  args: object,
  callbackUrl?: string,
): object =>
  anEvent({
    method: 'POST',
    path: `/reactors/${reactorId}/react`,
    key,
    id: reactorId,
    body: { args, ...(callbackUrl !== undefined && { callback_url: callbackUrl }) },
  });

const SMALL = '{"type":"token","data":"a"}';

/** All requests; plants the data that the service needs for them. */
export async function hostileRequests(
  credentials: Credentials,
  destination: string,
): Promise<{ readonly requests: readonly HostileRequest[]; readonly world: World }> {
  const made = await world(credentials);
  const tokenId = await made.plant(SMALL);
  const warmUpId = await made.plant(SMALL);
  return {
    world: made,
    requests: [
      ...bodyRoutes(made, tokenId, warmUpId, destination).flatMap(requestsOf),
      ...queries(made, destination),
      ...planted(made, destination),
      ...crowds(made),
      ...proxyRequests(made.proxy),
      ...(await storedCalls({ ...made, key: made.revealing.key }, destination)),
      ...(await hostileCalls({ ...made, key: made.revealing.key }, destination)),
      ...(await limitRequests({ ...made, key: made.revealing.key }, effort(STORED_PROXY_LIMITS.proxies, 10))),
    ],
  };
}
