import type { LayerVersion } from '../../src/core/reactors/layer.ts';
import { listLayersStep } from '../../src/core/republish/list-reactors.ts';
import { waveOf, type PlacedReactor, type Roll } from '../../src/core/republish/roll.ts';
import { planRoll, startRoll } from '../../src/core/republish/start-roll.ts';
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

/** Starts a roll, or shows what it would do, with the last one. */
export async function republishReactors(deps: OperatorDeps, raw: Command<'republish-reactors'>) {
  const wanted = { tenantId: raw.tenant_id, generation: raw.generation };
  if (!raw.dry_run) return presentRoll(await startRoll(deps, wanted));
  const { target, outdated, last } = await planRoll(deps, wanted);
  return { ...presentTarget(target), outdated, last: last === undefined ? null : presentRoll(last) };
}

/** One step; the command line repeats it until the last. */
export async function listReactors(
  deps: OperatorDeps,
  raw: Command<'list-reactors'> & { readonly after?: string },
) {
  const { image = deps.presentLayer.image, outdated: isOutdated, after } = raw;
  const { reactors, next } = await listLayersStep(deps, { image, isOutdated }, after);
  const present = ({ tenantId, id, layer, layerSince, stayed }: PlacedReactor) => ({
    tenant_id: tenantId,
    reactor_id: id,
    image: layer.image,
    generation: layer.generation,
    since: formatTimestamp(layerSince),
    outdated: layer.hash !== deps.presentLayer.hash,
    stayed: stayed?.reason ?? null,
  });
  return { reactors: reactors.map(present), next: next === undefined ? null : { after: next } };
}
