import type { ApiError, Client } from '../../sdk/src/index.ts';
import { createVault, type DestinationHandler } from '../src/index.ts';
import { aShop, CARD } from './a-shop.ts';

afterEach(() => jest.restoreAllMocks());

describe('a destination', () => {
  it('gets what the proxy fills in, and its newest handler answers the longest path', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'card', data: CARD });
    const bank = vault.destination('https://bank.example', async (request) =>
      Response.json({ got: await request.json(), path: new URL(request.url).pathname }, { status: 201 }),
    );
    const refunds = vault.destination('https://bank.example/refunds', () => new Response('refunded'));
    const proxied = (path: string) =>
      client.proxy({
        url: `https://bank.example${path}`,
        method: 'POST',
        headers: { Authorization: 'Bearer x' },
        body: { card: `{{ ${id} | json: '$.number' }}` },
      });
    const charged = await proxied('/charges');
    expect([charged.status, charged.json()]).toEqual([201, { got: { card: CARD.number }, path: '/charges' }]);
    expect((await proxied('/refunds/7')).text()).toBe('refunded');
    expect((await proxied('/refundsX')).status).toBe(201);
    expect([bank.requests.length, refunds.requests.length]).toEqual([2, 1]);
    expect(bank.requests[0]?.headers.get('authorization')).toBe('Bearer x');
    vault.destination('https://bank.example', () => new Response('new'));
    expect((await proxied('/charges')).text()).toBe('new');
  });

  const outcomeOf = (client: Client) =>
    client.proxy({ url: 'https://bank.example/charges?card=4242' }).then(
      ({ status }) => [status, ''],
      (error: unknown) => [(error as ApiError).code, (error as ApiError).detail],
    );
  const never = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
  });

  it.each([
    ['there is none', undefined, 'The vault has none at https://bank.example/charges.'],
    ['it throws', () => Promise.reject(new Error('not as expected')), 'failed: not as expected'],
    ['it returns nothing', () => undefined, 'returned no Response'],
    ['it returns what is no response', () => ({ status: 200 }), 'returned no Response'],
    ['it breaks the connection', () => Response.error(), 'cannot be reached.'],
    ['it sends too much', () => new Response('x'.repeat(7_000_000)), 'larger than'],
    ['it sends without an end', () => new Response(never), 'larger than'],
  ])('is unreachable if %s, and the error says why', async (_why, handler, detail) => {
    const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const vault = await createVault();
    const { client } = await aShop(vault);
    const bank = handler && vault.destination('https://bank.example', handler as DestinationHandler);
    const [code, reason] = await outcomeOf(client);
    expect([code, reason]).toEqual(['destination_unreachable', expect.stringContaining(detail)]);
    expect(reason).not.toContain('4242');
    const hasThrown = detail.includes('failed') || detail.includes('returned no');
    expect([bank?.errors.length ?? 0, shown.mock.calls.length]).toEqual(hasThrown ? [1, 1] : [0, 0]);
  });

  it('that is silent times out with the clock', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    vault.destination('https://bank.example', () => new Promise<Response>(() => undefined));
    const waiting = outcomeOf(client);
    await vault.clock.advance('1m');
    expect((await waiting)[0]).toBe('destination_timeout');
  });

  it.each([
    'http://bank.example',
    'https://127.0.0.1',
    'https://bank.example:8443',
    'bank.example',
    'https://bank.example/?a=b',
    'https://bank.example/#a',
  ])('cannot be %s, which the service would not call', async (url) => {
    const vault = await createVault();
    expect(() => vault.destination(url, () => new Response())).toThrow(TypeError);
  });

  it('may be an origin that the deployment allows', async () => {
    const vault = await createVault({ egressAllowList: ['localhost:8443'] });
    const { client } = await aShop(vault);
    vault.destination('https://localhost:8443', () => new Response('local'));
    expect((await client.proxy({ url: 'https://localhost:8443/x' })).text()).toBe('local');
  });
});
