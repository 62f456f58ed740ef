import type { TokensDeps } from './dependencies.ts';

/** The token of the path, read while the caller is authenticated. */
export const findToken = async (
  { storedTokens }: Pick<TokensDeps, 'storedTokens'>,
  tenantId: string,
  { id }: { readonly id: string },
) => ({ token: await storedTokens.find(tenantId, id) });
