import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { consoleHeaders } from '../../console/headers.ts';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { listenOnLocalhost } from '../../packages/local-aws/src/gateway/listen.ts';
import { foreignHostResponse, isLoopbackHost } from '../../packages/local-aws/src/loopback-host.ts';
import { readBody } from '../../packages/local-aws/src/read-body.ts';
import { createBuiltPages } from './built-pages.ts';
import { WORK_DIRECTORY } from './local-app.ts';
import type { OutputLine } from './reactor-output.ts';
import { createSignInCode, isSameSecret } from './sign-in-code.ts';

export interface ConsoleOptions {
  /** The preferred port; another one if it is in use, and any if it is 0. */
  readonly port: number;
  /** The console calls the API here. */
  readonly apiUrl: string;
  readonly headerPrefix: string;
  readonly managementKey: string;
  /** What the local account says of itself (docs/local.md#health). */
  readonly health: () => Promise<unknown>;
  readonly reactorOutput: (reactorId: string, after: number) => readonly OutputLine[];
  /** Called with the next address that signs in, each time that one was used. */
  readonly onSignedIn: (nextUrl: string) => void;
  readonly log: (line: string) => void;
}

export interface ConsoleServer {
  /** Such as `http://localhost:8788/`. */
  readonly url: string;
  /** The fragment that signs in once, such as `#code=...`. */
  readonly codeFragment: () => string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly isImmutable?: true;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
};

const FILE = /^\/(?:(?:assets\/)?[\w-]+\.(?:css|js|html|md))$/;
const OUTPUT = /^\/_local\/reactors\/([\da-f-]{36})\/output$/;
const MAX_BODY_BYTES = 1_000;
const NO_KEY = 'Only the management key of the credentials file sees what this machine knows.\n';

const text = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });
const json = (value: unknown): Answer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
});

/**
 * Whether a page of another origin sends the request: a browser says so in `Origin` or in
 * `Sec-Fetch-Site`. Other programs send neither.
 */
function isFromElsewhere({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (origin !== undefined && origin !== `http://${host ?? ''}`) return true;
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function codeIn(body: Buffer | undefined): string {
  try {
    const parsed: unknown = JSON.parse(body?.toString('utf8') ?? '');
    const isCode = typeof parsed === 'object' && parsed !== null && 'code' in parsed;
    return isCode && typeof parsed.code === 'string' ? parsed.code : '';
  } catch {
    return '';
  }
}

/** Listens on the preferred port, or on a free one if another program has it. */
async function listenNear(server: Parameters<typeof listenOnLocalhost>[0], port: number) {
  try {
    return await listenOnLocalhost(server, port);
  } catch (error) {
    if (port === 0 || !errorMessage(error).includes('in use')) throw error;
    return await listenOnLocalhost(server, 0);
  }
}

/**
 * Serves the console on an origin of its own: its files, and below `/_local` what only this machine
 * knows, for the holder of the management key.
 */
export async function startConsole(options: ConsoleOptions): Promise<ConsoleServer> {
  const { apiUrl, headerPrefix, managementKey, health, reactorOutput, onSignedIn, log } = options;
  const directory = join(WORK_DIRECTORY, 'console');
  const build = createBuiltPages('tools/build-console.ts', directory);
  const code = createSignInCode();
  const headers = consoleHeaders(apiUrl);
  let url = '';
  const codeFragment = () => `#code=${code.current()}`;

  async function file(path: string): Promise<Answer> {
    const name = path === '/' ? '/index.html' : path;
    if (!FILE.test(name)) return text(404, 'There is no such file.\n');
    await build();
    const body = await readFile(join(directory, name)).catch(() => undefined);
    if (body === undefined) return text(404, 'There is no such file.\n');
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    return { status: 200, type, body, ...(name.startsWith('/assets/') && { isImmutable: true }) };
  }

  function signIn(body: Buffer | undefined): Answer {
    if (!code.take(codeIn(body))) return text(403, 'The code was used, or is wrong.\n');
    onSignedIn(url + codeFragment());
    return json({ key: managementKey });
  }

  async function local(path: string, query: URLSearchParams, key: unknown): Promise<Answer> {
    if (typeof key !== 'string' || !isSameSecret(key, managementKey)) return text(401, NO_KEY);
    if (path === '/_local/health') return json(await health());
    const reactorId = OUTPUT.exec(path)?.[1];
    if (reactorId === undefined) return text(404, 'There is no such path.\n');
    return json({ lines: reactorOutput(reactorId, Number(query.get('after') ?? 0)) });
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const [pathname = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s, 2);
    if (!isLoopbackHost(request.headers.host))
      return text(foreignHostResponse.status, foreignHostResponse.body);
    if (pathname.startsWith('/_local/')) {
      if (isFromElsewhere(request.headers)) return text(403, 'Another origin may not call this.\n');
      if (pathname === '/_local/sign-in' && request.method === 'POST')
        return signIn(await readBody(request, MAX_BODY_BYTES));
      return local(
        pathname,
        new URLSearchParams(query),
        request.headers[`${headerPrefix.toLowerCase()}-api-key`],
      );
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'Only GET is possible.\n');
    if (pathname === '/config.json')
      return json({ api_url: apiUrl, header_prefix: headerPrefix, local: true });
    return file(pathname);
  }

  const listening = await listenNear(
    () =>
      createServer((request, response) => {
        answer(request)
          .catch((error: unknown): Answer => {
            log(`the console: ${errorMessage(error)}`);
            return text(503, 'The console cannot be built: see the log of npm start.\n');
          })
          .then(({ status, type, body, isImmutable }) => {
            const cache = isImmutable === true ? 'public, max-age=31536000, immutable' : 'no-store';
            response.writeHead(status, { ...headers, 'Content-Type': type, 'Cache-Control': cache });
            response.end(request.method === 'HEAD' ? undefined : body);
          })
          // A browser that left needs no answer.
          .catch(() => response.destroy());
      }),
    options.port,
  );
  url = `http://localhost:${String(listening.port)}/`;
  return { url, codeFragment, close: () => listening.close() };
}
