import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { JsonObject } from '../shared/json.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { existingReactor, type GetReactorDeps } from './get-reactor.ts';
import { openPackages } from './own-packages.ts';

/** Lists the packages that a reactor brings, in CycloneDX. There are none without a bundle. */
export async function getBill(
  deps: Pick<GetReactorDeps, 'reactorStore' | 'vault'>,
  caller: Caller,
  id: string,
): Promise<JsonObject> {
  requirePermission(caller, 'reactor:review');
  const reactor = await existingReactor(deps, caller.tenantId, id);
  const packages = await openPackages(deps, reactor);
  return billOfMaterials({ name: reactor.id }, packages?.reveal());
}
