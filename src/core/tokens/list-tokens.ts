import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Page, PageRequest } from '../lists/pagination.ts';
import { hashTerm } from './index-term.ts';
import { pageTokens, type PageTokensDeps } from './page-tokens.ts';
import type { TokenView } from './token.ts';

/** What a list request asks for (docs/contract.md#list-tokens). */
export interface TokenFilters {
  /** Only these tokens are returned, unless the list is empty. */
  readonly ids: readonly string[];
  /** Pairs that must all be present. Keys and values match case-insensitively. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
}

/** The hashed terms of metadata pairs. */
export async function metadataTerms(
  deps: PageTokensDeps,
  tenantId: string,
  pairs: TokenFilters['metadata'],
): Promise<readonly string[]> {
  if (pairs.length === 0) return [];
  const searchKey = await deps.tenantKeys.settled(tenantId, 'search');
  return pairs.map(([key, value]) => hashTerm(searchKey, { kind: 'metadata', key, value }));
}

/** A page of the tokens that the caller may read. */
export async function listTokens(
  deps: PageTokensDeps,
  caller: Caller,
  filters: TokenFilters,
  request: PageRequest,
): Promise<Page<TokenView>> {
  requirePermission(caller, 'token:read');
  const { ids } = filters;
  const query = {
    list: 'tokens',
    permission: 'token:read',
    filters: JSON.stringify([ids, filters.metadata]),
    terms: await metadataTerms(deps, caller.tenantId, filters.metadata),
    ...(ids.length > 0 && { ids }),
    matches: () => true,
  } as const;
  return pageTokens(deps, caller, query, request);
}
