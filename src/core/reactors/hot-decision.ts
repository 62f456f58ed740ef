import type { Clock } from '../shared/clock.ts';
import { isBusy, waiting } from './change-function.ts';
import {
  shareOf,
  type HotBudget,
  type HotPlaces,
  type HotPlaceStore,
  type Place,
  type ReactorHeat,
  type WaitingReactors,
} from './hot-places.ts';
import type { StoredReactor } from './reactor.ts';
import type { ReactorId } from './reactor-functions.ts';
import type { ReactorStore } from './reactor-store.ts';

export interface KeepHotDeps extends HotBudget {
  readonly clock: Clock;
  /** No call begins after this time, in ms since the epoch. */
  readonly until: number;
  readonly hotPlaceStore: HotPlaceStore;
  readonly waitingReactors: WaitingReactors;
  readonly reactorStore: Pick<ReactorStore, 'find' | 'update'>;
  readonly reactorHeat: ReactorHeat;
  /** Called for a reactor whose instances the account's quota does not allow. */
  readonly onCold: (reactor: ReactorId) => void;
  /** Called if one reactor fails. The others go on. */
  readonly onFailure: (error: unknown) => void;
}

export const DAY_MS = 24 * 60 * 60 * 1000;
/** A reactor that is not called for so long, in ms, gives up its place. */
const UNUSED_MS = 7 * DAY_MS;
/**
 * The most calls of Lambda's control plane in a run, which begins every minute: a thirtieth of the
 * account's rate. Creating, changing and deleting reactors go first.
 */
export const CALLS = 30;
/**
 * The most entries of the queue that a run reads: those of eight tenants with as many reactors as
 * the setting allows. No more can have their share.
 */
const LOOK_AHEAD = 8_000;
/** Reactors that are read at the same time. */
const READ_AT_ONCE = 25;

/** The time from which a reactor counts as unused, if it is not called again. */
const usedUntil = ({ calledOn, createdAt }: StoredReactor): number =>
  (calledOn === undefined ? createdAt : Date.parse(calledOn) + DAY_MS) + UNUSED_MS;

export const nameOf = ({ tenantId, id }: ReactorId): string => `${tenantId}/${id}`;

/** Counts places by tenant. */
function perTenant(places: readonly Place[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { tenantId } of places) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  return counts;
}

/** Reactors that come first in the queue. */
interface Waiting {
  /** Their tenants would have their share at most. */
  readonly fair: readonly ReactorId[];
  /** The others, whose turn comes if no fair one waits. */
  readonly later: readonly ReactorId[];
}

/** Reads the queue until it has found `most` fair ones, or its end. */
export async function readQueue(
  { waitingReactors }: KeepHotDeps,
  places: readonly Place[],
  capacity: number,
  most: number,
): Promise<Waiting> {
  const placed = new Set(places.map(nameOf));
  const counts = perTenant(places);
  const share = shareOf(capacity);
  const fair: ReactorId[] = [];
  const later: ReactorId[] = [];
  let seen = 0;
  for await (const batch of waitingReactors.list()) {
    for (const reactor of batch) {
      if (fair.length === most) return { fair, later };
      if (placed.has(nameOf(reactor))) continue;
      const count = counts.get(reactor.tenantId) ?? 0;
      if (count >= share) later.push(reactor);
      else {
        fair.push(reactor);
        counts.set(reactor.tenantId, count + 1);
      }
    }
    seen += batch.length;
    if (seen >= LOOK_AHEAD) break;
  }
  return { fair, later };
}

/** A record that cannot be read is that of one reactor, and stops no other's. */
export async function readReactor(
  { reactorStore, onFailure }: KeepHotDeps,
  { tenantId, id }: ReactorId,
): Promise<StoredReactor | undefined | 'unreadable'> {
  try {
    return await reactorStore.find(tenantId, id);
  } catch (error) {
    onFailure(error);
    return 'unreadable';
  }
}

const isWaiting = (reactor: StoredReactor | 'unreadable' | undefined): boolean =>
  typeof reactor === 'object' && reactor.heat?.state === 'waiting';

async function endOne(deps: KeepHotDeps, { id }: Place): Promise<'ended' | 'busy' | 'skipped'> {
  if (deps.clock() >= deps.until) return 'busy';
  try {
    return await deps.reactorHeat.end(id);
  } catch (error) {
    deps.onFailure(error);
    return 'skipped';
  }
}

