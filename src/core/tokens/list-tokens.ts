import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Container } from '../shared/container.ts';
import type { Page, PageRequest } from '../lists/pagination.ts';
import { containerTerm, isBelow } from './container-term.ts';
import { hashTerm, type IndexTerm } from './index-term.ts';
import { pageTokens, type PageTokensDeps } from './page-tokens.ts';
import type { TokenCandidate } from './token-store.ts';
import type { TokenView } from './token.ts';

/** docs/contract.md#list-tokens describes the filters. */
export interface TokenFilters {
  /** Only these tokens are returned, unless the list is empty. */
  readonly ids: readonly string[];
  /** Pairs that must all be present. Keys and values match case-insensitively. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
  /** Only tokens in this container or below it are returned. */
  readonly container?: Container;
}

/** The hashed terms of the filters that have an index. */
async function termsOf(
  deps: PageTokensDeps,
  tenantId: string,
  { metadata, container }: TokenFilters,
): Promise<readonly string[]> {
  const ofContainer = container === undefined ? undefined : containerTerm(container);
  const terms: readonly IndexTerm[] = [
    ...metadata.map(([key, value]) => ({ kind: 'metadata', key, value }) as const),
    ...(ofContainer === undefined ? [] : [ofContainer]),
  ];
  if (terms.length === 0) return [];
  const searchKey = await deps.tenantKeys.settled(tenantId, 'search');
  return terms.map((term) => hashTerm(searchKey, term));
}

/** A page of the tokens that the caller may read. */
export async function listTokens(
  deps: PageTokensDeps,
  caller: Caller,
  filters: TokenFilters,
  request: PageRequest,
): Promise<Page<TokenView>> {
  requirePermission(caller, 'token:read');
  const { ids, metadata, container } = filters;
  const query = {
    list: 'tokens',
    permission: 'token:read',
    // Without a container it is the text of earlier versions, whose cursors go on.
    filters: JSON.stringify(container === undefined ? [ids, metadata] : [ids, metadata, container]),
    terms: await termsOf(deps, caller.tenantId, filters),
    ...(ids.length > 0 && { ids }),
    matches: (candidate: Pick<TokenCandidate, 'containers'>) =>
      container === undefined || isBelow(container, candidate),
  } as const;
  return pageTokens(deps, caller, query, request);
}
