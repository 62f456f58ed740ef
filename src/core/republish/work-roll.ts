import { OPERATION_MS } from '../reactors/change-function.ts';
import type { Image, PresentLayers } from '../reactors/layer.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import { moveReactor, type Moved, type MoveReactorDeps } from './move-reactor.ts';
import { waveOf, type PlacedReactor, type ReactorIndex, type Roll, type RollStore } from './roll.ts';

export interface WorkRollDeps extends MoveReactorDeps {
  readonly rollStore: RollStore;
  readonly reactorIndex: ReactorIndex;
  readonly reactorStore: Pick<ReactorStore, 'find' | 'update' | 'list'>;
  /** The deployment has these layers. */
  readonly presentLayers: PresentLayers;
}

/** Reactors that are moved concurrently: each waits for Lambda most of the time. */
const AT_ONCE = 10;
/** A reactor that fails is left out. Only several tenants together stop a roll. */
const FAILED_TENANTS_MAX = 3;
/** How often a reactor is tried that was busy, or that Lambda refused. */
const PASSES = 3;
/**
 * Pause before busy reactors are tried again, in ms. Two are as long as an operation of a dead
 * writer (`OPERATION_MS`).
 */
const PASS_PAUSE_MS = OPERATION_MS / 2;
/** The time that a worker has for the reactors that it moves together, in ms. */
const TOGETHER_MS = 30_000;

/** A roll that its worker has claimed. */
type Claimed = Roll & Required<Pick<Roll, 'runner'>>;

/** Reactors of a tenant in the order of their ids, which are their places. */
async function* ofTenant(
  { reactorStore }: WorkRollDeps,
  tenantId: string,
  { target, after }: Roll,
): AsyncGenerator<readonly PlacedReactor[]> {
  for await (const page of reactorStore.list(tenantId, after === '' ? undefined : after))
    yield page.flatMap(({ id, layer, layerSince = 0, stayed }) =>
      layer?.image !== target.image || layer.hash === target.hash
        ? []
        : [{ tenantId, id, layer, layerSince, ...(stayed !== undefined && { stayed }), place: id }],
    );
}

/** The reactors of a roll that have another layer, after its place. */
export function reactorsOf(deps: WorkRollDeps, roll: Roll): AsyncIterable<readonly PlacedReactor[]> {
  const { tenantId, target, after } = roll;
  return tenantId === undefined ? deps.reactorIndex.withOther(target, after) : ofTenant(deps, tenantId, roll);
}

/** Writes the next version; `undefined` if another roll has replaced it. */
async function saved<R extends Roll>({ rollStore }: WorkRollDeps, roll: R): Promise<R | undefined> {
  const next = { ...roll, version: roll.version + 1 };
  return (await rollStore.write(next)) ? next : undefined;
}

/** The roll after some of its reactors were tried. The place is that of the last one. */
function counted(roll: Claimed, reactors: readonly PlacedReactor[], results: readonly Moved[]): Claimed {
  const countOf = (...wanted: readonly Moved[]) => results.filter((each) => wanted.includes(each)).length;
  const failed = reactors.filter((_, at) => results[at] === 'not_loaded' || results[at] === 'failed');
  const failedTenants = [...new Set([...roll.failedTenants, ...failed.map(({ tenantId }) => tenantId)])];
  const isLast = roll.pass === PASSES;
  const open = countOf('busy', 'failed');
  const moved = countOf('moved');
  const stayed = results.length - open - moved - countOf('done');
  return {
    ...roll,
    moved: roll.moved + moved,
    stayed: roll.stayed + stayed + (isLast ? open : 0),
    again: roll.again + (isLast ? 0 : open),
    failedTenants,
    after: reactors.at(-1)?.place ?? roll.after,
    ...(failedTenants.length >= FAILED_TENANTS_MAX && { state: 'stopped', stoppedBy: 'failures' }),
  };
}

const isOver = ({ clock }: WorkRollDeps, { runner }: Claimed): boolean =>
  clock() + TOGETHER_MS > runner.until;

