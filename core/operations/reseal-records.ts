import { changeTenant, existingTenant, type TenantDeps } from '../applications/change-tenant.ts';
import { currentRoot } from '../crypto/key-ring.ts';
import { dataKeyVersion } from '../crypto/record-seal.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { openReactor, sealContent } from '../reactors/open-reactor.ts';
import type { StoredReactor } from '../reactors/reactor.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { Clock } from '../shared/clock.ts';
import { invalid } from '../shared/service-error.ts';
import { withAnotherRoot } from '../tokens/derive-anew.ts';
import { sealAnew } from '../tokens/seal-token.ts';
import type { StoredToken } from '../tokens/token.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { withResealedSecrets } from '../webhooks/webhook-secrets.ts';
import { FORGOTTEN_MS } from './replace-root.ts';

export interface ResealDeps extends TenantDeps {
  readonly tokenStore: TokenStore;
  readonly reactorStore: ReactorStore;
  readonly tenantKeys: TenantKeys;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** What one step did. */
export interface ResealStep {
  /** Records that were sealed anew. */
  readonly resealed: number;
  /** Records that were looked at. */
  readonly seen: number;
  /** Records of the whole walk so far that were busy: another walk finds them. */
  readonly left: number;
  /** Where to go on; absent after the last step. */
  readonly next?: string;
}

/** Tokens of a step: what a function does well within its time, whatever their size. */
const STEP = 200;
/** Tokens at once. */
const AT_ONCE = 10;
/** Tries to re-seal a token that changes meanwhile. */
const TRIES = 4;

/** What is re-sealed after the tokens. */
const REACTORS = 'reactors';

/** A walk over all records: when it began (ms since the epoch), what it had to leave, and where it is. */
interface Walk {
  readonly startedAt: number;
  readonly left: number;
  readonly at: string | undefined;
}

function readWalk(from: string | undefined, now: number): Walk {
  if (from === undefined) return { startedAt: now, left: 0, at: undefined };
  const [, startedAt, left, at] = /^(\d+)\.(\d+)\.(.+)$/.exec(from) ?? [];
  if (at === undefined) throw invalid('after', 'is not where a walk goes on');
  return { startedAt: Number(startedAt), left: Number(left), at };
}

const writeWalk = ({ startedAt, left }: Walk, at: string) => `${String(startedAt)}.${String(left)}.${at}`;

/** What the records of a walk must come to. */
interface Goal {
  /** The version of the data key to be sealed under, or newer. */
  readonly version: number;
  /** The first version of the root to be derived from. */
  readonly rootSince: number;
}

type Outcome = 'as it should be' | 'resealed' | 'left';

/** Reads a token again that others change meanwhile, a few times: nobody waits for who keeps a token busy. */
async function resealToken(deps: ResealDeps, found: StoredToken, goal: Goal): Promise<Outcome> {
  let token: StoredToken | undefined = found;
  for (let tries = 0; tries < TRIES && token !== undefined; tries += 1) {
    const outcome = await tryToReseal(deps, token, goal);
    if (outcome !== 'left') return outcome;
    token = await deps.tokenStore.find(token.tenantId, token.id);
  }
  return token === undefined ? 'as it should be' : 'left';
}

async function tryToReseal(deps: ResealDeps, token: StoredToken, goal: Goal): Promise<Outcome> {
  const { vault, tenantKeys } = deps;
  const isOld = (sealed: Buffer | undefined) => sealed !== undefined && dataKeyVersion(sealed) < goal.version;
  const isOfOldRoot = token.derivedSince < goal.rootSince;
  // A cvc does not live long enough to be worth it.
  if (!isOld(token.sealedData) && !isOld(token.sealedDetails) && !isOfOldRoot) return 'as it should be';
  const resealed = { ...token, ...(await sealAnew(vault, token, token)), version: token.version + 1 };
  const next = isOfOldRoot ? await withAnotherRoot({ vault, tenantKeys }, token, resealed) : resealed;
  const outcome = await deps.tokenStore.update(token, { token: next });
  if (outcome === 'written') return 'resealed';
  // A lock under the new root that another token holds is left to it.
  if (outcome === 'changed' || 'taken' in outcome) return 'left';
  const again = await deps.tokenStore.update(token, { token: { ...next, holdsLock: false } });
  return again === 'written' ? 'resealed' : 'left';
}

async function resealReactor(deps: ResealDeps, reactor: StoredReactor, goal: Goal): Promise<Outcome> {
  const { sealedCode, sealedConfiguration, operation } = reactor;
  if ([sealedCode, sealedConfiguration].every((sealed) => dataKeyVersion(sealed) >= goal.version))
    return 'as it should be';
  if (operation !== undefined) return 'left';
  const sealed = await sealContent(deps.vault, reactor, await openReactor(deps.vault, reactor));
  const isWritten = await deps.reactorStore.update({ ...reactor, ...sealed, version: reactor.version + 1 });
  return isWritten ? 'resealed' : 'left';
}

interface Counts {
  readonly resealed: number;
  readonly seen: number;
  readonly left: number;
}

async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<Outcome>): Promise<Counts> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    outcomes.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(act))));
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  return { resealed: count('resealed'), seen: items.length, left: count('left') };
}