/** The reactors that can have a place. Others leave the queue; busy ones stay in it. */
export async function admitted(
  deps: KeepHotDeps,
  reactors: readonly ReactorId[],
  { most, now }: { readonly most: number; readonly now: number },
): Promise<readonly ReactorId[]> {
  const fit: ReactorId[] = [];
  for (const { tenantId, id } of reactors) {
    if (fit.length === most) break;
    const reactor = await readReactor(deps, { tenantId, id });
    if (reactor === 'unreadable' || reactor?.state !== 'ready' || isBusy(reactor, now)) continue;
    if (usedUntil(reactor) <= now) await noteHeat(deps, reactor, undefined);
    else fit.push({ tenantId, id });
  }
  return fit;
}

/** Writes what a reactor has now. `false` if another writer has changed it. */
export async function noteHeat(
  { reactorStore }: KeepHotDeps,
  { heat: _, ...reactor }: StoredReactor,
  heat: StoredReactor['heat'],
): Promise<boolean> {
  return reactorStore.update({ ...reactor, ...(heat && { heat }), version: reactor.version + 1 });
}

type Found = ReadonlyMap<Place, StoredReactor | 'unreadable'>;

async function readAll(deps: KeepHotDeps, places: readonly Place[]): Promise<Found> {
  const found = new Map<Place, StoredReactor | 'unreadable'>();
  for (let start = 0; start < places.length; start += READ_AT_ONCE) {
    const reading = places.slice(start, start + READ_AT_ONCE).map(async (place) => {
      const reactor = await readReactor(deps, place);
      if (reactor === 'unreadable' || reactor?.state === 'ready') found.set(place, reactor);
    });
    await Promise.all(reading);
  }
  return found;
}

/**
 * The newest places of tenants that have more than their share, as many as others can use. Places
 * come oldest first.
 */
async function overShare(
  deps: KeepHotDeps,
  places: readonly Place[],
  capacity: number,
): Promise<readonly Place[]> {
  const share = shareOf(capacity);
  const counts = perTenant(places);
  const excess = places.toReversed().filter(({ tenantId }) => {
    const count = counts.get(tenantId) ?? 0;
    counts.set(tenantId, count - 1);
    return count > share;
  });
  if (excess.length === 0) return [];
  const free = capacity - places.length;
  const { fair } = await readQueue(deps, places, capacity, free + excess.length);
  return excess.slice(0, Math.max(0, fair.length - free));
}

export interface Decision {
  readonly places: readonly Place[];
  /** Whether calls are left to make, with which the next run goes on. */
  readonly isUnfinished: boolean;
}

/** Takes the places of reactors that are gone, unused, or too many. */
export async function decide(
  deps: KeepHotDeps,
  before: HotPlaces,
  capacity: number,
  now: number,
): Promise<Decision> {
  const found = await readAll(deps, before.places);
  const used = before.places.filter((place) => {
    const reactor = found.get(place);
    return reactor === 'unreadable' || (reactor !== undefined && usedUntil(reactor) > now);
  });
  // With another number of instances, all places are handed out again.
  const most = before.instances === deps.hotConcurrency ? capacity : 0;
  const fit = used.toSorted((a, b) => a.since - b.since).slice(0, most);
  const over = new Set(await overShare(deps, fit, capacity));
  const stays = new Set(fit.filter((place) => !over.has(place)));
  const gone = before.places.filter((place) => !found.has(place));
  const leaving = before.places.filter((place) => found.has(place) && !stays.has(place));
  const left = new Set<Place>(gone);
  // Their instances have ended or, for a function that was made again, never began.
  const idle = new Set(before.places.filter((place) => isWaiting(found.get(place))));
  let isUnfinished = leaving.length > CALLS;
  // A place that cannot leave now does so in an hour, but with another number of instances.
  const skip = () => (isUnfinished ||= most === 0);
  for (const place of leaving.slice(0, CALLS)) {
    const reactor = found.get(place);
    const isStuck = reactor === undefined || reactor === 'unreadable' || isBusy(reactor, now);
    const ended = isStuck ? 'skipped' : await endOne(deps, place);
    if (ended === 'busy') {
      isUnfinished = true;
      break;
    }
    if (isStuck || ended === 'skipped') {
      skip();
      continue;
    }
    idle.add(place);
    const next = usedUntil(reactor) <= now ? undefined : waiting(reactor, now).heat;
    if (await noteHeat(deps, reactor, next)) left.add(place);
    else isUnfinished = true;
  }
  const places = before.places
    .filter((place) => !left.has(place))
    .map((place) => (idle.has(place) ? { ...place, isGranted: false } : place));
  return { places, isUnfinished };
}
