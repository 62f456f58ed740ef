import { isBusy } from './change-function.ts';
import {
  admitted,
  CALLS,
  cut,
  DAY_MS,
  decide,
  noteHeat,
  overLimit,
  readReactor,
  type Decision,
  type HotRun,
  type KeepHotDeps,
} from './hot-decision.ts';
import { instancesOf, type HotPlaces, type Place, type Refusal } from './hot-places.ts';
import { nameOf, readOnce, readQueue, wantedBy } from './hot-queue.ts';
import type { ReactorId } from './reactor-functions.ts';

const DECIDED_EVERY_MS = 60 * 60 * 1000;
/** So many more reactors are read than places are free. */
const EXAMINED = 100;
const FIRST_PAUSE_MS = 10 * 60 * 1000;

function refusedAgain(refusal: Refusal | undefined, now: number): Refusal {
  const pauseMs = Math.min(DAY_MS, refusal === undefined ? FIRST_PAUSE_MS : refusal.pauseMs * 2);
  return { pauseMs, until: now + pauseMs };
}

/** No call is made in the pause after a refusal, and the next refusal ends a run. */
const callsFor = (refusal: Refusal | undefined, now: number): number =>
  refusal === undefined || refusal.until <= now ? CALLS : 0;

const ungranted = (places: readonly Place[]): readonly Place[] =>
  places.filter(({ isGranted }) => !isGranted);

type Granted = Place | 'gone' | 'refused' | 'busy' | 'skipped';

/**
 * Requests the instances of a place. Returns the place as it is then, or `gone` if its reactor has
 * none any more.
 */
async function grantOne(deps: KeepHotDeps, place: Place): Promise<Granted> {
  const started = await deps.reactorHeat.start(place.id, place.instances);
  if (started !== 'started' && started !== 'gone') return started;
  const now = deps.clock();
  const reactor = await readReactor(deps, place);
  if (reactor === undefined) return 'gone';
  if (reactor === 'unreadable') return 'skipped';
  const heat = started === 'gone' ? undefined : ({ state: 'hot', since: now } as const);
  const isFree = reactor.state === 'ready' && !isBusy(reactor, now);
  const isNoted = isFree && (await noteHeat(deps, reactor, heat));
  if (heat === undefined) return 'gone';
  return { ...place, isGranted: isNoted };
}

/** A failure of one reactor is no reason to stop. */
async function granted(deps: KeepHotDeps, place: Place): Promise<Granted> {
  if (deps.clock() >= deps.until) return 'busy';
  try {
    return await grantOne(deps, place);
  } catch (error) {
    deps.onFailure(error);
    return 'skipped';
  }
}

/**
 * Requests the instances of places that have none, until Lambda refuses or has no time. A place
 * without instances stays: a run that died may have requested them. One that is skipped or refused
 * is the last of the next run, since the cause may be its own. More than the usual number is
 * refused to its reactor alone, which asks for that number next, and for more within an hour.
 */
async function grant(deps: KeepHotDeps, before: HotPlaces): Promise<HotPlaces> {
  const places = new Map(before.places.map((place) => [nameOf(place), place]));
  const { refusal: former, ...rest } = before;
  let refusal = former;
  const usual = Math.max(1, deps.hotConcurrency);
  // Lambda may have room for few instances where it refuses many.
  const asked = ungranted(before.places).toSorted((one, other) => one.instances - other.instances);
  for (const place of asked.slice(0, CALLS)) {
    const outcome = await granted(deps, place);
    if (outcome === 'busy') break;
    places.delete(nameOf(place));
    const isTooMuch = outcome === 'refused' && place.instances > usual;
    const next = isTooMuch ? { ...place, instances: usual } : place;
    if (outcome !== 'gone') places.set(nameOf(place), typeof outcome === 'object' ? outcome : next);
    if (typeof outcome === 'object') refusal = undefined;
    if (outcome !== 'refused' || isTooMuch) continue;
    deps.onCold(place);
    refusal = refusedAgain(former, deps.clock());
    break;
  }
  return { ...rest, places: [...places.values()], version: before.version + 1, ...(refusal && { refusal }) };
}

/** With another budget, Lambda is asked at once. */
const withoutRefusal = ({ refusal: _, ...places }: HotPlaces): HotPlaces => places;

/** The record as the budget of this deployment wants it. */
interface Found {
  readonly before: HotPlaces;
  /** Whether the budget is another one than that of the record. */
  readonly isReset: boolean;
  /** Whether it is time to take places. */
  readonly isDue: boolean;
}

const budgetOf = ({ hotInstances, hotConcurrency }: KeepHotDeps) => ({ hotInstances, hotConcurrency });

