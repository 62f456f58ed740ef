import type { Clock } from '../shared/clock.ts';
import { isBusy, waiting } from './change-function.ts';
import type { HotAllowanceStore } from './hot-allowances.ts';
import {
  instancesOf,
  shareOf,
  type HotBudget,
  type HotPlaces,
  type HotPlaceStore,
  type Place,
  type ReactorHeat,
  type WaitingReactors,
} from './hot-places.ts';
import { limitOf, nameOf, perTenant, readQueue, wantedBy, type HotQueueDeps } from './hot-queue.ts';
import type { StoredReactor } from './reactor.ts';
import type { ReactorId } from './reactor-functions.ts';
import type { ReactorStore } from './reactor-store.ts';

export interface KeepHotDeps extends HotBudget {
  readonly clock: Clock;
  /** No call begins after this time, in ms since the epoch. */
  readonly until: number;
  readonly hotPlaceStore: HotPlaceStore;
  readonly hotAllowanceStore: Pick<HotAllowanceStore, 'find'>;
  readonly waitingReactors: WaitingReactors;
  readonly reactorStore: Pick<ReactorStore, 'find' | 'update'>;
  readonly reactorHeat: ReactorHeat;
  /** Called for a reactor whose instances the account's quota does not allow. */
  readonly onCold: (reactor: ReactorId) => void;
  /** Called if one reactor fails. The others go on. */
  readonly onFailure: (error: unknown) => void;
}

/** The dependencies of one run. */
export type HotRun = KeepHotDeps & HotQueueDeps;

export const DAY_MS = 24 * 60 * 60 * 1000;
/** A reactor that is not called for so long, in ms, gives up its place. */
const UNUSED_MS = 7 * DAY_MS;
/**
 * The most calls of Lambda's control plane in a run, which begins every minute: a thirtieth of the
 * account's rate. Creating, changing and deleting reactors go first.
 */
export const CALLS = 30;
/** Reactors that are read at the same time. */
const READ_AT_ONCE = 25;

/** The time from which a reactor counts as unused, if it is not called again. */
const usedUntil = ({ calledOn, createdAt }: StoredReactor): number =>
  (calledOn === undefined ? createdAt : Date.parse(calledOn) + DAY_MS) + UNUSED_MS;

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

