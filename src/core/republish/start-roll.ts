import type { LayerVersion, PresentLayer } from '../reactors/layer.ts';
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
  /** The deployment has this layer. */
  readonly presentLayer: PresentLayer;
}

export interface WantedRoll {
  readonly tenantId?: string | undefined;
  /** Lambda numbers the versions of the layer. If absent, the layer of the deployment is meant. */
  readonly generation?: number | undefined;
}

async function targetOf(deps: StartRollDeps, generation: number | undefined): Promise<LayerVersion> {
  const { layerFinder, presentLayer } = deps;
  const found =
    generation === undefined
      ? await layerFinder.present(presentLayer)
      : await layerFinder.generation(presentLayer.image, generation);
  if (found !== undefined) return found;
  const wanted = generation === undefined ? 'version of this deployment' : `generation ${String(generation)}`;
  throw new ServiceError('not_found', `The layer has no ${wanted}.`);
}

async function countOf(
  { reactorIndex, reactorStore }: StartRollDeps,
  target: LayerVersion,
  tenantId: string | undefined,
): Promise<number> {
  if (tenantId === undefined) return reactorIndex.countOther(target);
  let count = 0;
  for await (const page of reactorStore.list(tenantId, undefined))
    count += page.filter(({ layer }) => layer !== undefined && layer.hash !== target.hash).length;
  return count;
}

/** Says what a roll would do, and how far the last one is. */
export interface RollPlan {
  readonly target: LayerVersion;
  readonly outdated: number;
  readonly last: Roll | undefined;
}

export async function planRoll(deps: StartRollDeps, { tenantId, generation }: WantedRoll): Promise<RollPlan> {
  const target = await targetOf(deps, generation);
  const [outdated, last] = await Promise.all([
    countOf(deps, target, tenantId),
    deps.rollStore.find(target.image),
  ]);
  return { target, outdated, last };
}

/**
 * Starts a roll, or continues the running one if that is the same. Another one replaces it. Throws
 * `not_found` for a generation that the layer has not, and `conflict` if two start at once.
 */
export async function startRoll(deps: StartRollDeps, wanted: WantedRoll): Promise<Roll> {
  const { target, outdated, last } = await planRoll(deps, wanted);
  const isSame = last?.target.arn === target.arn && last.tenantId === wanted.tenantId;
  if (last?.state === 'running' && isSame) {
    await deps.rollQueue.send(target.image);
    return last;
  }
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
  await deps.rollQueue.send(target.image);
  return roll;
}