/** Moves some reactors together; `undefined` if another roll has replaced this one. */
async function moveTogether(
  deps: WorkRollDeps,
  roll: Claimed,
  reactors: readonly PlacedReactor[],
): Promise<Claimed | undefined> {
  const results = await Promise.all(reactors.map((reactor) => moveReactor(deps, roll, reactor)));
  return saved(deps, counted(roll, reactors, results));
}

/** The reactors of a pass, one by one, without those that this roll has left as they are. */
async function* candidates(deps: WorkRollDeps, roll: Roll): AsyncGenerator<PlacedReactor> {
  for await (const page of reactorsOf(deps, roll))
    yield* page.filter(({ stayed }) => stayed?.roll !== roll.id);
}

/** The roll after a pass, which is its end if no reactor was busy. */
function afterPass({ clock }: WorkRollDeps, roll: Claimed): Claimed {
  return roll.again === 0
    ? { ...roll, state: 'ended' }
    : { ...roll, pass: roll.pass + 1, after: '', again: 0, passFrom: clock() + PASS_PAUSE_MS };
}

/** Goes through the reactors once, or until the time is over. */
async function passOf(deps: WorkRollDeps, claimed: Claimed): Promise<Claimed | undefined> {
  await deps.pause(Math.max(0, (claimed.passFrom ?? 0) - deps.clock()));
  let roll: Claimed | undefined = claimed;
  let together: PlacedReactor[] = [];
  for await (const reactor of candidates(deps, claimed)) {
    together.push(reactor);
    if (together.length < Math.min(AT_ONCE, waveOf(roll).left)) continue;
    roll = await moveTogether(deps, roll, together);
    together = [];
    if (roll?.state !== 'running' || isOver(deps, roll)) return roll;
  }
  if (together.length > 0) roll = await moveTogether(deps, roll, together);
  return roll?.state === 'running' ? saved(deps, afterPass(deps, roll)) : roll;
}

/** The reason not to begin, or to go on; `undefined` if there is none. */
async function objection(deps: WorkRollDeps, roll: Roll): Promise<Roll['stoppedBy']> {
  if (!roll.isNamed && roll.target.hash !== deps.presentLayers[roll.target.image].hash) return 'deployment';
  return roll.isProven || (await deps.layerMover.prove(roll.target)) ? undefined : 'own_function';
}

/**
 * A running roll that no worker has. Waits once for the time of another worker to end: if that is
 * dead, no event of its own follows.
 */
async function unclaimed({ rollStore, clock, pause }: WorkRollDeps, image: Image): Promise<Roll | undefined> {
  const found = await rollStore.find(image);
  const busyMs = (found?.runner?.until ?? 0) - clock();
  if (busyMs <= 0) return found;
  await pause(busyMs);
  const later = await rollStore.find(image);
  return later?.runner === undefined || later.runner.until <= clock() ? later : undefined;
}

/** Claims a running roll until a time; `undefined` if there is none, or another worker has it. */
async function claimedUntil(deps: WorkRollDeps, image: Image, until: number): Promise<Claimed | undefined> {
  const found = await unclaimed(deps, image);
  if (found?.state !== 'running') return undefined;
  return saved(deps, { ...found, runner: { id: deps.random.uuid(), until } });
}

/**
 * Works on a roll until a time (ms since the epoch), and returns whether work is left. A worker
 * that dies loses at most the reactors that it was moving: the next one begins with them.
 */
export async function workRoll(deps: WorkRollDeps, image: Image, until: number): Promise<boolean> {
  const claimed = await claimedUntil(deps, image, until);
  if (claimed === undefined) return false;
  const stoppedBy = await objection(deps, claimed);
  let roll: Claimed | undefined =
    stoppedBy === undefined
      ? { ...claimed, isProven: true }
      : await saved(deps, { ...claimed, state: 'stopped', stoppedBy });
  while (roll?.state === 'running' && !isOver(deps, roll)) roll = await passOf(deps, roll);
  if (roll === undefined) return false;
  const { runner: _, ...released } = roll;
  await saved<Roll>(deps, released);
  return roll.state === 'running';
}
