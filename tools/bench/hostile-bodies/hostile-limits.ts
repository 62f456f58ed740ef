import { STORED_PROXY_LIMITS } from '../../../src/core/stored-proxies/stored-proxy.ts';
import type { StrictClient } from '../../../test/support/http-client.ts';
import { anEvent } from '../an-event.ts';
import type { HostileRequest } from './body-route.ts';

interface Callers {
  readonly manage: StrictClient;
  /** A management key, a private key with all rights on tokens, and a public key. */
  readonly management: string;
  readonly key: string;
  readonly publicClient: StrictClient;
  readonly client: StrictClient;
  readonly plant: (body: string) => Promise<string>;
}

const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** As many conditions as a session may have, none of which matches before its last character. */
const RULES = times(25, (priority) => ({
  priority: priority + 1,
  transform: 'reveal',
  permissions: ['token:read'],
  conditions: times(20, () => ({ attribute: 'id', operator: 'starts_with', value: `${'x'.repeat(397)}y` })),
}));

const PAGE = times(100, (at) => `${'x'.repeat(397)}${String(at).padStart(3, '0')}`);

/** Masks that are dear to compile, and to read again. */
const MASKS = times(STORED_PROXY_LIMITS.transforms, (at) => ({
  type: 'mask',
  matcher: 'regex',
  expression: `(?i)a${String(at)}${'[B-\\x{7A0F}]'.repeat(15)}!`,
  replacement: 'x',
}));

const aProxy = (at: number) => ({
  name: `hostile ${String(at)}`,
  destination_url: 'https://example.com/',
  response_transforms: MASKS,
});

/** Requests that are dear by a limit that others have used up: conditions, proxies, masks. */
export async function limitRequests(callers: Callers, size: number): Promise<readonly HostileRequest[]> {
  const { manage, management, key, publicClient, client, plant } = callers;
  const nonceOf = () =>
    publicClient<{ readonly session_key: string; readonly nonce: string }>('POST', '/sessions');
  const session = await nonceOf();
  await client('POST', '/sessions/authorize', { nonce: session.nonce, rules: RULES });
  for (const id of PAGE) await plant(JSON.stringify({ type: 'token', id, data: 'a' }));
  const list = (query: string) =>
    anEvent({ method: 'GET', path: '/tokens', key: session.session_key, query });
  const authorize = (body: object) => anEvent({ method: 'POST', path: '/sessions/authorize', key, body });
  const proxies = (query: string) => anEvent({ method: 'GET', path: '/proxies', key: management, query });
  const create = (body: object) => anEvent({ method: 'POST', path: '/proxies', key: management, body });
  const many = async () => {
    const { pagination } = await manage<{ readonly pagination: { readonly total_items: number } }>(
      'GET',
      '/proxies?size=1',
    );
    for (let at = pagination.total_items; at < size; at += 1) await manage('POST', '/proxies', aProxy(at));
  };
  return [
    {
      route: 'GET /tokens',
      folder: 'tokens',
      what: 'a session with 500 conditions, a page of 100',
      warmUp: list('size=1'),
      event: () => list('size=100'),
    },
    {
      route: 'POST /sessions/authorize',
      folder: 'applications',
      what: '500 conditions',
      warmUp: authorize({ nonce: 'a', rules: [] }),
      event: async () => authorize({ nonce: (await nonceOf()).nonce, rules: RULES }),
    },
    {
      route: 'POST /proxies',
      folder: 'proxies',
      what: 'twenty dear masks',
      warmUp: create({ name: 'a' }),
      event: () => create(aProxy(0)),
    },
    {
      route: 'GET /proxies',
      folder: 'proxies',
      what: `${String(size)} proxies of twenty dear masks`,
      warmUp: proxies('size=1'),
      event: async () => {
        await many();
        return proxies('size=100&name=*9*');
      },
    },
  ];
}
