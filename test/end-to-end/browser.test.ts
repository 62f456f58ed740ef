import { whenTouched } from '../../packages/test-kit/src/which-runs.ts';
import { inBrowser, sdkModule } from '../support/browser.ts';
import { startChromium } from '../support/chromium.ts';
import { startDestination } from '../support/destination.ts';
import { needing } from '../support/needing.ts';
import {
  anApplication,
  aRevealingApplication,
  CARD,
  client,
  credentials,
  management,
  openDestination,
} from '../support/service.ts';

const { describe } = needing('Chromium');

whenTouched.describe('a page of another origin', () => {
  it('collects a card with a public key, and reads it with a session', async () => {
    const collecting = await anApplication({ type: 'public', permissions: ['token:create'] });
    const backend = await aRevealingApplication();
    const args = { baseUrl: credentials.base_url, publicKey: collecting.key, card: { ...CARD, cvc: '123' } };
    const collected = await inBrowser(
      `const post = (path, body) => fetch(args.baseUrl + path, { method: 'POST', headers: { 'SVC-API-KEY': args.publicKey, 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
       const token = await (await post('/tokens', { type: 'card', data: args.card })).json();
       const session = await (await post('/sessions')).json();
       return { token, session };`,
      args,
    );
    expect(collected.token.data).toEqual({ ...CARD, number: 'XXXXXXXXXXXX4242' });
    const { session_key: key, nonce } = collected.session;
    const rules = [
      {
        priority: 1,
        transform: 'reveal',
        permissions: ['token:read'],
        conditions: [{ attribute: 'id', operator: 'equals', value: collected.token.id }],
      },
    ];
    expect((await backend.post('/sessions/authorize', { nonce, rules })).status).toBe(200);
    const seen = await inBrowser(
      `const get = (path) => fetch(args.baseUrl + path, { headers: { 'SVC-API-KEY': args.key } });
       const read = await get('/tokens/' + args.id);
       return { origin: location.origin, traceId: read.headers.get('SVC-TRACE-ID'), data: (await read.json()).data, other: (await get('/tokens/other')).status };`,
      { baseUrl: credentials.base_url, key, id: collected.token.id },
    );
    expect(seen).toEqual({
      origin: expect.stringMatching(/^http:\/\/127/),
      traceId: expect.any(String),
      data: { ...CARD, cvc: '123' },
      other: 404,
    });
    expect(new URL(credentials.base_url).origin).not.toBe(seen.origin);
    expect((await client(key).delete(`/tokens/${collected.token.id}`)).status).toBe(403);
  });
});

