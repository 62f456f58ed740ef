// The shop's server: the page's files, and one endpoint that lets a session read one token, masked.
// Needs Node.js 20.11, no package: `node server.js`.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fail, settings } from './settings.js';

const { serviceUrl: url, publicKey, privateKey, sdkFile, port } = await settings();
const serviceUrl = new URL(url).origin;

const file = (name) => readFileSync(join(import.meta.dirname, name), 'utf8');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const page = file('index.html')
  .replace('__SERVICE_URL__', () => escaped(serviceUrl))
  .replace('__PUBLIC_KEY__', () => escaped(publicKey));

/** Serves no other file of the folder. */
const FILES = {
  '/': ['text/html; charset=utf-8', page],
  '/style.css': ['text/css; charset=utf-8', file('style.css')],
  '/icon.svg': ['image/svg+xml', file('icon.svg')],
  '/collect-card.js': ['text/javascript; charset=utf-8', file('collect-card.js')],
  '/cloakroom.js': ['text/javascript; charset=utf-8', readFileSync(sdkFile, 'utf8')],
};

/** What the page may load and connect to. Every addition could read the card: see README.md. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  `connect-src 'self' ${serviceUrl}`,
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

/**
 * Lets one session read one token, masked. A shop checks here that the token belongs to its
 * customer: it has stored the id that the page sent, next to the signed-in customer.
 */
async function authorize(request) {
  // Browsers send JSON to another origin only after a preflight, which this server never accepts:
  // other sites cannot use a visitor's browser.
  if (request.headers['content-type'] !== 'application/json') return 415;
  const { nonce, token_id: tokenId } = (await bodyOf(request)) ?? {};
  if (typeof nonce !== 'string' || typeof tokenId !== 'string') return 400;
  const rule = {
    description: 'One card, masked',
    priority: 1,
    // The container too: this server's key may read only cards, and cannot grant more than it has.
    conditions: [
      { attribute: 'id', operator: 'equals', value: tokenId },
      { attribute: 'container', operator: 'starts_with', value: '/pci/' },
    ],
    transform: 'mask',
    permissions: ['token:read'],
  };
  const answer = await fetch(`${serviceUrl}/sessions/authorize`, {
    method: 'POST',
    headers: { 'SVC-API-KEY': privateKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ nonce, rules: [rule] }),
    signal: AbortSignal.timeout(10_000),
  });
  // The service's message is for the shop's log, not for the page.
  if (!answer.ok) console.error(`authorize: the service answered ${String(answer.status)}`);
  return answer.ok ? 204 : 502;
}

const server = createServer((request, response) => {
  const [pathname] = request.url.split('?');
  const [type, content] = (Object.hasOwn(FILES, pathname) && FILES[pathname]) || [];
  const answer = (status, headers = {}, body = '') =>
    response.writeHead(status, { ...HEADERS, ...headers }).end(body);
  if (request.method === 'POST' && pathname === '/authorize')
    authorize(request)
      .then((status) => answer(status))
      .catch(() => answer(502));
  else if (content === undefined || !['GET', 'HEAD'].includes(request.method)) answer(404);
  else answer(200, { 'Content-Type': type }, content);
});

server.on('error', (error) => fail(error.message)); // such as a port that is in use
server.listen(port, '127.0.0.1', () => {
  console.log(`The page is at http://127.0.0.1:${String(server.address().port)}`);
});
