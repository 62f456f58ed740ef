import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { brotliCompress, constants } from 'node:zlib';
import { promisify } from 'node:util';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { listenOnLocalhost } from '../../packages/local-aws/src/gateway/listen.ts';
import { foreignHostResponse, isLoopbackHost } from '../../packages/local-aws/src/loopback-host.ts';

/** A server of pages responds with it. */
export interface PageAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  /** The name of the file changes with its content. */
  readonly isImmutable?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PageServerOptions {
  /** Names the pages in messages, such as `the console`. */
  readonly name: string;
  /** The preferred port; another one if it is in use, and any if it is 0. */
  readonly port: number;
  /** Sent with every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: (request: IncomingMessage, path: string, query: string) => Promise<PageAnswer>;
  readonly log: (line: string) => void;
}

export interface PageServer {
  readonly port: number;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

const compressed = promisify(brotliCompress);
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export const textAnswer = (status: number, body: string): PageAnswer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body,
});

export const NOT_GET: PageAnswer = textAnswer(405, 'Only GET is possible.\n');
export const isGet = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

export const NO_FILE: PageAnswer = textAnswer(404, 'There is no such file.\n');

/** The file of a folder. The caller checks the name: it may lead out of the folder. */
export async function fileAnswer(folder: string, name: string): Promise<PageAnswer> {
  const body = await readFile(join(folder, name)).catch(() => undefined);
  if (body === undefined) return NO_FILE;
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  return { status: 200, type, body, isImmutable: /^\/(?:assets|_astro)\//.test(name) };
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

/** Compresses a page as CloudFront does, if the browser accepts that. */
async function encoded({ body, type }: PageAnswer, accepts: string) {
  const isText = /^(?:text\/|application\/json|image\/svg)/.test(type);
  if (!isText || !accepts.includes('br')) return { body, headers: {} };
  return {
    body: await compressed(body, QUICK),
    headers: { 'Content-Encoding': 'br', Vary: 'Accept-Encoding' },
  };
}

/** A server of pages on an origin of its own, which only this machine reaches. */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const { name, headers, answer, log } = options;

  async function answerTo(request: IncomingMessage): Promise<PageAnswer> {
    const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s, 2);
    if (!isLoopbackHost(request.headers.host))
      return textAnswer(foreignHostResponse.status, foreignHostResponse.body);
    return answer(request, path, query);
  }

  return listenNear(
    () =>
      createServer((request, response) => {
        answerTo(request)
          .catch((error: unknown): PageAnswer => {
            log(`${name}: ${errorMessage(error)}`);
            return textAnswer(503, `Building ${name} failed: see the log of npm start.\n`);
          })
          .then(async (answered) => {
            const cache = answered.isImmutable === true ? 'public, max-age=31536000, immutable' : 'no-store';
            const { body, headers: coding } = await encoded(
              answered,
              request.headers['accept-encoding']?.toString() ?? '',
            );
            const ofFile = { 'Content-Type': answered.type, 'Cache-Control': cache, ...coding };
            response.writeHead(answered.status, { ...headers, ...ofFile, ...answered.headers });
            response.end(request.method === 'HEAD' ? undefined : body);
          })
          // A browser that left needs no answer.
          .catch(() => response.destroy());
      }),
    options.port,
  );
}
