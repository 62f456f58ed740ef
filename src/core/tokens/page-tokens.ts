import { decideAccess } from '../access/access-decision.ts';
import type { Transform } from '../access/access-rule.ts';
import type { Caller } from '../access/caller.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { createBudget } from '../expressions/budget.ts';
import { decodeCursor, encodeCursor, type CursorScope } from '../lists/cursor.ts';
import { inAskedOrder, listName, type Placed } from '../lists/in-asked-order.ts';
import { defined } from '../shared/defined.ts';
import {
  COUNT_MAX,
  sliceAfter,
  sliceNumbered,
  type Page,
  type PageRequest,
  type Slice,
} from '../lists/pagination.ts';
import { openPage } from './open-page.ts';
import type { OpenTokenDeps } from './open-token.ts';
import { hasExpired } from './expiration.ts';
import type { TokenSummary, TokenView } from './token.ts';
import type { TokenCandidate, TokenStore } from './token-store.ts';

export interface PageTokensDeps extends OpenTokenDeps {
  readonly tokenStore: TokenStore;
  readonly tenantKeys: TenantKeys;
}

export interface TokenQuery {
  /** A cursor is bound to the name of the list and its filters in one spelling. */
  readonly list: string;
  readonly permission: 'token:read' | 'token:search';
  readonly filters: string;
  /** Hashed terms that the token must all have. */
  readonly terms: readonly string[];
  /** The fingerprint that the token must have. */
  readonly fingerprint?: string;
  /** The only ids that can match, in the order of the page. If present, the index is not read. */
  readonly ids?: readonly string[];
  /**
   * True if the query asks for data or a fingerprint. It must then not reveal tokens that are
   * redacted for the caller (docs/contract.md#search-tokens).
   */
  readonly asksForData?: boolean;
  /** Further conditions on the fields that a candidate has. */
  readonly matches: (candidate: Pick<TokenCandidate, 'id' | 'type' | 'containers'>) => boolean;
}

/**
 * Whether the current version of a token still matches the terms and the fingerprint of the query.
 */
function standsUnder({ terms, fingerprint }: TokenQuery, token: TokenSummary): boolean {
  const isOfFingerprint = fingerprint === undefined || token.fingerprint === fingerprint;
  return isOfFingerprint && terms.every((term) => token.terms.includes(term));
}

/**
 * The transform for a candidate that the caller may see; `undefined` for any other. If the query
 * asks for data, the caller must also be allowed to learn whether the data matches.
 */
function transformFor(caller: Caller, query: TokenQuery, candidate: TokenCandidate): Transform | undefined {
  const transform = decideAccess(caller, query.permission, candidate);
  if (transform === undefined || query.asksForData !== true) return transform;
  const isRedacted = transform === 'redact' || (transform === 'mask' && candidate.hasMask !== true);
  return isRedacted ? undefined : transform;
}

/** Most matches of a search that its audit record names. Of more it has only the number. */
const EXAMINED_MAX = 100;

/** Collects what a search examines. Its audit record has everything that decides its response. */
function createExamined() {
  const tokens = new Map<string, TokenCandidate>();
  let count = 0;
  return {
    add(candidate: TokenCandidate): void {
      count += 1;
      if (tokens.size < EXAMINED_MAX) tokens.set(candidate.id, candidate);
    },
    /** Reports the tokens that are not shown. Those in `shown` are reported when opened. */
    report(audit: OpenTokenDeps['audit'], shown: readonly { readonly id: string }[]): void {
      if (count > EXAMINED_MAX) audit.matched(count);
      else
        for (const token of tokens.values())
          if (!shown.some(({ id }) => id === token.id)) audit.saw(token, 'examined');
    },
  };
}

/**
 * Reports tokens that the caller named and that are not shown. Without access they are reported as
 * refused, otherwise as examined: they do not match the rest of the query.
 */
function reportNamed(
  deps: PageTokensDeps,
  caller: Caller,
  query: TokenQuery,
  named: readonly TokenSummary[],
): void {
  for (const token of named) {
    if (hasExpired(token, deps.clock())) continue;
    if (transformFor(caller, query, token) === undefined) deps.audit.saw(token, 'refused');
    else if (!standsUnder(query, token) || !query.matches(token)) deps.audit.saw(token, 'examined');
  }
}

