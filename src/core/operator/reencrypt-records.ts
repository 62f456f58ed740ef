import { changeTenant, existingTenant, type TenantDeps } from '../tenants/change-tenant.ts';
import type { ReencryptionWalk, Tenant } from '../tenants/tenant.ts';
import { currentRoot, searchedRoots, type WrappedRoot } from '../crypto/key-ring.ts';
import { macVersion } from '../crypto/record-mac.ts';
import { dataKeyVersion } from '../crypto/record-encryption.ts';
import { FORGOTTEN_MS, type TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import { reencrypted } from '../stored-proxies/reencrypt-proxy.ts';
import type { ProxyStore } from '../stored-proxies/proxy-store.ts';
import type { StoredProxy } from '../stored-proxies/stored-proxy.ts';
import { proven } from '../tokens/encrypt-content.ts';
import { openReactor, encryptContent } from '../reactors/open-reactor.ts';
import { reencryptedPackages } from '../reactors/encrypted-packages.ts';
import type { StoredReactor } from '../reactors/reactor.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import { ServiceError } from '../shared/service-error.ts';
import { rederive } from '../tokens/rederive.ts';
import type { UnprovenToken, UnprovenSummary } from '../tokens/token.ts';
import type { UnprovenTokenStore } from '../tokens/token-store.ts';
import { withReencryptedSecrets } from '../webhooks/webhook-secrets.ts';
import { walkTokens, writeAgain } from './walk-tokens.ts';

export interface ReencryptDeps extends TenantDeps {
  readonly tokenStore: UnprovenTokenStore;
  readonly reactorStore: ReactorStore;
  readonly proxyStore: Pick<ProxyStore, 'list' | 'versions' | 'update'>;
  readonly tenantKeys: TenantKeys;
  readonly vault: Vault;
  /** Called with the reason why a record could not be opened. */
  readonly onFailure: (error: unknown) => void;
}

/** Counts what one step did. */
export interface ReencryptStep {
  /** Number of records that were encrypted again. */
  readonly reencrypted: number;
  /** Number of records that were read. */
  readonly seen: number;
  /** Ids of records of this step that do not open. Their content is lost unless it is restored. */
  readonly unreadable: readonly string[];
  /**
   * Number of records of the whole walk so far that were left unchanged. They are unreadable, or
   * busy; another walk finds the busy ones again.
   */
  readonly left: number;
  readonly isDone: boolean;
}

/** So many reactors are open at once, since each may bring megabytes of packages. */
const REACTORS_AT_ONCE = 10;

/** Attempts to reencrypt a token that other writers change meanwhile. */
const ATTEMPTS = 4;

/** The state that every record must have after a walk. */
interface Goal {
  /** The records must be encrypted by this version of the data key, or a newer one. */
  readonly version: number;
  /**
   * The first version of the root to derive from. `termsSince` is that of the oldest root from
   * which terms may also be derived.
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

type Outcome = 'up to date' | 'reencrypted' | 'unreadable' | 'left';

const isEncryptedBefore = (version: number, encrypted: Buffer | undefined): boolean =>
  encrypted !== undefined && dataKeyVersion(encrypted) < version;

type Summary = Omit<UnprovenToken, 'encryptedData'> & { readonly encryptedData?: Buffer | undefined };

const isDerivedBefore = ({ derivedSince, termsSince }: Goal, token: Summary): boolean =>
  token.derivedSince < derivedSince || (token.terms.length > 0 && token.termsSince < termsSince);

const isOld = (goal: Goal, token: Summary): boolean =>
  [token.encryptedData, token.encryptedDetails].some((encrypted) =>
    isEncryptedBefore(goal.version, encrypted),
  ) ||
  macVersion(token.clearMac) < goal.derivedSince ||
  isDerivedBefore(goal, token);

/** Encrypts a token again, and derives its values again if they come from another root. */
async function sealToken(deps: ReencryptDeps, token: UnprovenToken, goal: Goal): Promise<Outcome> {
  const derived = isDerivedBefore(goal, token) ? await rederive(deps, await proven(deps.vault, token)) : {};
  return (await writeAgain(deps, token, derived)) ? 'reencrypted' : 'left';
}

/**
 * Reads and reencrypts a token in a few attempts. Other writers may change it meanwhile, and a busy
 * token must not stop the walk.
 */
async function reencryptToken(deps: ReencryptDeps, found: UnprovenSummary, goal: Goal): Promise<Outcome> {
  let summary: UnprovenSummary | undefined = found;
  for (let attempt = 0; attempt < ATTEMPTS && summary !== undefined; attempt += 1) {
    // The key version of data in separate items is known only after it is read.
    const isDone = summary.encryptedData !== undefined && !isOld(goal, summary);
    const [token] = isDone ? [] : await deps.tokenStore.readData([summary]);
    if (token === undefined || !isOld(goal, token)) return 'up to date';
    const outcome = await sealToken(deps, token, goal);
    if (outcome !== 'left') return outcome;
    [summary] = await deps.tokenStore.findSummaries(token.tenantId, [token.id]);
  }
  return summary === undefined ? 'up to date' : 'left';
}

async function reencryptReactor(deps: ReencryptDeps, reactor: StoredReactor, goal: Goal): Promise<Outcome> {
  const { encryptedCode, encryptedConfiguration, operation, packages } = reactor;
  // The key of packages is known only after they are read.
  const encryptedPackages = await deps.reactorStore.findPackages(reactor);
  const all = [encryptedCode, encryptedConfiguration, encryptedPackages];
  if (!all.some((encrypted) => isEncryptedBefore(goal.version, encrypted))) return 'up to date';
  if (operation !== undefined) return 'left';
  const encrypted = await encryptContent(deps.vault, reactor, await openReactor(deps.vault, reactor));
  const next = { ...reactor, ...encrypted, version: reactor.version + 1 };
  const again = await reencryptedPackages(deps, reactor);
  const isWritten =
    again === undefined
      ? await deps.reactorStore.update(next)
      : await deps.reactorStore.update(
          { ...next, packages: again.packages },
          { before: packages, now: again.stored, isWithoutDeletion: true },
        );
  return isWritten ? 'reencrypted' : 'left';
}

async function reencryptProxy(deps: ReencryptDeps, proxy: StoredProxy, goal: Goal): Promise<Outcome> {
  const versions = await deps.proxyStore.versions(proxy);
  const encrypted = [proxy, ...versions].map(({ encryptedDefinition }) => encryptedDefinition);
  if (![...encrypted, proxy.encryptedConfiguration].some((each) => isEncryptedBefore(goal.version, each)))
    return 'up to date';
  const again = await reencrypted(deps, proxy, versions);
  return (await deps.proxyStore.update(proxy, again.next, again.versions)) ? 'reencrypted' : 'left';
}

/** Runs `act` for one record. If the record does not open, the others must still be encrypted. */
async function guarded(deps: ReencryptDeps, act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'validation_failed') throw error;
    deps.onFailure(error);
    return 'unreadable';
  }
}

