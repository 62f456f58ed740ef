import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { consoleHeaders } from '../../console/headers.ts';
import { readBody } from '../../packages/local-aws/src/read-body.ts';
import { createBuiltAssets } from './built-assets.ts';
import {
  fileAnswer,
  isGet,
  NO_FILE,
  NOT_GET,
  startPageServer,
  textAnswer as text,
  type PageAnswer,
} from './page-server.ts';
import type { OutputLine } from './reactor-output.ts';
import { createSignInCode, isSameSecret } from './sign-in-code.ts';

export interface ConsoleOptions {
  /** The preferred port; another one if it is in use, and any if it is 0. */
  readonly port: number;
  /** The console calls the API here. */
  readonly apiUrl: string;
  readonly headerPrefix: string;
  readonly managementKey: string;
  /** Reports the state of the local account (docs/local.md#health). */
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

const FILE = /^\/(?:(?:assets\/)?[\w-]+\.(?:css|js|html|md))$/;
const OUTPUT = /^\/_local\/reactors\/([\da-f-]{36})\/output$/;
const MAX_BODY_BYTES = 1_000;
const NO_KEY = 'Only the management key of the credentials file sees what this machine knows.\n';

const json = (value: unknown): PageAnswer => ({
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

/**
 * Serves the console on an origin of its own: its files, and below `/_local` what only this machine
 * knows, for the holder of the management key.
 */
export async function startConsole(options: ConsoleOptions): Promise<ConsoleServer> {
  const { apiUrl, headerPrefix, managementKey, health, reactorOutput, onSignedIn, log } = options;
  const files = createBuiltAssets('console');
  const code = createSignInCode();
  let url = '';
  const codeFragment = () => `#code=${code.current()}`;

  async function file(path: string): Promise<PageAnswer> {
    const name = path === '/' ? '/index.html' : path;
    if (!FILE.test(name)) return NO_FILE;
    return fileAnswer(await files(), name);
  }

  function signIn(body: Buffer | undefined): PageAnswer {
    if (!code.take(codeIn(body))) return text(403, 'The code was used, or is wrong.\n');
    onSignedIn(url + codeFragment());
    return json({ key: managementKey });
  }

  async function local(path: string, query: URLSearchParams, key: unknown): Promise<PageAnswer> {
    if (typeof key !== 'string' || !isSameSecret(key, managementKey)) return text(401, NO_KEY);
    if (path === '/_local/health') return json(await health());
    const reactorId = OUTPUT.exec(path)?.[1];
    if (reactorId === undefined) return text(404, 'There is no such path.\n');
    return json({ lines: reactorOutput(reactorId, Number(query.get('after') ?? 0)) });
  }

  async function answer(request: IncomingMessage, path: string, query: string): Promise<PageAnswer> {
    if (path.startsWith('/_local/')) {
      if (isFromElsewhere(request.headers)) return text(403, 'Another origin may not call this.\n');
      if (path === '/_local/sign-in' && request.method === 'POST')
        return signIn(await readBody(request, MAX_BODY_BYTES));
      const key = request.headers[`${headerPrefix.toLowerCase()}-api-key`];
      return local(path, new URLSearchParams(query), key);
    }
    if (!isGet(request)) return NOT_GET;
    if (path === '/config.json')
      return json({
        api_url: apiUrl,
        header_prefix: headerPrefix,
        local: true,
        // The API redirects this path to the site.
        docs_url: `${apiUrl}/docs/`,
      });
    return file(path);
  }

  const headers = consoleHeaders(apiUrl);
  const server = await startPageServer({ name: 'the console', port: options.port, headers, answer, log });
  url = `http://localhost:${String(server.port)}/`;
  return { url, codeFragment, close: () => server.close() };
}