describe('a link with the key of a stored proxy', () => {
  /** Acts in every way that a page can, and reports it elsewhere. */
  const hostile = (elsewhere: string) => ({
    headers: {
      'Content-Type': 'text/html',
      'Set-Cookie': 'sid=attacker; Path=/',
      'Service-Worker-Allowed': '/',
      'Content-Security-Policy': `default-src 'none'; report-uri ${elsewhere}csp`,
      'Content-Security-Policy-Report-Only': `default-src 'none'; report-uri ${elsewhere}csp`,
      Refresh: `0; url=${elsewhere}refresh`,
      'WWW-Authenticate': 'Basic realm="x"',
      Link: `<${elsewhere}link>; rel=preload; as=fetch`,
    },
    body: `<p id="seen">seen</p><img src="${elsewhere}img"><script>document.title = 'ran'; navigator.serviceWorker.register('sw.js')</script>`,
  });

  it('opens nothing that acts on the origin of the service', async () => {
    const destination = await openDestination();
    const elsewhere = await startDestination();
    const away = `http://localhost:${String(elsewhere.port)}/`;
    const { id } = await anApplication({ type: 'public', permissions: ['token:create'] });
    const { body: proxy } = await management.post('/proxies', {
      name: 'x',
      destination_url: `https://localhost:${String(destination.port)}`,
      require_auth: false,
      application: { id },
    });
    const { headers, body } = hostile(away);
    destination.respond = (_received, response) => response.writeHead(200, headers).end(body);
    elsewhere.respond = (_received, response) =>
      response.setHeader('Set-Cookie', 'shop=victim').setHeader('Content-Type', 'text/html').end('<p>away');
    const chromium = await startChromium();
    try {
      const tab = await chromium.newTab();
      // The cookies of a host are those of all its ports.
      await tab.open(away);
      elsewhere.received.splice(0);
      const { base_url: api } = credentials;
      const link = `${api}/proxy/page?svc-proxy-key=${proxy.key as string}`;
      await tab.open(link);
      expect(await tab.until(`document.getElementById('seen')?.textContent`)).toBe('seen');
      expect(await tab.evaluate('[document.title, location.href, origin]')).toEqual(['', link, 'null']);
      const { cookies } = await tab.send('Network.getCookies', { urls: [api] });
      expect(cookies.map(({ name }: { name: string }) => name)).toEqual(['shop']);
      expect(destination.received.map(({ headers: sent }) => [sent.cookie, sent.referer])).toEqual([
        [undefined, undefined],
      ]);
      await tab.until('document.images[0]?.complete');
      await tab.open(away);
      expect(
        await tab.evaluate(
          `fetch('${link}', { headers: { 'Service-Worker': 'script' } }).then(({ status }) => status)`,
        ),
      ).toBe(403);
      // A picture may be anywhere. No report, refresh, or address with the key may leave.
      const may = ['/img', '/', '/favicon.ico'];
      const left = elsewhere.received.filter(
        ({ url, headers: sent }) => !may.includes(url) || sent.referer?.includes('proxy-key') === true,
      );
      expect(left.map(({ url }) => url)).toEqual([]);
      expect(elsewhere.received.map(({ url }) => url)).toContain('/img');
    } finally {
      await Promise.all([chromium.close(), elsewhere.close()]);
    }
  });

  it('takes no key elsewhere when the destination redirects', async () => {
    const destination = await openDestination();
    const elsewhere = await startDestination();
    const { key } = await anApplication({ permissions: ['token:use'] });
    const away = `http://localhost:${String(elsewhere.port)}/`;
    destination.respond = (_received, response) => response.writeHead(307, { Location: away }).end();
    const seen = await inBrowser(
      `const { createClient } = await import(URL.createObjectURL(new Blob([args.sdk], { type: 'text/javascript' })));
       const headers = { 'SVC-API-KEY': args.key, 'SVC-PROXY-URL': args.to };
       const modes = [];
       for (const redirect of ['follow', 'error']) {
         const response = await fetch(args.baseUrl + '/proxy', { method: 'POST', headers, body: 'x', redirect });
         modes.push([response.status, response.headers.get('SVC-PROXY-LOCATION')]);
       }
       const sdk = await createClient({ baseUrl: args.baseUrl, apiKey: args.key }).proxy({ url: args.to });
       return { modes, sdk: [sdk.status, sdk.headers['svc-proxy-location']] };`,
      {
        baseUrl: credentials.base_url,
        key,
        to: `https://localhost:${String(destination.port)}`,
        sdk: await sdkModule(),
      },
    );
    expect(seen).toEqual({
      modes: [
        [307, away],
        [307, away],
      ],
      sdk: [307, away],
    });
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });
});

describe('the SDK in a page of another origin', () => {
  it('collects a card, lists with a session, and distinguishes errors by their class', async () => {
    const collecting = await anApplication({ type: 'public', permissions: ['token:create'] });
    const seen = await inBrowser(
      `const { createClient, ApiError } = await import(URL.createObjectURL(new Blob([args.sdk], { type: 'text/javascript' })));
       const client = createClient({ baseUrl: args.baseUrl, apiKey: args.key });
       const token = await client.tokens.create({ type: 'card', data: args.card });
       const refused = await client.tokens.create({ type: 'card', data: { number: '1' } }).catch((error) => ({ isApiError: error instanceof ApiError, status: error.status, errors: error.errors }));
       return { data: token.data, refused };`,
      {
        baseUrl: credentials.base_url,
        key: collecting.key,
        card: CARD,
        sdk: await sdkModule(),
      },
    );
    expect(seen).toEqual({
      data: { ...CARD, number: 'XXXXXXXXXXXX4242' },
      refused: { isApiError: true, status: 400, errors: { 'data.number': [expect.any(String)] } },
    });
  });
});