interface Tally {
  reencrypted: number;
  seen: number;
  left: number;
  readonly unreadable: string[];
}

/** Acts on records, and counts the outcomes. */
async function actOn<T extends { readonly id: string }>(
  tally: Tally,
  records: readonly T[],
  act: (record: T) => Promise<Outcome>,
): Promise<void> {
  const outcomes = await Promise.all(records.map(async (record) => [record.id, await act(record)] as const));
  tally.seen += records.length;
  for (const [id, outcome] of outcomes) {
    if (outcome === 'reencrypted') tally.reencrypted += 1;
    if (outcome === 'unreadable') tally.unreadable.push(id);
    if (outcome === 'left' || outcome === 'unreadable') tally.left += 1;
  }
}

type WalkProgress = Omit<ReencryptionWalk, 'after'>;

/** A walk must start at this time or later to count for the root that is being introduced. */
function countsFrom({ startedAt, settledAt }: WrappedRoot): number {
  return (settledAt ?? startedAt ?? Infinity) + FORGOTTEN_MS;
}

/**
 * The walk to continue. A walk that no longer counts is started over as soon as a new one counts.
 */
function walkOf(tenant: Tenant, now: number): WalkProgress & Partial<ReencryptionWalk> {
  const { reencrypt: walk } = tenant;
  const [, root] = tenant.roots;
  const from = root === undefined ? 0 : countsFrom(root);
  const isVain = walk !== undefined && walk.startedAt < from && from <= now;
  return walk === undefined || isVain ? { startedAt: now, left: 0 } : walk;
}

