import { isBusy } from './change-function.ts';
import {
  admitted,
  CALLS,
  DAY_MS,
  decide,
  nameOf,
  readQueue,
  noteHeat,
  readReactor,
  type KeepHotDeps,
} from './hot-decision.ts';
import { capacityOf, type HotPlaces, type Place, type Refusal } from './hot-places.ts';

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
  const started = await deps.reactorHeat.start(place.id, deps.hotConcurrency);
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
 * is the last of the next run, since the cause may be its own.
 */
async function grant(deps: KeepHotDeps, before: HotPlaces): Promise<HotPlaces> {
  const places = new Map(before.places.map((place) => [nameOf(place), place]));
  const { refusal: former, ...rest } = before;
  let refusal = former;
  for (const place of ungranted(before.places).slice(0, CALLS)) {
    const outcome = await granted(deps, place);
    if (outcome === 'busy') break;
    places.delete(nameOf(place));
    if (outcome !== 'gone') places.set(nameOf(place), typeof outcome === 'object' ? outcome : place);
    if (typeof outcome === 'object') refusal = undefined;
    if (outcome !== 'refused') continue;
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
  /** The numbers that are stored once all places have them. */
  readonly budget: Pick<HotPlaces, 'instances' | 'capacity'>;
  /** Whether it is time to take places. */
  readonly isDue: boolean;
}

async function findPlaces(deps: KeepHotDeps, now: number): Promise<Found> {
  const budget = { instances: deps.hotConcurrency, capacity: capacityOf(deps) };
  const stored = await deps.hotPlaceStore.find();
  if (stored === undefined)
    return { before: { ...budget, places: [], decidedAt: 0, version: 0 }, budget, isDue: true };
  const isOther = stored.instances !== budget.instances || stored.capacity !== budget.capacity;
  return {
    before: isOther ? withoutRefusal(stored) : stored,
    budget,
    isDue: isOther || now - stored.decidedAt >= DECIDED_EVERY_MS,
  };
}

/** New places for the reactors that have waited longest. */
async function newPlaces(deps: KeepHotDeps, places: readonly Place[], capacity: number, most: number) {
  const free = Math.min(capacity - places.length, most - ungranted(places).length);
  if (free <= 0) return [];
  const now = deps.clock();
  // Some of them may be unused or being changed.
  const { fair, later } = await readQueue(deps, places, capacity, free + EXAMINED);
  const next = await admitted(deps, [...fair, ...later].slice(0, free + EXAMINED), { most: free, now });
  return next.map((reactor): Place => ({ ...reactor, since: now, isGranted: false }));
}

/**
 * Gives the running instances of the budget to the reactors that have waited longest. Once an hour,
 * places are taken from reactors that were not called for 7 days, and from tenants that have more
 * than a quarter of them while others wait. After a refusal of Lambda the next call is made after
 * a pause that doubles. A run ends with its calls, and the next one goes on.
 */
export async function keepHot(deps: KeepHotDeps): Promise<void> {
  const now = deps.clock();
  const { before, budget, isDue } = await findPlaces(deps, now);
  if (budget.capacity === 0 && before.places.length === 0) return;
  const asBefore = { places: before.places, isUnfinished: false };
  const { places: rest, isUnfinished } = isDue ? await decide(deps, before, budget.capacity, now) : asBefore;
  const most = isUnfinished ? 0 : callsFor(before.refusal, now);
  const places = [...rest, ...(await newPlaces(deps, rest, budget.capacity, most))];
  const hasWork = most > 0 && ungranted(places).length > 0;
  if (!isDue && !hasWork) return;
  const claimed: HotPlaces = {
    ...before,
    places,
    ...(!isUnfinished && { ...budget, ...(isDue && { decidedAt: now }) }),
    version: before.version + 1,
  };
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
  const free = found.capacity - found.places.length;
  return ungranted(found.places).length + (free > 0 ? await waitingReactors.count(free) : 0);
}
