import { createVault, type Failure } from '../src/index.ts';
import { aShop } from './a-shop.ts';

describe('a failing call', () => {
  it.each([
    [409, 'conflict'],
    [429, undefined],
    [500, 'internal_error'],
    [503, 'dependency_unavailable'],
  ] as const)('fails with %i (%s) as often as asked, without an effect', async (status, code) => {
    const vault = await createVault();
    const { application } = await aShop(vault);
    const client = vault.client({ apiKey: application.key, maxRetries: 0 });
    vault.fail({ operation: 'createToken', times: 2, status });
    for (let at = 0; at < 2; at += 1)
      await expect(client.tokens.create({ type: 'token', data: 1 })).rejects.toMatchObject({ status, code });
    await client.tokens.create({ type: 'token', data: 1 });
    expect((await client.tokens.list()).data).toHaveLength(1);
  });

  it('has the form of the proxy if it was one', async () => {
    const vault = await createVault();
    const { client } = await aShop(vault);
    for (const [status, code] of [
      [408, 'destination_timeout'],
      [502, 'destination_unreachable'],
    ] as const) {
      vault.fail({ operation: 'proxy', status });
      await expect(client.proxy({ url: 'https://bank.example' })).rejects.toMatchObject({ status, code });
    }
  });

  it.each([
    [{ operation: 'createTokens' }, 'no operation createTokens'],
    [{ operation: 'createToken', status: 418 }, 'status'],
    [{ operation: 'createToken', time: 3 }, 'vault.fail'],
    [{ operation: 'createToken', status: 502 }, 'never fails'],
    [{ operation: 'getToken', status: 409 }, 'never fails'],
    [{ operation: 'createToken', times: 0 }, 'times'],
  ])('is refused as %o', async (failure, message) => {
    const vault = await createVault();
    expect(() => vault.fail(failure as Failure)).toThrow(message);
  });
});
