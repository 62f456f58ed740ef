import { createVault, vaultMatchers, type VaultOptions } from '../src/index.ts';
import { aShop, CARD } from './a-shop.ts';

describe('a vault', () => {
  it('answers its own address alone, with or without the origin', async () => {
    const vault = await createVault();
    const headers = { 'SVC-API-KEY': vault.managementKey };
    expect((await vault.fetch('/tenants/self', { headers })).status).toBe(200);
    expect((await vault.fetch(`${vault.baseUrl}/tenants/self`, { headers })).status).toBe(200);
    expect((await vault.fetch(new Request(`${vault.baseUrl}/tenants/self`, { headers }))).status).toBe(200);
    expect((await vault.fetch('/tenants/self')).status).toBe(401);
    await expect(vault.fetch('https://example.com/tokens')).rejects.toThrow(TypeError);
    await expect(vault.fetch('//example.com/tokens')).rejects.toThrow(TypeError);
    expect(await (await vault.fetch('/nothing')).json()).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('knows nothing of another vault', async () => {
    const one = await createVault();
    const other = await createVault();
    const { client } = await aShop(one);
    const { id } = await client.tokens.create({ type: 'token', data: 1 });
    const headers = { 'SVC-API-KEY': one.managementKey };
    expect((await other.fetch('/tenants/self', { headers })).status).toBe(401);
    expect([one.typeOf(id), other.typeOf(id)]).toEqual(['token', undefined]);
    other.destination('https://bank.example', () => new Response());
    await expect(client.proxy({ url: 'https://bank.example' })).rejects.toMatchObject({ status: 502 });
  });

  it.each([
    [{ baseUrl: 'http://vault.test' }, 'baseUrl must be an https address without a path'],
    [{ baseUrl: 'https://vault.test/path' }, 'baseUrl must be an https address without a path'],
    [{ baseUrl: 'vault' }, 'baseUrl must be an https address without a path'],
    [{ now: 'yesterday' }, 'now must be a Date, a time as text'],
    [{ now: true }, 'now must be a Date, a time as text'],
    [{ strict: true }, 'there is no option strict, only now, baseUrl, clientCompatibility,'],
    [{ clientCompatibility: 'loose' }, 'clientCompatibility must be strict or lenient'],
    [{ headerPrefix: '1' }, 'headerPrefix must be a letter, then up to 19 letters and digits'],
    [{ cvcLifetimeSeconds: -1 }, 'cvcLifetimeSeconds must be a whole number from 1 to 3600'],
    [{ egressAllowList: 'localhost' }, "egressAllowList must be a list of texts such as 'localhost:9777'"],
    [{ egressAllowList: [1] }, "egressAllowList must be a list of texts such as 'localhost:9777'"],
    [{ print: 'x' }, 'print must be a function'],
    ['strict', 'must be called with an object of now,'],
  ])('refuses %o', async (options, message) => {
    const refused = createVault(options as VaultOptions);
    await expect(refused).rejects.toThrow(new RegExp(`^createVault: ${message}`));
  });

  it('has the settings of a deployment', async () => {
    const vault = await createVault({
      headerPrefix: 'BT',
      clientCompatibility: 'lenient',
      cvcLifetimeSeconds: 60,
      baseUrl: 'https://tokens.example/',
    });
    expect(vault.baseUrl).toBe('https://tokens.example');
    const { client } = await aShop(vault);
    const { id } = await client.tokens.create({ type: 'card', data: CARD });
    expect((await client.tokens.retrieve(id)).data).toHaveProperty('cvc');
    await vault.clock.advance('61s');
    expect((await client.tokens.retrieve(id)).data).not.toHaveProperty('cvc');
  });

  it('prints what the service logs, and no value', async () => {
    const lines: string[] = [];
    const vault = await createVault({ print: (line) => lines.push(line) });
    const { client, application } = await aShop(vault);
    await client.tokens.create({ type: 'card', data: CARD });
    expect(lines.some((line) => line.includes('"operation":"createToken"'))).toBe(true);
    for (const secret of [CARD.number, application.key, vault.managementKey])
      expect(lines.join('\n')).not.toContain(secret);
  });

  it('refuses a head that the gateway refuses', async () => {
    const vault = await createVault();
    const headers = { 'SVC-API-KEY': vault.managementKey };
    expect((await vault.fetch(`/logs?token_id=${'x'.repeat(10_240)}`, { headers })).status).toBe(431);
    const long = { ...headers, 'X-Long': 'x'.repeat(10_240) };
    expect((await vault.fetch('/logs', { headers: long })).status).toBe(431);
  });

  it('lets the timers of a test go on between calls', async () => {
    const vault = await createVault();
    let hasTicked = false;
    setImmediate(() => (hasTicked = true));
    await vault.logs.list();
    expect(hasTicked).toBe(true);
  });
});

describe('the matchers', () => {
  it('know tokens, their types, and who has seen them, and show no value that is no token', async () => {
    const vault = await createVault();
    const { client, application } = await aShop(vault);
    const matchers = vaultMatchers(vault);
    const masking = await vault.applications.create({
      name: 'Masked',
      type: 'private',
      permissions: ['token:read', 'token:create'],
    });
    const masked = vault.client({ apiKey: masking.key });
    const token = await masked.tokens.create({ type: 'card', data: CARD });
    expect(matchers.toBeToken(token).pass).toBe(true);
    expect(matchers.toBeToken(token.id, 'card').pass).toBe(true);
    expect(() => matchers.toBeToken(token.id, undefined)).toThrow('the expected type is no text');
    expect(matchers.toBeToken(token.id, 'bank').message()).toContain('its type is card');
    for (const value of [CARD.number, 7, null, { id: 7 }, {}]) {
      const { pass, message } = matchers.toBeToken(value);
      expect([pass, message()]).toEqual([false, expect.not.stringContaining(CARD.number)]);
    }
    expect((await matchers.toHaveBeenRevealedTo(token, application)).pass).toBe(false);
    await client.tokens.retrieve(token.id);
    expect((await matchers.toHaveBeenRevealedTo(token, application)).pass).toBe(true);
    expect((await matchers.toHaveBeenRevealedTo(token.id, masking.id)).pass).toBe(false);
    for (const wrong of [application.key, 'x', {}, undefined, token.id])
      await expect(matchers.toHaveBeenRevealedTo(token, wrong as string)).rejects.toThrow('no application');
    await expect(matchers.toHaveBeenRevealedTo('x', application)).rejects.toThrow('no token');
    await client.tokens.delete(token.id);
    expect(matchers.toBeToken(token.id).pass).toBe(false);
  });
});
