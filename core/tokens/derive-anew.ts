import { createBudget } from '../expressions/budget.ts';
import { openData, openDetails, type OpenTokenDeps } from './open-token.ts';
import { prepareContent } from './prepare-token.ts';
import { derive } from './seal-token.ts';
import type { StoredToken } from './token.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';

/** A token with everything that is derived from its content derived from the current root of its tenant: fingerprint, match hash, terms. */
export async function withAnotherRoot(
  { vault, tenantKeys }: Pick<OpenTokenDeps, 'vault'> & { readonly tenantKeys: TenantKeys },
  from: StoredToken,
  to: StoredToken,
): Promise<StoredToken> {
  const [data, details] = await Promise.all([openData(vault, from), openDetails(vault, from)]);
  const { type, containers } = from;
  // It was checked when it was written; what does not look at the time has not changed since.
  const content = prepareContent(
    { ...details, type, data, containers, isMaskTried: true },
    0,
    createBudget(),
  );
  const [derived] = await derive(tenantKeys, from.tenantId, [content]);
  return { ...to, ...derived };
}
