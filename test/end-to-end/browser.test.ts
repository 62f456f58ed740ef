import { inBrowser, sdkModule } from '../support/browser.ts';
import { needing } from '../support/needing.ts';
import { anApplication, aRevealingApplication, CARD, client, credentials } from '../support/service.ts';

const { describe } = needing('Chromium');

describe('a page of another origin', () => {
  it('collects a card with a public key, and reads it with a session', async () => {
    const [collecting, backend] = [
      await anApplication({ type: 'public', permissions: ['token:create'] }),
      await aRevealingApplication(),
    ];
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
