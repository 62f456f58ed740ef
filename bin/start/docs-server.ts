import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { createBuiltPages } from './built-pages.ts';
import { ROOT, WORK_DIRECTORY } from './local-app.ts';
import {
  fileAnswer,
  isGet,
  NO_FILE,
  NOT_GET,
  startPageServer,
  type PageAnswer,
  type PageServer,
} from './page-server.ts';

export interface DocsServerOptions {
  /** The preferred port; another one if it is in use, and any if it is 0. */
  readonly port: number;
  /** "Try it" calls this address alone. */
  readonly apiUrl: string;
  readonly log: (line: string) => void;
}

/** A path that cannot lead out of the folder. Names of pages have no other characters. */
export const PAGE_PATH = /^(?:\/(?!\.)[\w.~-]+)*\/?$/;

/** The site is built for this address, so that services at other ports share it. */
const BUILT_FOR = 'https://api.invalid';

/** Builds the site, as arguments of Node: the program, its folder and its options. */
export const DOCS_BUILD = {
  program: 'tools/build-docs.ts',
  directory: join(WORK_DIRECTORY, 'docs'),
  options: ['--api', BUILT_FOR],
} as const;

const WAIT_SECONDS = 2;
/** A site that is built already is found within this time. */
const AT_ONCE_MS = 1_500;
/** Several tabs that wait for a build which fails start one more, not one each. */
const RETRY_AFTER_MS = 5_000;

const HEADERS = { 'X-Frame-Options': 'DENY', 'X-Content-Type-Options': 'nosniff' };

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

const html = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): PageAnswer => ({
  status,
  type: 'text/html; charset=utf-8',
  body,
  headers,
});

/** Builds the site once, and again after a failure. */
function createBuild(log: (line: string) => void) {
  const { program, directory, options } = DOCS_BUILD;
  const build = createBuiltPages(program, directory, ...options);
  let state: 'absent' | 'building' | 'built' | 'failed' = 'absent';
  let failedAt = 0;
  return {
    state: () => state,
    forget: () => void (state = 'absent'),
    /** Resolves at the end of the build, which may have failed, or after a moment. */
    async start(): Promise<void> {
      if (state !== 'absent' && (state !== 'failed' || performance.now() - failedAt <= RETRY_AFTER_MS))
        return;
      state = 'building';
      const end = build().then(
        () => (state = 'built'),
        (error: unknown) => {
          state = 'failed';
          failedAt = performance.now();
          log(`the documentation: ${errorMessage(error)}`);
        },
      );
      await Promise.race([end, sleep(AT_ONCE_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * Serves the documentation on an origin of its own: the site that an installation has built, or
 * that the first request builds if the sources are others. `/openapi.json` needs no build.
 */
export async function startDocs({ port, apiUrl, log }: DocsServerOptions): Promise<PageServer> {
  const { directory } = DOCS_BUILD;
  const build = createBuild(log);

  /** A page may call the API of this service, which its policy and its forms name. */
  const ofThisService = (page: PageAnswer): PageAnswer =>
    page.type.startsWith('text/html')
      ? { ...page, body: page.body.toString().replaceAll(BUILT_FOR, apiUrl) }
      : page;

  async function file(name: string): Promise<PageAnswer> {
    const isFolder = name.endsWith('/');
    const found = await fileAnswer(directory, isFolder ? `${name}index.html` : name);
    if (found.status === 200) return ofThisService(found);
    const page = isFolder ? NO_FILE : await fileAnswer(directory, `${name}/index.html`);
    if (page.status === 200) return { ...NO_FILE, status: 308, body: '', headers: { Location: `${name}/` } };
    const missing = await fileAnswer(directory, '/404.html');
    // The folder was removed, and the next visit builds it.
    if (missing.status !== 200) build.forget();
    return { ...ofThisService(missing), status: 404 };
  }

  return startPageServer({
    name: 'the documentation',
    port,
    headers: HEADERS,
    log,
    async answer(request, path) {
      if (!isGet(request)) return NOT_GET;
      if (!PAGE_PATH.test(path)) return NO_FILE;
      if (path === '/openapi.json') return fileAnswer(join(ROOT, 'docs'), path);
      await build.start();
      if (build.state() === 'built') return file(path);
      if (build.state() === 'failed')
        return html(503, FAILED, { 'Retry-After': String(RETRY_AFTER_MS / 1000) });
      return html(503, WAITING, { 'Retry-After': String(WAIT_SECONDS) });
    },
  });
}