/** The reactors that can have a place, as long as instances and places are free. */
export async function admitted(
  deps: HotRun,
  reactors: readonly ReactorId[],
  { free, most, now }: { readonly free: number; readonly most: number; readonly now: number },
): Promise<readonly Place[]> {
  const fit: Place[] = [];
  let left = free;
  for (const { tenantId, id } of reactors) {
    if (fit.length === most || left === 0) break;
    const reactor = await readReactor(deps, { tenantId, id });
    // Busy ones stay in the queue, as do those that want more than is left.
    if (reactor === 'unreadable' || reactor?.state !== 'ready' || isBusy(reactor, now)) continue;
    const instances = usedUntil(reactor) <= now ? 0 : await wantedBy(deps, reactor);
    if (instances === 0) await noteHeat(deps, reactor, undefined);
    else if (instances <= left) {
      fit.push({ tenantId, id, instances, since: now, isGranted: false });
      left -= instances;
    }
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

/** The reactors of places, by the names of these. */
type Found = ReadonlyMap<string, StoredReactor | 'unreadable'>;

async function readAll(deps: KeepHotDeps, places: readonly Place[]): Promise<Found> {
  const found = new Map<string, StoredReactor | 'unreadable'>();
  for (let start = 0; start < places.length; start += READ_AT_ONCE) {
    const reading = places.slice(start, start + READ_AT_ONCE).map(async (place) => {
      const reactor = await readReactor(deps, place);
      if (reactor === 'unreadable' || reactor?.state === 'ready') found.set(nameOf(place), reactor);
    });
    await Promise.all(reading);
  }
  return found;
}

/**
 * The newest places of tenants that have more than their share, as many as others can use. Places
 * come oldest first.
 */
async function overShare(deps: HotRun, places: readonly Place[]): Promise<readonly Place[]> {
  const share = shareOf(deps);
  const counts = perTenant(places);
  const excess = places.toReversed().filter(({ tenantId, instances }) => {
    const count = counts.get(tenantId) ?? 0;
    if (count <= share) return false;
    counts.set(tenantId, count - instances);
    return true;
  });
  if (excess.length === 0) return [];
  const free = deps.hotInstances - instancesOf(places);
  const { fairInstances } = await readQueue(deps, places, free + instancesOf(excess));
  const over: Place[] = [];
  for (const place of excess) {
    if (free + instancesOf(over) >= fairInstances) break;
    over.push(place);
  }
  return over;
}

/** The number of instances that places are to have, by their names. One without it gives up. */
type Sizes = ReadonlyMap<string, number>;

/** The instances that reactors are to have, whatever the budget is. */
async function wantedSizes(
  deps: HotRun,
  places: readonly Place[],
  found: Found,
  now: number,
): Promise<Sizes> {
  const sizes = new Map<string, number>();
  for (const place of places) {
    const reactor = found.get(nameOf(place));
    if (reactor === undefined) continue;
    const isUnused = reactor !== 'unreadable' && usedUntil(reactor) <= now;
    const wanted = reactor === 'unreadable' ? place.instances : await wantedBy(deps, reactor);
    sizes.set(nameOf(place), isUnused ? 0 : wanted);
  }
  return sizes;
}

/** The oldest places stay, as far as the budget reaches. */
function withinBudget(places: readonly Place[], hotInstances: number): readonly Place[] {
  let left = hotInstances;
  return places.filter(({ instances }) => {
    if (instances === 0 || instances > left) return false;
    left -= instances;
    return true;
  });
}

/** More instances for reactors that want them: within the share of a tenant while others wait. */
async function grown(deps: HotRun, places: readonly Place[], wanted: Sizes): Promise<Sizes> {
  const counts = perTenant(places);
  let isAlone: boolean | undefined;
  const sizes = new Map<string, number>();
  for (const place of places) {
    const more = (wanted.get(nameOf(place)) ?? 0) - place.instances;
    if (more <= 0) continue;
    const count = (counts.get(place.tenantId) ?? 0) + more;
    if (count > shareOf(deps)) {
      isAlone ??= (await readQueue(deps, places, 1)).fair.length === 0;
      if (!isAlone) continue;
    }
    counts.set(place.tenantId, count);
    sizes.set(nameOf(place), place.instances + more);
  }
  return sizes;
}

/** The sizes of all places. With another budget (`isReset`), all are handed out again. */
async function sizesOf(
  deps: HotRun,
  places: readonly Place[],
  wanted: Sizes,
  isReset: boolean,
): Promise<Sizes> {
  const byAge = places
    .toSorted((a, b) => a.since - b.since)
    .map((place): Place => {
      const most = wanted.get(nameOf(place)) ?? 0;
      return { ...place, instances: isReset ? most : Math.min(place.instances, most) };
    });
  const fit = withinBudget(byAge, deps.hotInstances);
  const over = new Set(await overShare(deps, fit));
  const stays = fit.filter((place) => !over.has(place));
  const sizes = new Map(stays.map((place) => [nameOf(place), place.instances]));
  for (const [name, size] of await grown(deps, stays, wanted)) sizes.set(name, size);
  return sizes;
}

/** A reactor with fewer instances, `left` by its place, or why it has as many as before. */
type Shrunk = Place | 'left' | 'raced' | 'busy' | 'skipped';

async function shrinkOne(deps: HotRun, place: Place, reactor: StoredReactor, size: number): Promise<Shrunk> {
  const now = deps.clock();
  if (isBusy(reactor, now)) return 'skipped';
  if (size > 0) {
    const started = await deps.reactorHeat.start(place.id, size);
    if (started === 'busy') return 'busy';
    return started === 'started' ? { ...place, instances: size } : 'skipped';
  }
  const ended = await deps.reactorHeat.end(place.id);
  if (ended !== 'ended') return ended;
  const next = usedUntil(reactor) <= now ? undefined : waiting(reactor, now).heat;
  return (await noteHeat(deps, reactor, next)) ? 'left' : 'raced';
}

/** A failure of one reactor is no reason to stop. */
async function shrunk(
  deps: HotRun,
  place: Place,
  reactor: StoredReactor | 'unreadable' | undefined,
  size: number,
): Promise<Shrunk> {
  if (reactor === undefined) return 'left';
  if (reactor === 'unreadable') return 'skipped';
  if (deps.clock() >= deps.until) return 'busy';
  try {
    return await shrinkOne(deps, place, reactor, size);
  } catch (error) {
    deps.onFailure(error);
    return 'skipped';
  }
}

export interface Decision {
  readonly places: readonly Place[];
  /** Whether calls are left to make, with which the next run goes on. */
  readonly isUnfinished: boolean;
}

/**
 * Ends the instances that places have too many. One that cannot be changed now stays as it is, and
 * is tried again in an hour, or with the next run if its tenant may not have so many.
 */
async function shrink(
  deps: HotRun,
  before: readonly Place[],
  found: Found,
  sizeOf: (place: Place) => number,
): Promise<Decision> {
  const smaller = before.filter((place) => sizeOf(place) < place.instances);
  const places = new Map(before.map((place) => [nameOf(place), place]));
  let isUnfinished = smaller.length > CALLS;
  for (const place of smaller.slice(0, CALLS)) {
    const outcome = await shrunk(deps, place, found.get(nameOf(place)), sizeOf(place));
    if (outcome === 'busy') return { places: [...places.values()], isUnfinished: true };
    if (outcome === 'left') places.delete(nameOf(place));
    if (outcome === 'raced') isUnfinished = true;
    // Its instances have ended.
    if (outcome === 'raced') places.set(nameOf(place), { ...place, isGranted: false });
    if (typeof outcome === 'object') places.set(nameOf(place), outcome);
  }
  return { places: [...places.values()], isUnfinished };
}

/** Counts more instances for places before Lambda is asked for them, as long as some are free. */
function grow(places: readonly Place[], sizeOf: (place: Place) => number, hotInstances: number) {
  let free = hotInstances - instancesOf(places);
  return places.map((place) => {
    const more = sizeOf(place) - place.instances;
    if (more <= 0 || more > free) return place;
    free -= more;
    return { ...place, instances: place.instances + more, isGranted: false };
  });
}

/** Takes the places of reactors that are gone, unused, or too many, and changes others. */
export async function decide(
  deps: HotRun,
  { places }: HotPlaces,
  { isReset, now }: { readonly isReset: boolean; readonly now: number },
): Promise<Decision> {
  const found = await readAll(deps, places);
  const wanted = await wantedSizes(deps, places, found, now);
  const sizes = await sizesOf(deps, places, wanted, isReset);
  const sizeOf = (place: Place) => sizes.get(nameOf(place)) ?? 0;
  // Instances of a function that was made again never began.
  const current = places.map((place) =>
    isWaiting(found.get(nameOf(place))) ? { ...place, isGranted: false } : place,
  );
  const shrunkPlaces = await shrink(deps, current, found, sizeOf);
  if (shrunkPlaces.isUnfinished) return shrunkPlaces;
  return { places: grow(shrunkPlaces.places, sizeOf, deps.hotInstances), isUnfinished: false };
}

/** The places whose reactors have more instances than their tenants may have. */
export async function overLimit(deps: HotRun, places: readonly Place[]): Promise<readonly Place[]> {
  const over: Place[] = [];
  for (const place of places)
    if (place.instances > deps.hotConcurrency && place.instances > (await limitOf(deps, place.tenantId)))
      over.push(place);
  return over;
}

/** Takes from such places what is too much. The others stay as they are. */
export async function cut(
  deps: HotRun,
  { places }: HotPlaces,
  over: readonly Place[],
  now: number,
): Promise<Decision> {
  const found = await readAll(deps, over);
  const wanted = await wantedSizes(deps, over, found, now);
  const names = new Set(over.map(nameOf));
  const sizeOf = (place: Place) =>
    names.has(nameOf(place)) ? (wanted.get(nameOf(place)) ?? 0) : place.instances;
  return shrink(deps, places, found, sizeOf);
}
