import type { PortEffects } from '../audit/effect.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import type { Platform } from '../shared/platform.ts';
import type { HotBudget } from './hot-places.ts';

/**
 * The tenants whose reactors may ask for more running instances than the setting `hotConcurrency`,
 * as an operator decided.
 */
export interface HotAllowances {
  /** The most instances that one reactor of a tenant may ask for. */
  readonly byTenant: ReadonlyMap<string, number>;
  /** 0 for none at all; increases by one with each write. */
  readonly version: number;
}

export interface HotAllowanceStore {
  find(): Promise<HotAllowances>;
  /** Replaces the previous version; `false` if it has changed since. */
  write(next: HotAllowances): Promise<boolean>;
}

export const HOT_ALLOWANCE_STORE_EFFECTS: PortEffects<HotAllowanceStore> = {
  find: 'none',
  write: () => ({ change: { members: ['hot_instances'] } }),
};

/** The record of them is one item, which a run of the sweep may read. */
const TENANTS_MAX = 500;

export interface AllowHotDeps extends Platform, Pick<HotBudget, 'hotInstances'> {
  readonly hotAllowanceStore: HotAllowanceStore;
}

type WithoutAllowanceDeps = Omit<AllowHotDeps, 'hotInstances'>;

/** Changes what one tenant is allowed. 0 takes it back. */
async function setAllowance(
  { hotAllowanceStore, ...deps }: WithoutAllowanceDeps,
  tenantId: string,
  instances: number,
): Promise<void> {
  await retryConflict(deps, async () => {
    const { byTenant, version } = await hotAllowanceStore.find();
    if ((byTenant.get(tenantId) ?? 0) === instances) return 'unchanged';
    const next = new Map(byTenant);
    if (instances === 0) next.delete(tenantId);
    else next.set(tenantId, instances);
    if (next.size > TENANTS_MAX)
      throw new ServiceError('limit_reached', `At most ${String(TENANTS_MAX)} tenants can be allowed this.`);
    return (await hotAllowanceStore.write({ byTenant: next, version: version + 1 })) ? 'changed' : 'conflict';
  });
}

/**
 * Lets one reactor of a tenant ask for so many running instances, or with 0 for no more than
 * others. Reactors that have more get the usual number from the next run of the sweep on. Throws
 * `validation_failed` for more than the budget.
 */
export async function allowHot(deps: AllowHotDeps, tenantId: string, instances: number): Promise<void> {
  if (instances > deps.hotInstances)
    throw invalid('instances', `must be at most hotInstances, which is ${String(deps.hotInstances)}`);
  await setAllowance(deps, tenantId, instances);
}

/** Forgets what a tenant was allowed, as part of its destruction. */
export const forgetAllowance = (deps: WithoutAllowanceDeps, tenantId: string): Promise<void> =>
  setAllowance(deps, tenantId, 0);

export interface WarmConcurrencyDeps extends Pick<HotBudget, 'hotConcurrency'> {
  readonly hotAllowanceStore: Pick<HotAllowanceStore, 'find'>;
}

/**
 * The most running instances that a reactor of a tenant may ask for, if its owner asks for
 * `wanted`.
 * Reads nothing for the usual number, or less.
 */
export async function mostInstances(
  { hotConcurrency, hotAllowanceStore }: WarmConcurrencyDeps,
  tenantId: string,
  wanted: number | null | undefined,
): Promise<number> {
  if ((wanted ?? 0) <= hotConcurrency) return hotConcurrency;
  const { byTenant } = await hotAllowanceStore.find();
  return Math.max(hotConcurrency, byTenant.get(tenantId) ?? 0);
}
