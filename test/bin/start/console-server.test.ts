import { request } from 'node:http';
import { startConsole, type ConsoleServer } from '../../../bin/start/console-server.ts';

const KEY = 'key_management_of_this_machine';
const REACTOR = '01a21d0c-b864-71fa-9d76-bc9cbffaf6eb';

let server: ConsoleServer;
let signedIn: string[];

beforeEach(async () => {
  signedIn = [];
  server = await startConsole({
    port: 0,
    apiUrl: 'http://localhost:8787',
    headerPrefix: 'SVC',
    managementKey: KEY,
    health: () => Promise.resolve({ functions: [] }),
    reactorOutput: (reactorId, after) => [{ number: after + 1, at: 'now', text: reactorId }],
    onSignedIn: (nextUrl) => signedIn.push(nextUrl),
    log: () => undefined,
  });
});

afterEach(() => server.close());

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends any header, also those that `fetch` sets itself. */
function ask(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const { port } = new URL(server.url);
  const sent = { 'Content-Type': 'application/json', Host: `localhost:${port}`, ...headers };
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, method, headers: sent }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      });
      call.on('error', reject);
      call.end(body);
    },
  );
}

const codeOf = (url: string): string => /#code=([\w-]{22})$/.exec(url)?.[1] ?? '';
const signIn = (code: string, headers = {}) =>
  ask('/_local/sign-in', { method: 'POST', headers, body: JSON.stringify({ code }) });

describe('the one-time code of the console', () => {
  it('returns the management key once, and then another code works', async () => {
    const code = codeOf(server.codeFragment());
    const first = await signIn(code);
    expect([first.status, JSON.parse(first.body)]).toEqual([200, { key: KEY }]);
    const second = await signIn(code);
    expect(second.status).toBe(403);
    expect(second.body).not.toContain(KEY);
    expect(signedIn).toEqual([server.url + server.codeFragment()]);
    expect((await signIn(codeOf(signedIn[0] ?? ''))).status).toBe(200);
  });

  it('is not returned by any page or path, and no other text works', async () => {
    const code = codeOf(server.codeFragment());
    for (const body of [
      '',
      '{',
      '{}',
      '[]',
      'null',
      '{"code":7}',
      JSON.stringify({ code: `${code}x` }),
      'x'.repeat(2_000),
    ])
      expect((await ask('/_local/sign-in', { method: 'POST', body })).status).toBe(403);
    expect((await ask('/config.json')).body).not.toContain(code);
    expect((await ask('/_local/sign-in')).status).toBe(401);
    expect(codeOf(server.codeFragment())).toBe(code);
  });

  it('is not spent by a page of another origin or of another host name', async () => {
    const code = codeOf(server.codeFragment());
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: 'http://localhost:8787', 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { Host: 'evil.example' },
    ])
      expect((await signIn(code, headers)).status).toBe(403);
    expect(
      (await signIn(code, { Origin: server.url.slice(0, -1), 'Sec-Fetch-Site': 'same-origin' })).status,
    ).toBe(200);
  });
});

describe('what only this machine knows', () => {
  const paths = ['/_local/health', `/_local/reactors/${REACTOR}/output`];

  it.each(paths)('is for the management key alone: %s', async (path) => {
    const wrong = [{}, { 'SVC-API-KEY': '' }, { 'SVC-API-KEY': `${KEY}x` }, { Authorization: KEY }];
    for (const headers of wrong) expect((await ask(path, { headers })).status).toBe(401);
    expect((await ask(path, { headers: { 'SVC-API-KEY': KEY } })).status).toBe(200);
  });

  it.each(paths)('is not for pages of other origins, with the key or without it: %s', async (path) => {
    const headers = { 'SVC-API-KEY': KEY, Origin: 'http://localhost:8787' };
    const { status, headers: sent } = await ask(path, { headers });
    expect(status).toBe(403);
    expect(Object.keys(sent).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await ask(path, { method: 'OPTIONS', headers })).status).toBe(403);
  });

  it('returns the lines of one reactor after a number', async () => {
    const { body } = await ask(`/_local/reactors/${REACTOR}/output?after=7`, {
      headers: { 'SVC-API-KEY': KEY },
    });
    expect(JSON.parse(body)).toEqual({ lines: [{ number: 8, at: 'now', text: REACTOR }] });
    expect((await ask('/_local/reactors/../output', { headers: { 'SVC-API-KEY': KEY } })).status).toBe(404);
  });
});

describe('the files of the console', () => {
  it('are none outside its folder', async () => {
    for (const path of [
      '/../package.json',
      '/%2e%2e/package.json',
      '/assets/../../index.js',
      '/.local',
      '/config.js%00.json',
    ])
      expect((await ask(path)).status).toBe(404);
    expect((await ask('/', { method: 'DELETE' })).status).toBe(405);
  });

  it('have a policy on every response, also of a refusal', async () => {
    for (const path of ['/config.json', '/nothing', '/_local/health']) {
      const { headers } = await ask(path);
      expect(headers['content-security-policy']).toContain(`connect-src 'self' http://localhost:8787`);
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['cache-control']).toBe('no-store');
    }
  });
});

it('takes another port if the preferred one is in use', async () => {
  const { port } = new URL(server.url);
  const other = await startConsole({
    port: Number(port),
    apiUrl: 'http://localhost:8787',
    headerPrefix: 'SVC',
    managementKey: KEY,
    health: () => Promise.resolve({}),
    reactorOutput: () => [],
    onSignedIn: () => undefined,
    log: () => undefined,
  });
  expect(new URL(other.url).port).not.toBe(port);
  await other.close();
});
