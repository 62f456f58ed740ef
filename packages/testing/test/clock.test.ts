import { createVault } from '../src/index.ts';
import { aShop, CARD } from './a-shop.ts';

describe('the clock of a vault', () => {
  it('stands still, moves with each request, and begins where the test says', async () => {
    const vault = await createVault({ now: '2030-01-01T00:00:00Z' });
    const { client } = await aShop(vault);
    const tokens = [];
    for (let at = 0; at < 3; at += 1) tokens.push(await client.tokens.create({ type: 'token', data: at }));
    expect(tokens.map(({ created_at: at }) => at)).toEqual([
      '2030-01-01T00:00:00.002+00:00',
      '2030-01-01T00:00:00.003+00:00',
      '2030-01-01T00:00:00.004+00:00',
    ]);
    expect(vault.clock.now().toISOString()).toBe('2030-01-01T00:00:00.004Z');
    const { data } = await client.tokens.list();
    expect(data.map(({ id }) => id)).toEqual(tokens.map(({ id }) => id).toReversed());
  });

  it('ends tokens, keys, sessions and cvcs', async () => {
    const vault = await createVault();
    const { client, application } = await aShop(vault);
    const at = (hours: number) => new Date(vault.clock.now().getTime() + hours * 3_600_000).toISOString();
    const short = await client.tokens.create({ type: 'card', data: CARD, expires_at: at(2) });
    const long = await client.tokens.create({ type: 'card', data: CARD });
    const { key } = await vault.applications.keys.create(application.id, { expires_at: at(3) });
    const other = vault.client({ apiKey: key });
    expect((await other.tokens.retrieve(short.id)).data).toMatchObject({ cvc: '123' });
    await vault.clock.advance('1h 1m');
    expect((await other.tokens.retrieve(short.id)).data).not.toHaveProperty('cvc');
    await vault.clock.advance(3_600_000);
    await expect(other.tokens.retrieve(short.id)).rejects.toMatchObject({ status: 404 });
    expect(vault.typeOf(short.id)).toBeUndefined();
    await vault.clock.advance('1h');
    await expect(other.tokens.retrieve(long.id)).rejects.toMatchObject({ code: 'key_expired' });
    expect((await client.tokens.retrieve(long.id)).id).toBe(long.id);
  });

  it('goes a year ahead in a moment, with keys of the tenant that rotate on the way', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'card', data: CARD });
    await vault.clock.advance('365d');
    expect((await client.tokens.retrieve(id)).data).toMatchObject({ number: CARD.number });
  });

  it('moves by the sum of what a test asks for at once', async () => {
    const vault = await createVault({ now: '2030-01-01T00:00:00Z' });
    await Promise.all([vault.clock.advance('1h'), vault.clock.advance('2h'), vault.clock.advance(1)]);
    expect(vault.clock.now().toISOString()).toBe('2030-01-01T03:00:00.001Z');
  });

  it('moves by at most a century', async () => {
    const vault = await createVault();
    expect(() => vault.clock.advance('99999d')).toThrow(RangeError);
  });

  it.each(['2 hours', '-1h', '', 'h', -1, Number.NaN])('does not move by %j', async (duration) => {
    const vault = await createVault();
    expect(() => vault.clock.advance(duration)).toThrow(TypeError);
  });
});