/**
 * The root after a whole walk. The first walk makes all lasting data independent of the older root;
 * the second removes the values that are also derived from that.
 */
function concluded(root: WrappedRoot, walk: WalkProgress, now: number): WrappedRoot {
  if (walk.left > 0 || walk.startedAt < countsFrom(root)) return root;
  if (root.settledAt === undefined) return { ...root, settledAt: now };
  return root.clearedAt === undefined ? { ...root, clearedAt: now } : root;
}

/**
 * Stores the progress of the walk, unless a concurrent step has continued from the same position.
 */
async function advance(
  deps: ReencryptDeps,
  from: Tenant,
  walk: WalkProgress,
  after: string | undefined,
): Promise<void> {
  const seen = JSON.stringify(from.reencrypt);
  await changeTenant(deps, from.id, async (tenant) => {
    if (JSON.stringify(tenant.reencrypt) !== seen) return tenant;
    if (after !== undefined) return { ...tenant, reencrypt: { ...walk, after } };
    const { reencrypt: _, ...rest } = tenant;
    const [old, root] = rest.roots;
    if (old === undefined || root === undefined) return rest;
    const next = concluded(root, walk, deps.clock());
    const isSettled = root.settledAt === undefined && next.settledAt !== undefined;
    return { ...(isSettled ? await withReencryptedSecrets(deps, rest) : rest), roots: [old, next] };
  });
}

/**
 * Encrypts a part of a tenant's records under its current data key. The tenant stores the progress,
 * so an interrupted walk continues. Throws `not_found`.
 */
export async function reencryptStep(deps: ReencryptDeps, tenantId: string): Promise<ReencryptStep> {
  const tenant = await existingTenant(deps, tenantId);
  const now = deps.clock();
  // The vault encrypts under the cached ring, so this tenant must be cached.
  deps.tenantKeys.learn(tenantId, tenant);
  const walk = walkOf(tenant, now);
  const goal = goalOf(tenant, now);
  const tally: Tally = { reencrypted: 0, seen: 0, left: 0, unreadable: [] };
  const after = await walkTokens(deps, tenantId, walk.after, (summaries) =>
    actOn(tally, summaries, (summary) => guarded(deps, () => reencryptToken(deps, summary, goal))),
  );
  if (after === undefined) {
    for await (const batch of deps.reactorStore.list(tenantId, undefined))
      for (let at = 0; at < batch.length; at += REACTORS_AT_ONCE)
        await actOn(tally, batch.slice(at, at + REACTORS_AT_ONCE), (reactor) =>
          guarded(deps, () => reencryptReactor(deps, reactor, goal)),
        );
    for await (const batch of deps.proxyStore.list(tenantId, undefined))
      await actOn(tally, batch, (proxy) => guarded(deps, () => reencryptProxy(deps, proxy, goal)));
  }
  const left = walk.left + tally.left;
  await advance(deps, tenant, { startedAt: walk.startedAt, left }, after);
  const { reencrypted, seen, unreadable } = tally;
  return { reencrypted, seen, unreadable, left, isDone: after === undefined };
}
