import type { Vault } from '../crypto/vault.ts';
import type { Clock } from '../shared/clock.ts';
import { defined } from '../shared/defined.ts';
import { reencryptContent, type DerivedParts } from '../tokens/encrypt-content.ts';
import type { UnprovenToken, UnprovenSummary } from '../tokens/token.ts';
import type { UnprovenTokenStore } from '../tokens/token-store.ts';

export interface WalkTokensDeps {
  readonly tokenStore: UnprovenTokenStore;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** Most tokens that a step reads. */
const STEP = 200;
/** Most tokens whose data is in memory concurrently. Each may have 3.5 MB. */
const AT_ONCE = 10;
/** A step ends after this time, in ms: a third of a function's time limit. */
const STEP_MS = 20_000;

async function tokensAfter({ tokenStore }: WalkTokensDeps, tenantId: string, after: string | undefined) {
  const wanted = defined({ terms: [], expected: STEP, after });
  for await (const batch of tokenStore.candidates(tenantId, wanted))
    if (batch.length > 0) return batch.slice(0, STEP);
  return [];
}

/**
 * Acts on the tokens after a position, some at once, for a limited time. Returns the position of
 * the last one; `undefined` if there was none.
 */
export async function walkTokens(
  deps: WalkTokensDeps,
  tenantId: string,
  after: string | undefined,
  act: (tokens: readonly UnprovenSummary[]) => Promise<void>,
): Promise<string | undefined> {
  const deadline = deps.clock() + STEP_MS;
  const candidates = await tokensAfter(deps, tenantId, after);
  let last: string | undefined;
  for (let at = 0; at < candidates.length && (at === 0 || deps.clock() < deadline); at += AT_ONCE) {
    const turn = candidates.slice(at, at + AT_ONCE);
    const ids = turn.map(({ id }) => id);
    await act(await deps.tokenStore.findSummaries(tenantId, ids));
    last = turn.at(-1)?.position;
  }
  return last;
}

/**
 * Stores a token again, encrypted under the current key, with what was derived again. Returns false
 * if another writer changed it. A cvc is left out because it expires soon enough.
 */
export async function writeAgain(
  { tokenStore, vault }: Pick<WalkTokensDeps, 'tokenStore' | 'vault'>,
  token: UnprovenToken,
  derived: Partial<DerivedParts>,
): Promise<boolean> {
  const changed = { ...token, ...derived, version: token.version + 1 };
  const next = { ...changed, ...(await reencryptContent(vault, token, changed)) };
  const outcome = await tokenStore.update(token, { token: next });
  if (outcome === 'written') return true;
  // Another token may hold the lock under the new root. It stays there.
  if (outcome === 'changed' || 'idTakenBy' in outcome) return false;
  return (await tokenStore.update(token, { token: { ...next, holdsLock: false } })) === 'written';
}
