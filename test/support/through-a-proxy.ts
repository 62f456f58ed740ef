// Stored proxies of the tests, and the destination that they call.
import type { TestDestination } from './destination.ts';
import { call, management, openDestination, type Body, type CallOptions } from './service.ts';

let destination: TestDestination | undefined;

export function server(): TestDestination {
  if (destination === undefined) throw new Error('no destination is open');
  return destination;
}

/** Lets the tests of a block call a destination, which echoes by default. */
export function serving(): void {
  beforeAll(async () => {
    destination = await openDestination();
  });
  beforeEach(() => {
    server().respond = ({ body }, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(body);
    };
  });
}

/** Below the destination; where there is none, an address that no test calls. */
export const url = (path = '/base') =>
  `https://${destination === undefined ? 'api.example.com' : `localhost:${String(destination.port)}`}${path}`;

/** Stores a proxy. */
export async function aProxy(members: object = {}): Promise<Body> {
  const { status, body } = await management.post('/proxies', {
    name: 'x',
    destination_url: url(),
    ...members,
  });
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ key: expect.stringMatching(/^key_proxy_/) }),
  ]);
  return body;
}

/** A call through a proxy, with what the destination received. */
export async function through(
  proxyKey: string,
  options: CallOptions & { key?: string; method?: string; path?: string } = {},
) {
  const { key, method = 'POST', path = '/proxy', headers, ...rest } = options;
  destination?.received.splice(0);
  const response = await call(key, method, path, {
    ...rest,
    headers: { 'SVC-PROXY-KEY': proxyKey, ...headers },
  });
  return { ...response, got: destination?.received[0] };
}

export const problemOf = ({ status, body }: { status: number; body: Body }) => [
  status,
  body.proxy_error?.code,
];
