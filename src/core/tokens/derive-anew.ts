import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { createBudget } from '../expressions/budget.ts';
import { openData, openDetails } from './open-token.ts';
import { prepareContent } from './prepare-token.ts';
import { derive, type DerivedParts } from './seal-token.ts';
import type { StoredToken } from './token.ts';
import { tokenType } from './token-type.ts';

/**
 * Everything that is derived from a token's content, from the roots that its tenant has now:
 * fingerprint, match hash, terms.
 */
export async function derivedAnew(
  { vault, tenantKeys }: { readonly vault: Vault; readonly tenantKeys: TenantKeys },
  token: StoredToken,
): Promise<DerivedParts> {
  const [data, details] = await Promise.all([openData(vault, token), openDetails(vault, token)]);
  const { containers, tenantId } = token;
  // It was checked when it was written; what does not look at the time has not changed since.
  const content = prepareContent(
    tokenType(token.type),
    { ...details, data, containers },
    { now: 0, budget: createBudget(), clientCompatibility: 'strict', isMaskTried: true },
  );
  const [derived] = await derive(tenantKeys, tenantId, [content]);
  if (derived === undefined) throw new Error('derive anew: nothing was derived');
  return derived;
}
