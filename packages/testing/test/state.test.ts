import { createVault, type Vault } from '../src/index.ts';
import { aShop } from './a-shop.ts';

describe('the state of a vault', () => {
  it('goes back to a snapshot as often as wanted, with its time', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'token', data: 1 });
    const taken = vault.snapshot();
    const time = vault.clock.now();
    for (let at = 0; at < 2; at += 1) {
      await client.tokens.delete(id);
      const other = await client.tokens.create({ type: 'token', data: 2 });
      await vault.clock.advance('1d');
      vault.restore(taken);
      expect(vault.clock.now()).toEqual(time);
      expect((await client.tokens.list()).data.map((token) => token.id)).toEqual([id]);
      await expect(client.tokens.retrieve(other.id)).rejects.toMatchObject({ status: 404 });
      vault.restore(taken);
    }
  });

  it('does not change by what ran before a restore', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const taken = vault.snapshot();
    const time = vault.clock.now();
    const running = [
      vault.clock.advance('365d'),
      client.tokens.create({ type: 'token', data: 1 }).catch(() => undefined),
    ];
    vault.restore(taken);
    await Promise.all(running);
    expect(vault.clock.now()).toEqual(time);
    expect((await client.tokens.list()).data).toEqual([]);
  });

  it('has the destinations, failures and webhooks of the snapshot', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const bank = vault.destination('https://bank.example', () => new Response('first'));
    const call = async () => (await client.proxy({ url: 'https://bank.example' })).text();
    await call();
    vault.fail({ operation: 'listTokens', status: 500 });
    const taken = vault.snapshot();
    vault.destination('https://bank.example', () => new Response('second'));
    await expect(client.tokens.list()).rejects.toMatchObject({ status: 500 });
    expect(await call()).toBe('second');
    const later = vault.snapshot();
    for (let at = 0; at < 2; at += 1) {
      vault.restore(later);
      vault.restore(taken);
      expect(bank.requests).toHaveLength(1);
      expect(await call()).toBe('first');
      expect(bank.requests).toHaveLength(2);
      await expect(client.tokens.list()).rejects.toMatchObject({ status: 500 });
    }
  });

  it('is not that of another vault', async () => {
    const one = await createVault();
    const other = await createVault();
    for (const wrong of [other.snapshot(), {}, undefined])
      expect(() => one.restore(wrong as ReturnType<Vault['snapshot']>)).toThrow(TypeError);
    expect((await one.applications.list()).data).toHaveLength(1);
  });

  it('is empty after a reset, with the same key of the management application', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    await client.tokens.create({ type: 'token', data: 1 });
    vault.destination('https://bank.example', () => new Response());
    vault.fail({ operation: 'createApplication' });
    vault.reset();
    await expect(client.tokens.list()).rejects.toMatchObject({ status: 401 });
    const again = await aShop(vault);
    expect((await again.client.tokens.list()).data).toEqual([]);
    await expect(again.client.proxy({ url: 'https://bank.example' })).rejects.toMatchObject({
      status: 502,
    });
  });
});
