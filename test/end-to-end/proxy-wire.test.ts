// Tests what a caller of the proxy cannot see: connections, certificates and bytes that no HTTP
// server sends. test/interface/proxy.test.ts has the rest.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import {
  startDestination,
  testCertificate,
  type Responder,
  type TestDestination,
} from '../support/destination.ts';
import { headerOf, hostileUrlsOn } from '../support/hostile-addresses.ts';
import { needing } from '../support/needing.ts';
import { untilTrue } from '../../packages/test-kit/src/until.ts';
import {
  anApplication,
  credentials,
  management,
  openDestination,
  type Answer as ApiResponse,
  type HttpClient,
} from '../support/service.ts';
import { IS_THOROUGH } from '../../packages/test-kit/src/thoroughness.ts';

const { describe } = needing('openssl');

let app: HttpClient & { readonly key: string };
let destination: TestDestination;
const base = () => `https://localhost:${String(destination.port)}`;
const to = (url: string) => app.get('/proxy', { headers: { 'SVC-PROXY-URL': url } });

const expectProblem = ({ status, body }: ApiResponse, expected: number) =>
  expect([status, body.proxy_error?.status]).toEqual([expected, expected]);

/** The service closes its connections; a machine may be late to tell the destination. */
const untilClosed = () => untilTrue(() => destination.connections.open === 0);

/** Sends each call so many times, and returns the statuses that the client sees at last. */
type Follow = (
  url: string,
  calls: readonly Readonly<Record<string, string>>[],
  times: number,
) => Promise<readonly number[]>;

const withFetch: Follow = async (url, calls, times) => {
  const statuses: number[] = [];
  for (const headers of calls)
    for (let sent = 0; sent < times; sent += 1)
      statuses.push((await fetch(url, { method: 'POST', headers, body: 'x', redirect: 'follow' })).status);
  return statuses;
};

const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;
const FOLLOW = `import json, sys, requests
url, calls, times = json.loads(sys.argv[1])
with requests.Session() as session:
    print(json.dumps([session.get(url, headers=h).status_code for h in calls for _ in range(times)]))`;

const withRequests: Follow = async (...args) => {
  const { stdout } = await promisify(execFile)('python3', ['-c', FOLLOW, JSON.stringify(args)]);
  return JSON.parse(stdout) as number[];
};

describe('the proxy', () => {
  beforeAll(async () => {
    destination = await openDestination();
    app = await anApplication({ permissions: ['token:use'] });
  });

  it('shows the client certificate of a stored proxy to the destination', async () => {
    const { keyFile, certFile } = testCertificate();
    const pem = readFileSync(certFile, 'utf8') + readFileSync(keyFile, 'utf8');
    const { body: proxy } = await management.post('/proxies', {
      name: 'x',
      destination_url: base(),
      configuration: { PEM: pem },
      client_certificate: 'PEM',
    });
    expect((await app.post('/proxy', {}, { headers: { 'SVC-PROXY-KEY': proxy.key } })).status).toBe(200);
  });

  it('returns 502 for a destination with an invalid certificate', async () => {
    const untrusted = await startDestination(testCertificate());
    expectProblem(await to(`https://localhost:${String(untrusted.port)}`), 502);
    expect(untrusted.received).toEqual([]);
    await untrusted.close();
  });

  it('returns 502 for a response that is not HTTP, and leaves no connection open', async () => {
    for (const respond of [
      (_received, response) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('x');
        setTimeout(() => response.destroy(), 50);
      },
      (_received, response) => response.socket?.end('garbage\r\n\r\n'),
      (_received, response) => response.socket?.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`),
      (_received, response) => response.end(Buffer.alloc(6_000_001)),
      (_received, response) => response.socket?.destroy(),
      (_received, response) =>
        response.socket?.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        ),
      (_received, response) => response.socket?.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
    ] satisfies Responder[]) {
      destination.respond = respond;
      expectProblem(await to(base()), 502);
    }
    await untilClosed();
  });

  // The usual run tests it with a shorter timeout: test/functions/proxy/slow-destination.test.ts.
  if (IS_THOROUGH)
    it('returns 408 for a destination that takes over 25 seconds, and leaves no connection open', async () => {
      destination.respond = (_received, response) => {
        const drip = setInterval(() => response.write('x'), 1_000);
        response.on('close', () => clearInterval(drip));
      };
      expectProblem(await to(base()), 408);
      await untilClosed();
    });

  it.each([
    ['fetch of Node', withFetch],
    ...(hasRequests ? [['requests of Python', withRequests] as const] : []),
  ] as const)('sends no client that follows redirects elsewhere: %s', async (_, follow) => {
    const { body: proxy } = await management.post('/proxies', { name: 'x', destination_url: base() });
    const elsewhere = await startDestination();
    const to = `http://localhost:${String(elsewhere.port)}/`;
    let status = 300;
    destination.respond = (_received, response) => {
      response.writeHead(
        status,
        [
          ['Location', to],
          ['LOCATION', to],
          ['refresh', `0; url=${to}`],
        ].flat(),
      );
      response.end();
      status = status === 399 ? 300 : status + 1;
    };
    const headers = { 'SVC-API-KEY': app.key };
    const calls = ['proxy-url', 'proxy-key'].map((name) => ({
      ...headers,
      [`SVC-${name}`]: name === 'proxy-url' ? base() : (proxy.key as string),
    }));
    const statuses = await follow(`${credentials.base_url}/proxy`, calls, 100);
    const all = Array.from({ length: 100 }, (_each, at) => 300 + at);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...all, ...all].toSorted((a, b) => a - b));
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it('connects to none of the addresses that are not public', async () => {
    const { made } = destination.connections;
    const urls = hostileUrlsOn(destination.port);
    for (const { status } of await Promise.all(urls.map((url) => to(headerOf(url)))))
      expect([400, 502]).toContain(status);
    expect(destination.connections.made).toBe(made);
    // The test itself can: the server would have seen it.
    await new Promise<void>((resolve, reject) => {
      const socket = connect(destination.port, 'localhost', () => socket.end(() => resolve()));
      socket.on('error', reject);
    });
  });
});
