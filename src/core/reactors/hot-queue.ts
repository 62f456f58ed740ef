import type { HotAllowanceStore } from './hot-allowances.ts';
import {
  shareOf,
  type HotBudget,
  type Place,
  type WaitingReactor,
  type WaitingReactors,
} from './hot-places.ts';
import type { ReactorId } from './reactor-functions.ts';

export interface HotQueueDeps extends HotBudget {
  readonly waitingReactors: WaitingReactors;
  /**
   * Reads by tenant what an operator allowed. A run reads it once, and only if it matters.
   */
  readonly allowances: () => Promise<ReadonlyMap<string, number>>;
}

/** Reads the allowances at the first call. */
export function readOnce(store: Pick<HotAllowanceStore, 'find'>): HotQueueDeps['allowances'] {
  let found: Promise<ReadonlyMap<string, number>> | undefined;
  return () => (found ??= store.find().then(({ byTenant }) => byTenant));
}

/**
 * The most entries of the queue that a run reads: those of eight tenants with as many reactors as
 * the setting allows. No more can have their share.
 */
const LOOK_AHEAD = 8_000;

export const nameOf = ({ tenantId, id }: ReactorId): string => `${tenantId}/${id}`;

/** The most instances that one reactor of a tenant may have. */
export async function limitOf({ hotConcurrency, allowances }: HotQueueDeps, tenantId: string) {
  return Math.max(hotConcurrency, (await allowances()).get(tenantId) ?? 0);
}

/**
 * The number of instances that a reactor is to have: what its owner asks for, within what its
 * tenant may have now.
 */
export async function wantedBy(
  deps: HotQueueDeps,
  { tenantId, warmConcurrency = deps.hotConcurrency }: WaitingReactor,
): Promise<number> {
  const most = warmConcurrency <= deps.hotConcurrency ? warmConcurrency : await limitOf(deps, tenantId);
  // More than the whole budget would never fit.
  return Math.min(warmConcurrency, most, deps.hotInstances);
}

/** Counts instances by tenant. */
export function perTenant(places: readonly Place[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { tenantId, instances } of places) counts.set(tenantId, (counts.get(tenantId) ?? 0) + instances);
  return counts;
}

/** Reactors that come first in the queue. */
interface Waiting {
  /** Their tenants would have their share at most. */
  readonly fair: readonly ReactorId[];
  /** How many instances these wait for is their sum. */
  readonly fairInstances: number;
  /** The others, whose turn comes if no fair one waits. */
  readonly later: readonly ReactorId[];
  /** They are to have none, and need not wait. */
  readonly unwanted: readonly ReactorId[];
}

/** Reads the queue until it has found `most` fair ones, or its end. */
export async function readQueue(
  deps: HotQueueDeps,
  places: readonly Place[],
  most: number,
): Promise<Waiting> {
  const placed = new Set(places.map(nameOf));
  const counts = perTenant(places);
  const share = shareOf(deps);
  const fair: ReactorId[] = [];
  const later: ReactorId[] = [];
  const unwanted: ReactorId[] = [];
  let fairInstances = 0;
  let seen = 0;
  for await (const batch of deps.waitingReactors.list()) {
    for (const reactor of batch) {
      if (fair.length === most) return { fair, fairInstances, later, unwanted };
      if (placed.has(nameOf(reactor))) continue;
      const wanted = await wantedBy(deps, reactor);
      const count = (counts.get(reactor.tenantId) ?? 0) + wanted;
      if (wanted === 0) unwanted.push(reactor);
      else if (count > share) later.push(reactor);
      else {
        fair.push(reactor);
        fairInstances += wanted;
        counts.set(reactor.tenantId, count);
      }
    }
    seen += batch.length;
    if (seen >= LOOK_AHEAD) break;
  }
  return { fair, fairInstances, later, unwanted };
}
