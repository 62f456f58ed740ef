import { IMAGES, type Image, type LayerVersion, type PresentLayers } from '../reactors/layer.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import { defined } from '../shared/defined.ts';
import type { Platform } from '../shared/platform.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { LayerFinder } from './layer-mover.ts';
import type { ReactorIndex, Roll, RollQueue, RollStore } from './roll.ts';

export interface StartRollDeps extends Pick<Platform, 'clock' | 'random'> {
  readonly rollStore: RollStore;
  readonly rollQueue: RollQueue;
  readonly reactorIndex: Pick<ReactorIndex, 'countOther'>;
  readonly reactorStore: Pick<ReactorStore, 'list'>;
  readonly layerFinder: LayerFinder;
  /** The deployment has these layers. */
  readonly presentLayers: PresentLayers;
}

export interface WantedRoll {
  readonly image: Image;
  readonly tenantId?: string | undefined;
  /** Lambda numbers the versions of the layer. If absent, the layer of the deployment is meant. */
  readonly generation?: number | undefined;
}

async function targetOf(
  { layerFinder, presentLayers }: StartRollDeps,
  image: Image,
  generation: number | undefined,
): Promise<LayerVersion> {
  const found =
    generation === undefined
      ? await layerFinder.present(presentLayers[image])
      : await layerFinder.generation(image, generation);
  if (found !== undefined) return found;
  const wanted = generation === undefined ? 'version of this deployment' : `generation ${String(generation)}`;
  throw new ServiceError('not_found', `The layer of ${image} has no ${wanted}.`);
}

async function countOf(
  { reactorIndex, reactorStore }: StartRollDeps,
  target: LayerVersion,
  tenantId: string | undefined,
): Promise<number> {
  if (tenantId === undefined) return reactorIndex.countOther(target);
  let count = 0;
  for await (const page of reactorStore.list(tenantId, undefined))
    count += page.filter(({ layer }) => layer?.image === target.image && layer.hash !== target.hash).length;
  return count;
}

/** Says what a roll would do, and how far the last one is. */
export interface RollPlan {
  readonly target: LayerVersion;
  readonly outdated: number;
  readonly last: Roll | undefined;
}

/** Says what a roll would do. Throws `not_found` for a generation that the layer has not. */
export async function planRoll(
  deps: StartRollDeps,
  { image, tenantId, generation }: WantedRoll,
): Promise<RollPlan> {
  const target = await targetOf(deps, image, generation);
  const [outdated, last] = await Promise.all([
    countOf(deps, target, tenantId),
    deps.rollStore.find(target.image),
  ]);
  return { target, outdated, last };
}

/** Stores a roll, or finds the running one if that is the same. Its work has not begun. */
async function storedRoll(deps: StartRollDeps, wanted: WantedRoll): Promise<Roll> {
  const { target, outdated, last } = await planRoll(deps, wanted);
  const isSame = last?.target.arn === target.arn && last.tenantId === wanted.tenantId;
  if (last?.state === 'running' && isSame) return last;
  const roll: Roll = defined({
    id: deps.random.uuid(),
    target,
    isNamed: wanted.generation !== undefined,
    tenantId: wanted.tenantId,
    startedAt: deps.clock(),
    state: 'running' as const,
    isProven: false,
    total: outdated,
    moved: 0,
    stayed: 0,
    failedTenants: [],
    pass: 1,
    again: 0,
    after: '',
    version: (last?.version ?? 0) + 1,
  });
  if (!(await deps.rollStore.write(roll)))
    throw new ServiceError('conflict', 'Another roll was started at the same time.');
  return roll;
}

/**
 * Starts a roll, or continues the running one if that is the same. Another one replaces it. Throws
 * `not_found` for a generation that the layer has not, and `conflict` if two start at once.
 */
export async function startRoll(deps: StartRollDeps, wanted: WantedRoll): Promise<Roll> {
  const roll = await storedRoll(deps, wanted);
  await deps.rollQueue.send(wanted.image);
  return roll;
}

/**
 * Starts a roll to the layer of the deployment for each image that has reactors with another one,
 * and continues those that run, whatever their target: only a command that names the image replaces
 * one. They work one after the other.
 */
export async function startRolls(
  deps: StartRollDeps,
  tenantId: string | undefined,
): Promise<readonly Roll[]> {
  const rolls: Roll[] = [];
  for (const image of IMAGES) {
    const { outdated, last } = await planRoll(deps, { image, tenantId });
    if (last?.state === 'running') rolls.push(last);
    else if (outdated > 0) rolls.push(await storedRoll(deps, { image, tenantId }));
  }
  // The end of the first one lets the next begin.
  const [first] = rolls;
  if (first !== undefined) await deps.rollQueue.send(first.target.image);
  return rolls;
}
