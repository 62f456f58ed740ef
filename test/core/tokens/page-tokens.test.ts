import type { Json } from '../../../src/core/shared/json.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { randomIdentity } from '../../../src/core/shared/write-identity.ts';
import { createToken } from '../../../src/core/tokens/create-tokens.ts';
import { searchTokens } from '../../../src/core/tokens/search-tokens.ts';
import type { TokenStore } from '../../../src/core/tokens/token-store.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aWallWorld } from '../../security/a-wall-world.ts';
import { aCaller } from '../../support/builders/a-caller.ts';
import { TENANT } from '../../support/builders/a-stored-token.ts';

it('a page has a token once, although a create that was not completed has left another entry of it', async () => {
  const { deps } = aWallWorld();
  const caller = aCaller({
    tenantId: TENANT,
    permissions: ['token:create'],
    rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:search'] }],
  });
  const input = { type: 'token' as const, data: new Secret<Json>('85645298'), searchIndexes: ['{{ data }}'] };
  const { token } = await createToken(deps, caller, input, randomIdentity(machinePlatform.random));
  const tokenStore: TokenStore = {
    ...deps.tokenStore,
    async *candidates(tenantId, wanted) {
      for await (const batch of deps.tokenStore.candidates(tenantId, wanted))
        yield batch.flatMap((entry) => [{ ...entry, position: `${entry.position}x` }, entry]);
    },
  };
  const request = { kind: 'numbered', page: 1, size: 10 } as const;
  const page = await searchTokens({ ...deps, tokenStore }, caller, 'data:"85645298"', request);
  expect(page.items.map(({ id }) => id)).toEqual([token.id]);
});
