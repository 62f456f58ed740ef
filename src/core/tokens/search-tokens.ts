import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { defined } from '../shared/defined.ts';
import type { Page, PageRequest } from '../lists/pagination.ts';
import { containerTerm, isBelow } from './container-term.ts';
import { hashTerm, type IndexTerm } from './index-term.ts';
import { pageTokens, type PageTokensDeps, type TokenQuery } from './page-tokens.ts';
import { parseSearchQuery, type SearchTerm } from './search-query.ts';
import type { TokenView } from './token.ts';

function indexTerm(term: SearchTerm): IndexTerm | undefined {
  if (term.field === 'data') return { kind: 'data', value: term.value };
  if (term.field === 'metadata') return { kind: 'metadata', key: term.key, value: term.value };
  return term.field === 'container' ? containerTerm(term.value) : undefined;
}

function matches(terms: readonly SearchTerm[]): TokenQuery['matches'] {
  const fingerprint = valueOf(terms, 'fingerprint');
  return (candidate) =>
    terms.every((term) => {
      if (term.field === 'type') return candidate.type === term.value.toLowerCase();
      if (term.field === 'id') return candidate.id === term.value;
      if (term.field === 'fingerprint') return term.value === fingerprint;
      if (term.field === 'container') return isBelow(term.value, candidate);
      return true;
    });
}

/** The value that a query requires for a field. Two different values match nothing. */
function valueOf(terms: readonly SearchTerm[], field: 'id' | 'fingerprint'): string | undefined {
  return terms.find((term) => term.field === field)?.value;
}

/**
 * A page of the tokens that match a query and that the caller may search
 * (docs/contract.md#search-tokens).
 */
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
    indexed.length === 0 ? undefined : await deps.tenantKeys.settled(caller.tenantId, 'search');
  const id = valueOf(terms, 'id');
  const fingerprint = valueOf(terms, 'fingerprint');
  return pageTokens(
    deps,
    caller,
    defined({
      list: 'search',
      permission: 'token:search' as const,
      filters: JSON.stringify(terms),
      terms: searchKey === undefined ? [] : indexed.map((term) => hashTerm(searchKey, term)),
      fingerprint,
      ids: id === undefined ? undefined : [id],
      asksForData: terms.some(({ field }) => field === 'data' || field === 'fingerprint'),
      matches: matches(terms),
    }),
    request,
  );
}