async function findPlaces(deps: KeepHotDeps, now: number): Promise<Found> {
  const stored = await deps.hotPlaceStore.find();
  if (stored === undefined) {
    const before = { ...budgetOf(deps), places: [], decidedAt: 0, version: 0 };
    return { before, isReset: false, isDue: true };
  }
  const isReset = stored.hotInstances !== deps.hotInstances || stored.hotConcurrency !== deps.hotConcurrency;
  return {
    before: isReset ? withoutRefusal(stored) : stored,
    isReset,
    isDue: isReset || now - stored.decidedAt >= DECIDED_EVERY_MS,
  };
}

/** The places as they are to be, apart from new ones. */
async function reviewed(deps: HotRun, { before, isReset, isDue }: Found, now: number): Promise<Decision> {
  if (isDue) return decide(deps, before, { isReset, now });
  const over = await overLimit(deps, before.places);
  return over.length === 0 ? { places: before.places, isUnfinished: false } : cut(deps, before, over, now);
}

/** Reactors that are to have no instances leave the queue. */
async function release(deps: HotRun, reactors: readonly ReactorId[]): Promise<void> {
  for (const waiting of reactors.slice(0, EXAMINED)) {
    const reactor = await readReactor(deps, waiting);
    if (reactor === 'unreadable' || reactor?.state !== 'ready' || isBusy(reactor, deps.clock())) continue;
    if ((await wantedBy(deps, reactor)) === 0) await noteHeat(deps, reactor, undefined);
  }
}

/** New places for the reactors that have waited longest. */
async function newPlaces(deps: HotRun, places: readonly Place[], most: number): Promise<readonly Place[]> {
  const free = deps.hotInstances - instancesOf(places);
  const calls = most - ungranted(places).length;
  if (free <= 0 || calls <= 0) return [];
  // Some of them may be unused or being changed.
  const { fair, later, unwanted } = await readQueue(deps, places, free + EXAMINED);
  await release(deps, unwanted);
  const next = [...fair, ...later].slice(0, free + EXAMINED);
  return admitted(deps, next, { free, most: calls, now: deps.clock() });
}

/** Whether no reactor may have instances. Those that wait go on waiting then. */
const isOff = async ({ hotInstances, hotConcurrency, allowances }: HotRun): Promise<boolean> =>
  hotInstances === 0 || (hotConcurrency === 0 && (await allowances()).size === 0);

/** The record with new places. The budget counts as handed out once all places follow it. */
const claimedBy = (
  deps: HotRun,
  before: HotPlaces,
  places: readonly Place[],
  { isDecided, now }: { readonly isDecided: boolean; readonly now: number },
): HotPlaces => ({
  ...before,
  places,
  ...(isDecided && { ...budgetOf(deps), decidedAt: now }),
  version: before.version + 1,
});

/**
 * Gives the running instances of the budget to the reactors that have waited longest. Once an hour,
 * places are taken from reactors that were not called for 7 days, and from tenants that have more
 * than a quarter of the instances while others wait. After a refusal of Lambda the next call is
 * made after a pause that doubles. A run ends with its calls, and the next one goes on.
 */
export async function keepHot(all: KeepHotDeps): Promise<void> {
  const deps: HotRun = { ...all, allowances: readOnce(all.hotAllowanceStore) };
  const now = deps.clock();
  const found = await findPlaces(deps, now);
  const { before, isDue } = found;
  const isNone = await isOff(deps);
  if (isNone && before.places.length === 0) return;
  const { places: rest, isUnfinished } = await reviewed(deps, found, now);
  const most = isUnfinished || isNone ? 0 : callsFor(before.refusal, now);
  const places = [...rest, ...(await newPlaces(deps, rest, most))];
  const hasWork = most > 0 && ungranted(places).length > 0;
  if (!isDue && !hasWork && rest === before.places) return;
  const claimed = claimedBy(deps, before, places, { isDecided: isDue && !isUnfinished, now });
  // The budget counts a place before Lambda is asked, so that no death of a run exceeds it.
  if (!(await deps.hotPlaceStore.write(claimed)) || !hasWork) return;
  await deps.hotPlaceStore.write(await grant(deps, claimed));
}

/** Counts the reactors that the budget would make hot and the account's quota leaves cold. */
export async function countCold({
  hotPlaceStore,
  waitingReactors,
}: Pick<KeepHotDeps, 'hotPlaceStore' | 'waitingReactors'>): Promise<number> {
  const found = await hotPlaceStore.find();
  if (found?.refusal === undefined) return 0;
  const { hotInstances, hotConcurrency, places } = found;
  const free = Math.floor((hotInstances - instancesOf(places)) / Math.max(1, hotConcurrency));
  return ungranted(places).length + (free > 0 ? await waitingReactors.count(free) : 0);
}
