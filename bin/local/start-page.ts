import { createHash } from 'node:crypto';
import { firstCalls, type Called } from './first-calls.ts';
import { isGet, NO_FILE, NOT_GET, startPageServer, type PageServer } from './page-server.ts';

/**
 * Hands the one-time code of the address that `npm start` prints on to the console. The code leaves
 * the address of this page, and no server sees a fragment.
 */
const SCRIPT = `if (location.hash.startsWith('#code=')) { document.getElementById('console').href += location.hash; history.replaceState(null, '', location.pathname); }`;
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${String(character.charCodeAt(0))};`);

interface StartPage extends Called {
  readonly consoleUrl: string;
  readonly docsUrl: string;
}

/**
 * The start page of the local service: the console, links, and first calls to paste. It contains
 * no key and no code: a user who can open the port may not be allowed to read the credentials file.
 */
function startPage(called: StartPage): string {
  const [application = '', card = '', read = ''] = firstCalls(called).map(escaped);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Cloakroom on this machine</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'" />
    <link rel="icon" href="data:," />
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 46rem; padding: 0 1rem; color: #222; background: #fff; }
      pre { background: #f4f4f4; border-radius: 4px; padding: .75rem; white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
      a { color: #0645ad; }
      .open { background: #14594f; border-radius: 6px; color: #fff; display: inline-block; font-weight: 600; padding: .5rem 1rem; text-decoration: none; }
      @media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b; } pre { background: #2a2a2a; } a { color: #8ab4f8; } }
    </style>
  </head>
  <body>
    <h1>Cloakroom runs on this machine</h1>
    <p>The API is at <code>${escaped(called.baseUrl)}</code>. Cards, bank accounts and personal data go in; tokens come out.</p>
    <p><a class="open" id="console" href="${escaped(called.consoleUrl)}">Open the console</a></p>
    <p>It shows applications, rules, tokens, reactors and the audit trail. From the address that <code>npm start</code> prints, it opens with the management key; otherwise paste a key.</p>
    <h2>Read</h2>
    <ul>
      <li><a href="${escaped(called.docsUrl)}/">Reference</a>: every operation, with its parameters, responses and errors</li>
      <li><a href="${escaped(called.docsUrl)}/openapi.json">OpenAPI document</a>, for tools</li>
      <li><code>docs/api.md</code> and <code>examples/</code> in the repository: how to call it, with code to copy</li>
    </ul>
    <h2>Try it in a terminal</h2>
    <p>Create an application and store its key in a variable:</p>
    <pre>${application}</pre>
    <p>Store a card and its token id in a variable:</p>
    <pre>${card}</pre>
    <p>Read the token. This application sees the number masked:</p>
    <pre>${read}</pre>
    <p>A tour through everything else, in the terminal: <code>npm run demo</code></p>
    <script>${SCRIPT}</script>
  </body>
</html>
`;
}

const HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

/**
 * Serves the start page on an origin of its own, where nothing else is: its address may have the
 * code that signs in.
 */
export const startStartPage = (
  port: number,
  page: StartPage,
  log: (line: string) => void,
): Promise<PageServer> =>
  startPageServer({
    name: 'the start page',
    port,
    headers: HEADERS,
    log,
    answer(request, path) {
      if (!isGet(request)) return Promise.resolve(NOT_GET);
      const body = startPage(page);
      return Promise.resolve(
        path === '/' ? { status: 200, type: 'text/html; charset=utf-8', body } : NO_FILE,
      );
    },
  });