/** Yields the candidates of a query, newest first or in the order of its ids. */
async function* candidates(
  deps: PageTokensDeps,
  caller: Caller,
  query: TokenQuery,
  after: string | undefined,
  expected: number,
  isVisible: (candidate: TokenCandidate) => boolean,
): AsyncGenerator<readonly Placed<TokenCandidate>[]> {
  const { ids, terms, fingerprint } = query;
  if (ids === undefined) {
    const wanted = defined({ terms, expected, isVisible, fingerprint, after });
    for await (const batch of deps.tokenStore.candidates(caller.tenantId, wanted))
      yield batch.map((candidate) => ({ position: candidate.position, resource: candidate }));
    return;
  }
  const tokens = await deps.tokenStore.findSummaries(caller.tenantId, ids);
  reportNamed(deps, caller, query, tokens);
  yield inAskedOrder(
    ids,
    tokens.filter((token) => standsUnder(query, token)),
    after,
  );
}

/**
 * Reads the tokens of a slice and drops those that changed after their index entry was written. An
 * entry with another position than its token's belongs to a create that was not completed.
 */
async function read(
  deps: PageTokensDeps,
  caller: Caller,
  query: TokenQuery,
  slice: readonly TokenCandidate[],
  size: number,
): Promise<readonly TokenView[]> {
  const found = await deps.tokenStore.findSummaries(
    caller.tenantId,
    slice.map(({ id }) => id),
  );
  const byId = new Map(found.map((token) => [token.id, token]));
  const now = deps.clock();
  const permitted = slice.flatMap(({ id, position }) => {
    const token = byId.get(id);
    if (token?.position !== position || hasExpired(token, now) || !query.matches(token)) return [];
    if (!standsUnder(query, token)) return [];
    const transform = transformFor(caller, query, token);
    return transform === undefined ? [] : [{ token, transform }];
  });
  return openPage(deps, permitted, size, createBudget(deps.random.integer));
}

/**
 * A page of the tokens that match and that the caller may see. Only those are counted
 * (docs/contract.md#list-tokens). Throws `validation_failed` for a cursor of another list.
 */
export async function pageTokens(
  deps: PageTokensDeps,
  caller: Caller,
  query: TokenQuery,
  request: PageRequest,
): Promise<Page<TokenView>> {
  const [{ key }, keys] = await Promise.all([
    deps.tenantKeys.current(caller.tenantId, 'cursor'),
    deps.tenantKeys.all(caller.tenantId, 'cursor'),
  ]);
  const scope: CursorScope = {
    list: listName(query.list, query.ids),
    applicationId: caller.credentialId,
    filters: JSON.stringify([query.filters, caller.atMost ?? null]),
  };
  const now = deps.clock();
  const isVisible = (candidate: TokenCandidate): boolean =>
    !hasExpired(candidate, now) &&
    query.matches(candidate) &&
    transformFor(caller, query, candidate) !== undefined;
  const examined = createExamined();
  const examine = ({ resource: candidate }: Placed<TokenCandidate>): boolean => {
    const isMatch = isVisible(candidate);
    if (isMatch && query.permission === 'token:search') examined.add(candidate);
    return isMatch;
  };
  const walk = async (): Promise<Slice<Placed<TokenCandidate>>> => {
    if (request.kind === 'numbered') {
      return sliceNumbered(
        candidates(deps, caller, query, undefined, COUNT_MAX, isVisible),
        examine,
        request,
      );
    }
    const after = decodeCursor(keys, scope, request.cursor);
    return sliceAfter(
      candidates(deps, caller, query, after, request.size + 1, isVisible),
      examine,
      request.size,
    );
  };
  const { entries, total, next } = await walk();
  const info = {
    size: request.size,
    after: next === undefined ? null : encodeCursor(key, scope, next),
    ...(total !== undefined && request.kind === 'numbered' && { counted: { ...total, page: request.page } }),
  };
  const shown = entries.map(({ resource }) => resource);
  examined.report(deps.audit, shown);
  return { items: await read(deps, caller, query, shown, request.size), info };
}
