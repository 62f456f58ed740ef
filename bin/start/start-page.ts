import { START } from './local-app.ts';
import { createHash } from 'node:crypto';
import { firstCalls, type Called } from './first-calls.ts';
import { isGet, NO_FILE, NOT_GET, startPageServer, type PageServer } from './page-server.ts';

/**
 * Hands the one-time code of the address that `npm start` prints on to the console. The code leaves
 * the address of this page, and no server sees a fragment.
 */
const SIGN_IN = `if (location.hash.startsWith('#code=')) { document.getElementById('console').href += location.hash; history.replaceState(null, '', location.pathname); }`;
const COPY = `for (const button of document.querySelectorAll('button')) button.onclick = () => navigator.clipboard.writeText(button.previousElementSibling.textContent).then(() => { button.textContent = 'Copied'; }, () => { button.textContent = 'Select the text'; });`;
const SCRIPT = `${SIGN_IN} ${COPY}`;
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
  const [application = '', card = '', read = ''] = firstCalls(called).map(
    (command) => `<div class="copied"><pre>${escaped(command)}</pre><button>Copy</button></div>`,
  );
  const docs = escaped(called.docsUrl);
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
      .copied { position: relative; }
      .copied pre { padding-inline-end: 5.5rem; }
      .copied button { position: absolute; top: .5rem; inset-inline-end: .5rem; }
      .open { background: #14594f; border-radius: 6px; color: #fff; display: inline-block; font-weight: 600; padding: .5rem 1rem; text-decoration: none; }
      @media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b; } pre { background: #2a2a2a; } a { color: #8ab4f8; } }
    </style>
  </head>
  <body>
    <h1>Cloakroom runs on this machine</h1>
    <p>The API is at <code>${escaped(called.baseUrl)}</code>. Cards, bank accounts and personal data go in; tokens come out.</p>
    <p><a class="open" id="console" href="${escaped(called.consoleUrl)}">Open the console</a></p>
    <p>It shows applications, rules, tokens, reactors and the audit trail. From the address that the start prints, it opens with the management key; otherwise paste a key.</p>
    <h2>Read</h2>
    <ul>
      <li><a href="${docs}/">Documentation</a>: guides with code to paste, concepts, and a search</li>
      <li><a href="${docs}/api/">The API</a>: every operation, to try in the page, with samples for curl, Node.js and Python</li>
      <li><a href="${docs}/guides/collect-a-card/">Card fields</a> for a page of yours, the <a href="${docs}/sdk/">SDK</a>, and <a href="${docs}/testing/">a vault for your tests</a></li>
      <li><a href="${docs}/openapi.json">OpenAPI document</a>, for tools; <code>examples/</code> in the repository, to copy</li>
    </ul>
    <h2>Try it in a terminal</h2>
    <p>Create an application and store its key in a variable:</p>
    ${application}
    <p>Store a card and its token id in a variable:</p>
    ${card}
    <p>Read the token. This application sees the number masked:</p>
    ${read}
    <p>A vault with sample data, to look at in the console: <code>${START} --sample</code></p>
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
