import { IMAGES, type LayerVersion } from '../../src/core/reactors/layer.ts';
import {
  listLayersStep,
  type ListedReactor,
  type ListLayersDeps,
} from '../../src/core/republish/list-reactors.ts';
import { waveOf, type Roll } from '../../src/core/republish/roll.ts';
import { planRoll, startRoll, startRolls, type RollPlan } from '../../src/core/republish/start-roll.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';
import type { Command } from '../../src/operator/command-input.ts';
import type { OperatorDeps } from './dependencies.ts';

const presentTarget = ({ image, generation, hash }: LayerVersion) => ({ image, generation, layer: hash });

const presentRoll = (roll: Roll) => ({
  roll: roll.id,
  ...presentTarget(roll.target),
  tenant_id: roll.tenantId ?? null,
  started_at: formatTimestamp(roll.startedAt),
  state: roll.state,
  stopped_by: roll.stoppedBy ?? null,
  wave: waveOf(roll).wave,
  total: roll.total,
  moved: roll.moved,
  stayed: roll.stayed,
  failed_tenants: roll.failedTenants,
});

const presentPlan = ({ target, outdated, last }: RollPlan) => ({
  ...presentTarget(target),
  outdated,
  last: last === undefined ? null : presentRoll(last),
});

/**
 * Starts a roll of one image, or of each that has outdated reactors; or shows what it would do,
 * with the last one.
 */
export async function republishReactors(deps: OperatorDeps, raw: Command<'republish-reactors'>) {
  const { image, tenant_id: tenantId, generation, dry_run: isDryRun } = raw;
  if (generation !== undefined && image === undefined)
    throw new ServiceError('validation_failed', 'Each image has generations of its own: add --image.');
  if (isDryRun) {
    const plans = (image === undefined ? IMAGES : [image]).map((each) =>
      planRoll(deps, { image: each, tenantId, generation }),
    );
    return { images: (await Promise.all(plans)).map(presentPlan) };
  }
  const rolls =
    image === undefined
      ? await startRolls(deps, tenantId)
      : [await startRoll(deps, { image, tenantId, generation })];
  return { rolls: rolls.map(presentRoll) };
}

/** An author may declare a package in 500 versions: a response of a function ends at 6 MB. */
const SHOWN_VERSIONS = 20;

/** One step; the command line repeats it until the last. */
export async function listReactors(
  deps: ListLayersDeps,
  raw: Command<'list-reactors'> & { readonly after?: string },
) {
  const { image, outdated: isOutdated, package: wanted, after } = raw;
  const { reactors, next } = await listLayersStep(deps, { image, isOutdated, package: wanted }, after);
  const present = ({ tenantId, id, layer, layerSince, stayed, versions }: ListedReactor) => ({
    tenant_id: tenantId,
    reactor_id: id,
    ...(versions !== undefined && { versions: versions.slice(0, SHOWN_VERSIONS) }),
    ...(versions !== undefined &&
      versions.length > SHOWN_VERSIONS && { more_versions: versions.length - SHOWN_VERSIONS }),
    image: layer.image,
    generation: layer.generation,
    since: formatTimestamp(layerSince),
    outdated: layer.hash !== deps.presentLayers[layer.image].hash,
    stayed: stayed?.reason ?? null,
  });
  return { reactors: reactors.map(present), next: next === undefined ? null : { after: next } };
}