async function tokensAfter(deps: ResealDeps, tenantId: string, after: string | undefined) {
  const wanted = { terms: [], expected: STEP, ...(after === undefined ? {} : { after }) };
  for await (const batch of deps.tokenStore.candidates(tenantId, wanted))
    if (batch.length > 0) return batch.slice(0, STEP);
  return [];
}

/** Writes down that nothing which lasts needs an older root, after a walk that began when nobody sealed under one any more and left nothing. */
async function conclude(deps: ResealDeps, tenantId: string, { startedAt, left }: Walk): Promise<void> {
  await changeTenant(deps, tenantId, async (tenant) => {
    const root = currentRoot(tenant);
    const isWhole = left === 0 && root !== undefined && startedAt >= (root.startedAt ?? 0) + FORGOTTEN_MS;
    if (!isWhole || tenant.resealedSince === root.since) return tenant;
    return { ...(await withResealedSecrets(deps, tenant)), resealedSince: root.since };
  });
}

/**
 * One step of sealing a tenant's records under its current data key, while the service goes on: tokens newest first, then reactors, then the
 * webhook secrets. Every step can be repeated, and a walk that was cut off goes on from the last `next`, or from the beginning, where it finds
 * nothing left to do. Throws `not_found`, and `validation_failed` for a `from` that is no `next`.
 */
export async function resealStep(
  deps: ResealDeps,
  tenantId: string,
  from: string | undefined,
): Promise<ResealStep> {
  const walk = readWalk(from, deps.clock());
  // The vault seals under what is remembered: what is read here is remembered from now on.
  const { version } = await deps.tenantKeys.newest(tenantId, 'data');
  const rootSince = currentRoot(await existingTenant(deps, tenantId))?.since ?? 0;
  const goal = { version, rootSince };
  if (walk.at !== REACTORS) {
    const candidates = await tokensAfter(deps, tenantId, walk.at);
    const last = candidates.at(-1);
    if (last === undefined) return { resealed: 0, seen: 0, left: walk.left, next: writeWalk(walk, REACTORS) };
    const ids = candidates.map(({ id }) => id);
    const found = await deps.tokenStore.findMany(tenantId, ids);
    const counts = await inTurns(found, (token) => resealToken(deps, token, goal));
    const left = walk.left + counts.left;
    return { ...counts, left, next: writeWalk({ ...walk, left }, last.position) };
  }
  let counts: Counts = { resealed: 0, seen: 0, left: walk.left };
  for await (const batch of deps.reactorStore.list(tenantId, undefined)) {
    const more = await inTurns(batch, (reactor) => resealReactor(deps, reactor, goal));
    counts = {
      resealed: counts.resealed + more.resealed,
      seen: counts.seen + more.seen,
      left: counts.left + more.left,
    };
  }
  await conclude(deps, tenantId, { ...walk, left: counts.left });
  return counts;
}
