import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import type { GatewayExtension } from '../../packages/local-aws/src/cloud.ts';
import type { GatewayPage } from '../../packages/local-aws/src/gateway/gateway-responses.ts';
import { createBuiltPages } from './built-pages.ts';
import { ROOT } from './local-app.ts';
import { encoded, fileAnswer, type PageAnswer } from './page-server.ts';

const PREFIX = '/docs';
/** A path that cannot lead out of the folder. Names of pages have no other characters. */
const FILE = /^(?:\/(?!\.)[\w.~-]+)*\/?$/;
const WAIT_SECONDS = 2;
/** A site that is built already is found within this time. */
const AT_ONCE_MS = 1_500;
/** Several tabs that wait for a build which fails start one more, not one each. */
const RETRY_AFTER_MS = 5_000;

const SAFE = { 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' };

const notice = (head: string, title: string, words: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Cloakroom: documentation</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    ${head}
    <link rel="icon" href="data:," />
    <style>
      body { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 30rem; padding: 0 1rem; color: CanvasText; background: Canvas; }
    </style>
  </head>
  <body>
    <h1>${title}</h1>
    <p>${words}</p>
    <p>The same pages are in the folder <code>docs/</code> of the repository.</p>
  </body>
</html>
`;

const WAITING = notice(
  `<meta http-equiv="refresh" content="${String(WAIT_SECONDS)}" />`,
  'The documentation is being built',
  'This takes about 15 seconds, once for each version of the pages. This page then shows it.',
);
const FAILED = notice(
  '',
  'The documentation was not built',
  'The terminal of <code>npm start</code> says why. Reload this page to try again.',
);

const isForPeople = ({ accept = '' }: IncomingHttpHeaders): boolean => accept.includes('text/html');

/** A file, compressed if the browser accepts that. */
async function pageOf(answer: PageAnswer, headers: IncomingHttpHeaders): Promise<GatewayPage> {
  const { status, type, isImmutable = false } = answer;
  const cache = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
  const { body, headers: coding } = await encoded(answer, headers['accept-encoding']?.toString() ?? '');
  return { status, headers: { 'content-type': type, 'cache-control': cache, ...SAFE, ...coding }, body };
}

const html = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): GatewayPage => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...SAFE, ...headers },
  body,
});

/**
 * The documentation at `/docs`, on the address of an API without such a path: the site that
 * `tools/build-docs.ts` builds into `directory` at the first request. `/docs/openapi.json` needs no
 * build.
 */
export function createDocsSite(
  directory: string,
  log: (line: string) => void,
): Required<GatewayExtension>['pages'] {
  const build = createBuiltPages('tools/build-docs.ts', directory, ['--base', PREFIX, '--api', '/']);
  let state: 'absent' | 'building' | 'built' | 'failed' = 'absent';
  const isBuilt = () => state === 'built';
  const isFailed = () => state === 'failed';
  let failedAt = 0;

  /** Resolves at the end of the build, which may have failed, or after a moment. */
  async function buildBriefly(): Promise<void> {
    state = 'building';
    const end = build().then(
      () => (state = 'built'),
      (error: unknown) => {
        state = 'failed';
        failedAt = Date.now();
        log(`the documentation: ${errorMessage(error)}`);
      },
    );
    await Promise.race([end, sleep(AT_ONCE_MS, undefined, { ref: false })]);
  }

  async function file(name: string, headers: IncomingHttpHeaders): Promise<GatewayPage | undefined> {
    const isFolder = name.endsWith('/');
    const found = await fileAnswer(directory, isFolder ? `${name}index.html` : name);
    if (found.status === 200) return pageOf(found, headers);
    const page = isFolder ? undefined : await fileAnswer(directory, `${name}/index.html`);
    if (page?.status === 200) return { status: 308, headers: { location: `${PREFIX}${name}/` }, body: '' };
    if (!isForPeople(headers)) return undefined;
    const missing = await fileAnswer(directory, '/404.html');
    // The folder was removed, and the next visit builds it.
    if (missing.status !== 200) state = 'absent';
    return pageOf({ ...missing, status: 404 }, headers);
  }

  return async (path, headers) => {
    if (path === PREFIX) return { status: 308, headers: { location: `${PREFIX}/` }, body: '' };
    if (!path.startsWith(`${PREFIX}/`)) return undefined;
    const name = path.slice(PREFIX.length);
    if (!FILE.test(name)) return undefined;
    if (name === '/openapi.json')
      return pageOf(
        { status: 200, type: 'application/json', body: await readFile(join(ROOT, 'docs/openapi.json')) },
        headers,
      );
    // A client of the API that mistook the path gets its 404, and starts no build.
    const mayBuild = state === 'absent' || (state === 'failed' && Date.now() - failedAt > RETRY_AFTER_MS);
    if (mayBuild && isForPeople(headers)) await buildBriefly();
    if (isBuilt()) return file(name, headers);
    if (!isForPeople(headers)) return undefined;
    if (isFailed()) return html(503, FAILED);
    return html(503, WAITING, { 'retry-after': String(WAIT_SECONDS) });
  };
}
