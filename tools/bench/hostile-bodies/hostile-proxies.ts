import type { StrictClient } from '../../../test/support/http-client.ts';
import { STORED_PROXY_LIMITS } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { anEvent } from '../an-event.ts';
import {
  BODY_MAX_BYTES,
  DEAREST,
  member,
  requestsOf,
  valuesOf,
  WHOLE,
  type BodyRoute,
  type HostileRequest,
} from './body-route.ts';

/** The destination returns the body that it gets at this path (tools/bench/hostile-bodies.ts). */
export const ECHO = 'echo';

/** A stored proxy whose changes are measured. */
export interface HostileProxy {
  readonly id: string;
  readonly keyId: string;
  readonly management: string;
}

const proxy = '"name":"hostile","destination_url":"https://example.com/"';
const MEMBERS = ['paths', 'methods', 'configuration', 'request_transforms', 'source_addresses'] as const;
const transform = (type: string, name: string) => ({
  name: `${type}.${name}`,
  before: `{${proxy},"request_transforms":[{"type":"${type}","location":"$.a","${name}":`,
  after: '}]}',
});

/** The routes that change stored proxies. */
export function proxyRoutes({ id, keyId, management: key }: HostileProxy): readonly BodyRoute[] {
  const whole = [
    WHOLE,
    ...MEMBERS.map((name) => member(name, proxy)),
    transform('append_json', 'value'),
    transform('tokenize', 'token'),
  ];
  const routes = [
    { method: 'POST', pattern: '/proxies', places: whole },
    { method: 'PUT', pattern: '/proxies/{id}', places: whole },
    { method: 'PATCH', pattern: '/proxies/{id}', places: [WHOLE, ...MEMBERS.map((name) => member(name))] },
    {
      method: 'POST',
      pattern: '/proxies/{id}/revert',
      places: [WHOLE, member('configuration', '"version":1')],
    },
    { method: 'POST', pattern: '/proxies/{id}/keys', places: [WHOLE, member('source_addresses')] },
    { method: 'PATCH', pattern: '/proxies/{id}/keys/{key_id}', places: [WHOLE, member('source_addresses')] },
  ];
  return routes.map(({ method, pattern, places }) => ({
    folder: 'proxies' as const,
    method,
    pattern,
    path: pattern.replace('{id}', id).replace('{key_id}', keyId),
    key,
    values: 'few' as const,
    places,
  }));
}

const TIMES = Array.from({ length: STORED_PROXY_LIMITS.transforms }, (_, at) => at);
/** The slowest search that was found: many alternatives at each character. */
const SLOW_EXPRESSION = '(?i)[\\pL]{300}!';

const appends = TIMES.map((at) => ({ type: 'append_json', location: `$.m${String(at)}`, value: at }));
const masks = (more: object) => TIMES.map(() => ({ type: 'mask', replacement: 'x', ...more }));
const SECRETS = Object.fromEntries(
  Array.from({ length: STORED_PROXY_LIMITS.configuration }, (_, at) => [
    `A${String(at)}`,
    `0000000000${String(at).padStart(6, '0')}`,
  ]),
);

/** Proxies that have as many transforms as possible, each as expensive as possible. */
const proxiesWith = (reactorId: string): Readonly<Record<string, object>> => ({
  'append_json on both ways': { request_transforms: appends, response_transforms: appends },
  'masks of a location': { response_transforms: masks({ location: '$.a[99999]' }) },
  'masks of card numbers': { response_transforms: masks({ matcher: 'card_number' }) },
  'masks by regex': { response_transforms: masks({ matcher: 'regex', expression: SLOW_EXPRESSION }) },
  'masks by a short regex': { response_transforms: masks({ matcher: 'regex', expression: 'a+!' }) },
  'tokenize many': {
    request_transforms: TIMES.map((at) => ({
      type: 'tokenize',
      location: `$.a[${String(at)}]`,
      token: { type: 'token' },
    })),
  },
  tokenize: {
    request_transforms: [{ type: 'tokenize', location: '$.a', token: { type: 'token' } }],
    response_transforms: [{ type: 'tokenize', location: '$.a', token: { type: 'token' } }],
  },
  'similar secrets': { configuration: SECRETS },
  'similar secrets and transforms': { configuration: SECRETS, response_transforms: appends },
  reactors: { request_transforms: TIMES.map(() => ({ type: 'reactor', reactor_id: reactorId })) },
});

/** Texts that are expensive for searches. */
const TEXTS = [
  { name: 'letters', text: (bytes: number) => `"${'a'.repeat(bytes - 2)}"` },
  { name: 'digits', text: (bytes: number) => `"${'0'.repeat(bytes - 2)}"` },
  { name: 'almost secrets', text: (bytes: number) => `"${'000000000000001 '.repeat((bytes - 2) / 16)}"` },
  { name: 'card numbers', text: (bytes: number) => `"${'4242424242424242,'.repeat((bytes - 2) / 17)}"` },
];

interface Callers {
  readonly manage: StrictClient;
  /** The key of the application that calls the proxies. */
  readonly key: string;
  readonly reactorId: string;
}

/** Bytes of a body that also fits into a reactor, with what belongs to the message. */
const CALL_BYTES = { usual: BODY_MAX_BYTES - 1_000, reactors: 4_990_000 };

/** Makes stored proxies with the dearest transforms, and calls with the dearest bodies. */
export async function storedCalls(
  { manage, key, reactorId }: Callers,
  destination: string,
): Promise<readonly HostileRequest[]> {
  const made = await Promise.all(
    Object.entries(proxiesWith(reactorId)).map(async ([name, more]) => ({
      name,
      ...(await manage<{ readonly key: string }>('POST', '/proxies', {
        name,
        destination_url: `${destination}${ECHO}`,
        ...more,
      })),
    })),
  );
  return made.flatMap(({ name, key: proxyKey }) => {
    const event = (body: string) => ({
      ...anEvent({ method: 'POST', path: '/proxy', key, headers: { 'svc-proxy-key': proxyKey } }),
      body,
    });
    const bytes = name === 'reactors' ? CALL_BYTES.reactors : CALL_BYTES.usual;
    const textOf = (text: (bytes: number) => string) =>
      name === 'tokenize many'
        ? `[${TIMES.map(() => text(Math.floor(bytes / TIMES.length) - 1)).join()}]`
        : text(bytes);
    return [...valuesOf(DEAREST), ...TEXTS].map((value): HostileRequest => ({
      route: 'POST /proxy',
      folder: 'proxy',
      what: `${name}: ${value.name}`,
      warmUp: event('{"a":{}}'),
      event: () => event(`{"hostile":true,"a":${textOf(value.text)}}`),
      payload: () =>
        `{"outcome":"returned","value":{"raw":{"body":{"hostile":true,"b":0,"a":${textOf(value.text)}}}}}`,
    }));
  });
}

/** The requests that change stored proxies. */
export const proxyRequests = (hostile: HostileProxy): readonly HostileRequest[] =>
  proxyRoutes(hostile).flatMap(requestsOf);
