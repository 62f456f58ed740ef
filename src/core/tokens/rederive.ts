import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { createBudget } from '../expressions/budget.ts';
import type { Platform } from '../shared/platform.ts';
import { openData, openDetails } from './open-token.ts';
import { prepareContent } from './prepare-content.ts';
import { deriveParts, type DerivedParts } from './encrypt-content.ts';
import type { StoredToken } from './token.ts';
import { tokenType } from './token-type.ts';

/**
 * Derives fingerprint, match hash and terms of a token's content again, from the tenant's current
 * roots.
 */
export async function rederive(
  {
    vault,
    tenantKeys,
    random,
  }: Pick<Platform, 'random'> & { readonly vault: Vault; readonly tenantKeys: TenantKeys },
  token: StoredToken,
): Promise<DerivedParts> {
  const [data, details] = await Promise.all([openData(vault, token), openDetails(vault, token)]);
  const { containers, tenantId } = token;
  const content = prepareContent(
    tokenType(token.type),
    { ...details, data, containers },
    {
      now: 0,
      budget: createBudget(random.integer),
      clientCompatibility: 'strict',
      patch: {},
    },
  );
  const [derived] = await deriveParts(tenantKeys, tenantId, [content]);
  if (derived === undefined) throw new Error('rederive: nothing was derived');
  return derived;
}
