import { changeTenant, existingTenant, type TenantDeps } from './change-tenant.ts';
import type { ResealWalk, Tenant } from './tenant.ts';
import { currentRoot, searchedRoots, type WrappedRoot } from '../crypto/key-ring.ts';
import { dataKeyVersion } from '../crypto/record-seal.ts';
import { FORGOTTEN_MS, type TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { openReactor, sealContent } from '../reactors/open-reactor.ts';
import type { StoredReactor } from '../reactors/reactor.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { Clock } from '../shared/clock.ts';
import { defined } from '../shared/defined.ts';
import { ServiceError } from '../shared/service-error.ts';
import { derivedAnew } from '../tokens/derive-anew.ts';
import { sealAnew } from '../tokens/seal-token.ts';
import type { StoredToken, TokenHead } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { withResealedSecrets } from '../webhooks/webhook-secrets.ts';

export interface ResealDeps extends TenantDeps {
  readonly tokenStore: TokenStore;
  readonly reactorStore: ReactorStore;
  readonly tenantKeys: TenantKeys;
  readonly vault: Vault;
  readonly clock: Clock;
  /** Told why a record could not be opened. */
  readonly onFailure: (error: unknown) => void;
}

/** What one step did. */
export interface ResealStep {
  /** Records that were sealed anew. */
  readonly resealed: number;
  /** Records that were looked at. */
  readonly seen: number;
  /** Ids of records of this step that do not open: their content is lost, unless it is restored. */
  readonly unreadable: readonly string[];
  /**
   * Records of the whole walk so far that were left as they are: unreadable, or busy, which another
   * walk finds again.
   */
  readonly left: number;
  readonly isDone: boolean;
}

/** Tokens that a step looks at. */
const STEP = 200;
/** Tokens whose data is in memory at once: each may be of 3.5 MB. */
const AT_ONCE = 10;
/** After so long a step ends, in ms: a third of the time that a function has. */
const STEP_MS = 20_000;
/** Tries to re-seal a token that changes meanwhile. */
const TRIES = 4;

/** What the records of a walk must come to. */
interface Goal {
  /** The version of the data key to be sealed under, or newer. */
  readonly version: number;
  /**
   * The first version of the root to be derived from, and of the oldest that terms may be derived
   * from beside.
   */
  readonly derivedSince: number;
  readonly termsSince: number;
}

function goalOf(tenant: Tenant, now: number): Goal {
  return {
    version: tenant.keyVersion,
    derivedSince: currentRoot(tenant)?.since ?? 0,
    termsSince: searchedRoots(tenant, now - FORGOTTEN_MS)[0]?.since ?? 0,
  };
}

type Outcome = 'as it should be' | 'resealed' | 'unreadable' | 'left';

const isSealedBefore = (version: number, sealed: Buffer | undefined): boolean =>
  sealed !== undefined && dataKeyVersion(sealed) < version;

type Head = Omit<StoredToken, 'sealedData'> & { readonly sealedData?: Buffer | undefined };

const isDerivedBefore = ({ derivedSince, termsSince }: Goal, token: Head): boolean =>
  token.derivedSince < derivedSince || (token.terms.length > 0 && token.termsSince < termsSince);

const isOld = (goal: Goal, token: Head): boolean =>
  [token.sealedData, token.sealedDetails].some((sealed) => isSealedBefore(goal.version, sealed)) ||
  isDerivedBefore(goal, token);

/**
 * Seals a token anew, and derives it anew if it stems from another root. A cvc does not live long
 * enough to be worth it.
 */
async function sealToken(deps: ResealDeps, token: StoredToken, goal: Goal): Promise<Outcome> {
  const resealed = { ...token, ...(await sealAnew(deps.vault, token, token)), version: token.version + 1 };
  const next = isDerivedBefore(goal, token) ? { ...resealed, ...(await derivedAnew(deps, token)) } : resealed;
  const outcome = await deps.tokenStore.update(token, { token: next });
  if (outcome === 'written') return 'resealed';
  // A lock under the new root that another token holds is left to it.
  if (outcome === 'changed' || 'taken' in outcome) return 'left';
  const again = await deps.tokenStore.update(token, { token: { ...next, holdsLock: false } });
  return again === 'written' ? 'resealed' : 'left';
}

/**
 * Reads a token again that others change meanwhile, a few times: nobody waits for who keeps a token
 * busy.
 */
async function resealToken(deps: ResealDeps, found: TokenHead, goal: Goal): Promise<Outcome> {
  let head: TokenHead | undefined = found;
  for (let tries = 0; tries < TRIES && head !== undefined; tries += 1) {
    // What data beside its token is sealed under shows only when it is read.
    const isDone = head.sealedData !== undefined && !isOld(goal, head);
    const [token] = isDone ? [] : await deps.tokenStore.readData([head]);
    if (token === undefined || !isOld(goal, token)) return 'as it should be';
    const outcome = await sealToken(deps, token, goal);
    if (outcome !== 'left') return outcome;
    [head] = await deps.tokenStore.findHeads(token.tenantId, [token.id]);
  }
  return head === undefined ? 'as it should be' : 'left';
}

async function resealReactor(deps: ResealDeps, reactor: StoredReactor, goal: Goal): Promise<Outcome> {
  const { sealedCode, sealedConfiguration, operation } = reactor;
  if (![sealedCode, sealedConfiguration].some((sealed) => isSealedBefore(goal.version, sealed)))
    return 'as it should be';
  if (operation !== undefined) return 'left';
  const sealed = await sealContent(deps.vault, reactor, await openReactor(deps.vault, reactor));
  const isWritten = await deps.reactorStore.update({ ...reactor, ...sealed, version: reactor.version + 1 });
  return isWritten ? 'resealed' : 'left';
}

/** One record that does not open must not keep the others from being sealed. */
async function guarded(deps: ResealDeps, act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'validation_failed') throw error;
    deps.onFailure(error);
    return 'unreadable';
  }
}

