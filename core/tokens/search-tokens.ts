import type { Caller } from '../applications/application.ts';
import { requirePermission } from '../applications/require-permission.ts';
import { covers, type Container } from '../shared/container.ts';
import type { Page, PageRequest } from '../shared/pagination.ts';
import { hashTerm, type IndexTerm } from './index-term.ts';
import { pageTokens, type PageTokensDeps, type TokenQuery } from './page-tokens.ts';
import { parseSearchQuery, type SearchTerm } from './search-query.ts';
import type { StoredToken, TokenView } from './token.ts';
import { tokenType, TOKEN_TYPE_NAMES } from './token-type.ts';

/** Below these stand tokens without index entries, since they are in the default containers of their type. */
const DEFAULT_CONTAINERS = TOKEN_TYPE_NAMES.flatMap((name) => tokenType(name).containers);

/** Whether all tokens below a container have an index entry for it. */
function isIndexed(container: Container): boolean {
  return container !== '/' && !DEFAULT_CONTAINERS.some((inner) => covers(container, inner));
}

function indexTerm(term: SearchTerm): IndexTerm | undefined {
  if (term.field === 'data') return { kind: 'data', value: term.value };
  if (term.field === 'metadata') return { kind: 'metadata', key: term.key, value: term.value };
  return term.field === 'container' && isIndexed(term.value)
    ? { kind: 'container', container: term.value }
    : undefined;
}

function matches(terms: readonly SearchTerm[]): TokenQuery['matches'] {
  return (candidate) =>
    terms.every((term) => {
      if (term.field === 'type') return candidate.type === term.value.toLowerCase();
      if (term.field === 'id') return candidate.id === term.value;
      if (term.field === 'container')
        return candidate.containers.some((container) => covers(term.value, container));
      return true;
    });
}

/** The few tokens that an id or a fingerprint leaves, if the query names one. */
function among(
  deps: PageTokensDeps,
  tenantId: string,
  terms: readonly SearchTerm[],
): (() => Promise<readonly StoredToken[]>) | undefined {
  const valueOf = (field: 'id' | 'fingerprint') => terms.find((term) => term.field === field)?.value;
  const [id, fingerprint] = [valueOf('id'), valueOf('fingerprint')];
  const hasFingerprints = (token: StoredToken) =>
    terms.every((term) => term.field !== 'fingerprint' || term.value === token.fingerprint);
  if (id !== undefined)
    return async () => (await deps.tokenStore.findMany(tenantId, [id])).filter(hasFingerprints);
  if (fingerprint === undefined) return undefined;
  return async () =>
    (await deps.tokenStore.findByFingerprint(tenantId, fingerprint)).filter(
      (token) => token.tenantId === tenantId && hasFingerprints(token),
    );
}

/** A page of the tokens that match a query and that the caller may search (decisions.md, section 3, Search). */
export async function searchTokens(
  deps: PageTokensDeps,
  caller: Caller,
  query: string,
  request: PageRequest,
): Promise<Page<TokenView>> {
  requirePermission(caller, 'token:search');
  const terms = parseSearchQuery(query);
  const indexed = terms.map(indexTerm).filter((term) => term !== undefined);
  const searchKey =
    indexed.length === 0 ? undefined : (await deps.tenantKeys.current(caller.tenantId, 'search')).key;
  const few = among(deps, caller.tenantId, terms);
  return pageTokens(
    deps,
    caller,
    {
      list: 'search',
      permission: 'token:search',
      filters: JSON.stringify(terms),
      terms: searchKey === undefined ? [] : indexed.map((term) => hashTerm(searchKey, term)),
      ...(few && { among: few }),
      matches: matches(terms),
    },
    request,
  );
}
