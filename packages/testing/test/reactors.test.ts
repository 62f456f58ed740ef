import { verifyWebhook, type ApiError } from '../../sdk/src/index.ts';
import { createVault, type Vault } from '../src/index.ts';
import { aShop, CARD } from './a-shop.ts';

describe('a reactor', () => {
  const reactorWith = (vault: Vault, code: string, application?: { id: string }) =>
    vault.reactors.create({
      name: 'x',
      configuration: {},
      code,
      ...(application && { application: { id: application.id } }),
    });

  it('reaches the vault as req.bt, and destinations by every client of HTTP', async () => {
    const vault = await createVault();
    const { client, application } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'card', data: CARD });
    const bank = vault.destination('https://bank.example', async (request) =>
      Response.json({ method: request.method, body: await request.text() }),
    );
    const reactor = await reactorWith(
      vault,
      `const axios = require('axios'), fetch = require('node-fetch'), https = require('https');
       module.exports = async ({ args, bt }) => {
         const { data } = await bt.tokens.retrieve(args.id);
         const got = await new Promise((resolve, reject) => {
           https.get('https://bank.example/a', (response) => {
             let text = '';
             response.on('data', (chunk) => (text += chunk));
             response.on('end', () => resolve(JSON.parse(text).method));
           }).on('error', reject);
         });
         const posted = (await axios.post('https://bank.example/b', { n: data.number })).data;
         const fetched = await (await fetch('https://bank.example/c', { method: 'PUT', body: 'x' })).json();
         return { raw: { got, posted, fetched } };
       };`,
      application,
    );
    expect(await client.reactors.react(reactor.id, { args: { id } })).toEqual({
      raw: {
        got: 'GET',
        posted: { method: 'POST', body: JSON.stringify({ n: CARD.number }) },
        fetched: { method: 'PUT', body: 'x' },
      },
    });
    expect(bank.requests).toHaveLength(3);
  });

  it('reaches destinations by fetch on node24, and nothing else, and moves back to node16 without it', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    vault.destination('https://bank.example', async (request) =>
      request.url.endsWith('/old')
        ? new Response(null, { status: 307, headers: { location: 'https://bank.example/new' } })
        : Response.json({ method: request.method, body: await request.text() }),
    );
    const reactor = await vault.reactors.create({
      name: 'x',
      configuration: {},
      runtime: { image: 'node24' },
      code: `module.exports = async () => {
        const moved = await fetch('https://bank.example/old', { method: 'POST', body: 'x' });
        const manual = await fetch('https://bank.example/old', { redirect: 'manual' });
        const away = await fetch('https://nowhere.example').catch((error) => error.message);
        const ended = await fetch('https://bank.example', { signal: AbortSignal.abort() }).catch((error) => error.name);
        return { raw: [await moved.json(), manual.status, away, ended, typeof WebSocket] };
      };`,
    });
    const run = () => client.reactors.react(reactor.id, {});
    expect(await run()).toEqual({
      raw: [{ method: 'POST', body: 'x' }, 307, 'fetch failed', 'AbortError', 'undefined'],
    });
    await vault.reactors.patch(reactor.id, { runtime: { image: 'node16' } });
    await expect(run()).rejects.toMatchObject({ detail: expect.stringContaining('Node.js 16 has no fetch') });
    await vault.reactors.patch(reactor.id, { runtime: { image: 'node24' } });
    expect(await run()).toMatchObject({ raw: expect.anything() });
  });

  it('that never ends is ended by the clock, and by a reset', async () => {
    const vault = await createVault();
    const { client, application } = await aShop(vault);
    const endless = await reactorWith(vault, 'module.exports = () => { for (;;); };', application);
    const taken = vault.snapshot();
    const run = () =>
      client.reactors.react(endless.id, {}).catch((error: unknown) => (error as ApiError).status);
    const first = run();
    await vault.clock.advance('1m');
    expect(await first).toBe(500);
    const second = run();
    vault.restore(taken);
    expect(await second).toBe(500);
    const third = run();
    vault.reset();
    expect(await third).toBe(500);
  });

  it('reaches nothing else', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const reactor = await reactorWith(
      vault,
      `const code = (run) => new Promise((resolve) => run(resolve)).then((error) => error.code);
       module.exports = async () => ({ raw: [
         await code((done) => require('https').get('https://nowhere.example').on('error', done)),
         await code((done) => require('net').connect(443, '127.0.0.1').on('error', done)),
         typeof fetch,
       ] });`,
    );
    expect(await client.reactors.react(reactor.id, {})).toEqual({
      raw: ['ECONNREFUSED', 'ECONNREFUSED', 'undefined'],
    });
  });

  it('delivers its result as a signed webhook, again if it was not taken', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const reactor = await reactorWith(vault, 'module.exports = ({ args }) => ({ raw: args });');
    let status = 500;
    const hooks = vault.destination('https://shop.example/hooks', () => new Response(null, { status }));
    const callback = { args: { a: 1 }, callback_url: 'https://shop.example/hooks' };
    const { id } = await client.reactors.reactAsync(reactor.id, callback);
    await vault.settled();
    expect([vault.webhooks.length, hooks.requests.length]).toEqual([1, 1]);
    status = 204;
    await vault.clock.advance('1h');
    expect(vault.webhooks.length).toBe(2);
    await vault.clock.advance('1d');
    expect(vault.webhooks.length).toBe(2);
    const [, { url, headers, body } = { url: '', headers: {}, body: '' }] = vault.webhooks;
    expect(url).toBe('https://shop.example/hooks');
    const toleranceSeconds = 10 ** 9;
    const sent = await verifyWebhook({ headers, body, secret: vault.webhookSecret, toleranceSeconds });
    expect([sent.id, sent.result]).toEqual([id, { raw: { a: 1 } }]);
  });
});
