import { existingTenant, type TenantDeps } from '../tenants/change-tenant.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { ServiceError } from '../shared/service-error.ts';
import { openDetails } from '../tokens/open-token.ts';
import { proven } from '../tokens/encrypt-content.ts';
import { rederive } from '../tokens/rederive.ts';
import type { StoredToken, UnprovenToken } from '../tokens/token.ts';
import { tokenType } from '../tokens/token-type.ts';
import { walkTokens, writeAgain, type WalkTokensDeps } from './walk-tokens.ts';

export interface IndexCardsDeps extends TenantDeps, WalkTokensDeps {
  readonly tenantKeys: TenantKeys;
  /** Called with the reason why a token could not be opened. */
  readonly onFailure: (error: unknown) => void;
}

/** Counts what one step did. */
export interface IndexCardsStep {
  /** Number of cards that are found by their last four digits from now on. */
  readonly indexed: number;
  /** Number of cards that were read. */
  readonly seen: number;
  /** Ids of cards that do not open, or that others changed at each attempt. */
  readonly left: readonly string[];
  /** Where the next step begins; absent after the last. */
  readonly next?: string;
}

/** Attempts to write a card that other writers change meanwhile. */
const ATTEMPTS = 4;

/** Whether an index that depends on the mask of the type applies to a token. */
async function hasMaskedIndex({ vault }: IndexCardsDeps, token: StoredToken): Promise<boolean> {
  const { mask, searchIndexes } = await openDetails(vault, token);
  return mask === undefined && searchIndexes === undefined;
}

async function indexCard(deps: IndexCardsDeps, found: UnprovenToken): Promise<'up to date' | boolean> {
  let read: UnprovenToken | undefined = found;
  for (let attempt = 0; attempt < ATTEMPTS && read !== undefined; attempt += 1) {
    const token = await proven(deps.vault, read);
    if (!(await hasMaskedIndex(deps, token))) return 'up to date';
    const { terms } = token;
    const derived = await rederive(deps, token);
    if (derived.terms.every((term) => terms.includes(term))) return 'up to date';
    if (await writeAgain(deps, token, derived)) return true;
    // Another writer was faster, or has deleted it.
    const summaries = await deps.tokenStore.findSummaries(token.tenantId, [token.id]);
    [read] = summaries.length === 0 ? [] : await deps.tokenStore.readData(summaries);
  }
  return read === undefined ? 'up to date' : false;
}

/** Runs {@link indexCard}. A token that does not open must not stop the walk. */
async function guarded(deps: IndexCardsDeps, token: UnprovenToken): Promise<'up to date' | boolean> {
  try {
    return await indexCard(deps, token);
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'validation_failed') throw error;
    deps.onFailure(error);
    return false;
  }
}

/**
 * Gives cards of a tenant that were created by an earlier version the index of their last four
 * digits, as new ones have it, for a limited time. Throws `not_found`.
 */
export async function indexCardsStep(
  deps: IndexCardsDeps,
  tenantId: string,
  after: string | undefined,
): Promise<IndexCardsStep> {
  // The vault encrypts under the cached ring, so this tenant must be cached.
  deps.tenantKeys.learn(tenantId, await existingTenant(deps, tenantId));
  let indexed = 0;
  let seen = 0;
  const left: string[] = [];
  const next = await walkTokens(deps, tenantId, after, async (summaries) => {
    const cards = summaries.filter(({ type }) => tokenType(type).maskedIndexes !== undefined);
    const tokens = cards.length === 0 ? [] : await deps.tokenStore.readData(cards);
    const outcomes = await Promise.all(
      tokens.map(async (token) => [token.id, await guarded(deps, token)] as const),
    );
    seen += outcomes.length;
    indexed += outcomes.filter(([, outcome]) => outcome === true).length;
    left.push(...outcomes.flatMap(([id, outcome]) => (outcome === false ? [id] : [])));
  });
  return { indexed, seen, left, ...(next !== undefined && { next }) };
}
