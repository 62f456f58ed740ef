// The shop's server: the page's files, and one endpoint that keeps a token and returns its masked
// card.
// Needs Node.js 20.11, no package: `node server.js`.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fail, settings } from './settings.js';

const { serviceUrl: url, fieldsUrl: fieldsAddress, publicKey, privateKey, port } = await settings();
const serviceUrl = new URL(url).origin;
const fieldsUrl = new URL(fieldsAddress).origin;

const file = (name) => readFileSync(join(import.meta.dirname, name), 'utf8');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const page = file('index.html')
  .replace('__FIELDS_URL__', () => escaped(fieldsUrl))
  .replace('__SERVICE_URL__', () => escaped(serviceUrl))
  .replace('__PUBLIC_KEY__', () => escaped(publicKey));

/** Serves no other file of the folder. */
const FILES = {
  '/': ['text/html; charset=utf-8', page],
  '/style.css': ['text/css; charset=utf-8', file('style.css')],
  '/icon.svg': ['image/svg+xml', file('icon.svg')],
  '/checkout.js': ['text/javascript; charset=utf-8', file('checkout.js')],
};

/** The page may load and connect to these. It never calls the vault: the frames do. */
const POLICY = [
  "default-src 'none'",
  `script-src 'self' ${fieldsUrl}`,
  `frame-src ${fieldsUrl}`,
  // The library states the size of its frames by script, which no policy limits.
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

const LONGEST_BODY = 2_000;

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LONGEST_BODY) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The masked card of a token, or the status of a failure. */
async function maskedCard(tokenId) {
  const response = await fetch(`${serviceUrl}/tokens/${encodeURIComponent(tokenId)}`, {
    headers: { 'SVC-API-KEY': privateKey },
    signal: AbortSignal.timeout(10_000),
  });
  // The service's message is for the shop's log, not for the page.
  if (!response.ok) {
    console.error(`cards: the service returned ${String(response.status)}`);
    return { status: 502 };
  }
  const { type, data } = await response.json();
  if (type !== 'card' || data === undefined) return { status: 404 };
  const { number, expiration_month: month, expiration_year: year } = data;
  return { status: 200, body: { number, expiry: `${String(month).padStart(2, '0')} / ${String(year)}` } };
}

/**
 * Keeps the id of a token, and returns what the shop may show of the card. A shop stores the id
 * here, beside the customer who is signed in, and shows a customer no other token.
 */
async function keepCard(request) {
  // Browsers send JSON to another origin only after a preflight, which this server never accepts:
  // other sites cannot use a visitor's browser.
  if (request.headers['content-type'] !== 'application/json') return { status: 415 };
  const { token_id: tokenId } = (await bodyOf(request)) ?? {};
  if (typeof tokenId !== 'string') return { status: 400 };
  return await maskedCard(tokenId);
}

const server = createServer((request, response) => {
  const [pathname] = request.url.split('?');
  const [type, content] = (Object.hasOwn(FILES, pathname) && FILES[pathname]) || [];
  const answer = (status, headers = {}, body = '') =>
    response.writeHead(status, { ...HEADERS, ...headers }).end(body);
  if (request.method === 'POST' && pathname === '/cards')
    keepCard(request)
      .then(({ status, body }) =>
        answer(status, { 'Content-Type': 'application/json' }, JSON.stringify(body)),
      )
      .catch(() => answer(502));
  else if (content === undefined || !['GET', 'HEAD'].includes(request.method)) answer(404);
  else answer(200, { 'Content-Type': type }, content);
});

server.on('error', (error) => fail(error.message)); // such as a port that is in use
server.listen(port, '127.0.0.1', () => {
  console.log(`The page is at http://127.0.0.1:${String(server.address().port)}`);
});