/** Counts what becomes of records. */
class Tally {
  resealed = 0;
  seen = 0;
  left = 0;
  readonly unreadable: string[] = [];

  async add<T extends { readonly id: string }>(
    records: readonly T[],
    act: (record: T) => Promise<Outcome>,
  ): Promise<void> {
    const outcomes = await Promise.all(
      records.map(async (record) => [record.id, await act(record)] as const),
    );
    this.seen += records.length;
    for (const [id, outcome] of outcomes) {
      if (outcome === 'resealed') this.resealed += 1;
      if (outcome === 'unreadable') this.unreadable.push(id);
      if (outcome === 'left' || outcome === 'unreadable') this.left += 1;
    }
  }
}

async function tokensAfter(deps: ResealDeps, tenantId: string, after: string | undefined) {
  const wanted = defined({ terms: [], expected: STEP, after });
  for await (const batch of deps.tokenStore.candidates(tenantId, wanted))
    if (batch.length > 0) return batch.slice(0, STEP);
  return [];
}

/**
 * Works on the tokens after a position, for a while; answers with the position of the last, or
 * `undefined` if there was none.
 */
async function resealTokens(
  deps: ResealDeps,
  tenantId: string,
  after: string | undefined,
  goal: Goal,
  tally: Tally,
): Promise<string | undefined> {
  const deadline = deps.clock() + STEP_MS;
  const candidates = await tokensAfter(deps, tenantId, after);
  let last: string | undefined;
  for (let at = 0; at < candidates.length && (at === 0 || deps.clock() < deadline); at += AT_ONCE) {
    const turn = candidates.slice(at, at + AT_ONCE);
    const heads = await deps.tokenStore.findHeads(
      tenantId,
      turn.map(({ id }) => id),
    );
    await tally.add(heads, (head) => guarded(deps, () => resealToken(deps, head, goal)));
    last = turn.at(-1)?.position;
  }
  return last;
}

/** A walk without the place that it has come to. */
type Walked = Omit<ResealWalk, 'after'>;

/** The time from which on a walk must have begun to count for the root that is being introduced. */
function countsFrom({ startedAt, settledAt }: WrappedRoot): number {
  return (settledAt ?? startedAt ?? Infinity) + FORGOTTEN_MS;
}

/**
 * The walk to go on with: one that cannot count any more is begun anew as soon as another one
 * could.
 */
function walkOf(tenant: Tenant, now: number): Walked & Partial<ResealWalk> {
  const { reseal: walk } = tenant;
  const [, root] = tenant.roots;
  const from = root === undefined ? 0 : countsFrom(root);
  const isVain = walk !== undefined && walk.startedAt < from && from <= now;
  return walk === undefined || isVain ? { startedAt: now, left: 0 } : walk;
}

/**
 * The root after a whole walk: the first makes everything that lasts independent of the older one,
 * the second takes away what it left beside.
 */
function concluded(root: WrappedRoot, walk: Walked, now: number): WrappedRoot {
  if (walk.left > 0 || walk.startedAt < countsFrom(root)) return root;
  if (root.settledAt === undefined) return { ...root, settledAt: now };
  return root.clearedAt === undefined ? { ...root, clearedAt: now } : root;
}

/** Writes down how far the walk has come, unless somebody else has gone on from where it was. */
async function advance(
  deps: ResealDeps,
  from: Tenant,
  walk: Walked,
  after: string | undefined,
): Promise<void> {
  const seen = JSON.stringify(from.reseal);
  await changeTenant(deps, from.id, async (tenant) => {
    if (JSON.stringify(tenant.reseal) !== seen) return tenant;
    if (after !== undefined) return { ...tenant, reseal: { ...walk, after } };
    const { reseal: _, ...rest } = tenant;
    const [old, root] = rest.roots;
    if (old === undefined || root === undefined) return rest;
    const next = concluded(root, walk, deps.clock());
    const isSettled = root.settledAt === undefined && next.settledAt !== undefined;
    return { ...(isSettled ? await withResealedSecrets(deps, rest) : rest), roots: [old, next] };
  });
}

/**
 * One step of sealing a tenant's records under its current data key, while the service goes on:
 * tokens newest first, then reactors. The tenant knows how far the walk has come, so that a step is
 * repeated by asking for it again, whoever does, and a walk that was cut off goes on. Throws
 * `not_found`.
 */
export async function resealStep(deps: ResealDeps, tenantId: string): Promise<ResealStep> {
  const tenant = await existingTenant(deps, tenantId);
  const now = deps.clock();
  // The vault seals under what is remembered.
  deps.tenantKeys.learn(tenantId, tenant);
  const [walk, goal, tally] = [walkOf(tenant, now), goalOf(tenant, now), new Tally()];
  const after = await resealTokens(deps, tenantId, walk.after, goal, tally);
  if (after === undefined)
    for await (const batch of deps.reactorStore.list(tenantId, undefined))
      await tally.add(batch, (reactor) => guarded(deps, () => resealReactor(deps, reactor, goal)));
  const left = walk.left + tally.left;
  await advance(deps, tenant, { startedAt: walk.startedAt, left }, after);
  const { resealed, seen, unreadable } = tally;
  return { resealed, seen, unreadable, left, isDone: after === undefined };
}
