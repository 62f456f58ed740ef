import type { KeyObject } from 'node:crypto';
import { changeTenant } from '../tenants/change-tenant.ts';
import type { Tenant, TenantStore } from '../tenants/tenant.ts';
import { isDestroyed, type DeploymentKey, type KeyRing, type WrappedRoot } from '../crypto/key-ring.ts';
import type { GeneratedKey, KeyService } from '../crypto/key-service.ts';
import { unwrapRoot, wrapRoot, type OpenDeploymentKey } from '../crypto/wrapped-root.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Platform } from '../shared/platform.ts';

/** The keys that can wrap a root: the deployment key, or the key service itself for each root. */
export const WRAPPING_KEYS = ['deployment', 'kms'] as const;
export type WrappingKey = (typeof WRAPPING_KEYS)[number];

/** Stores the deployment key that wraps new roots. */
export interface DeploymentKeyStore {
  /** The newest key; `undefined` before there is one. */
  current(): Promise<DeploymentKey | undefined>;
  /**
   * Replaces exactly `previous`, or adds the first key; `false` if another key is the current one
   * by now.
   */
  replace(previous: DeploymentKey | undefined, next: DeploymentKey): Promise<boolean>;
}

export interface WrapDeps extends Platform {
  readonly keyService: KeyService;
  readonly deploymentKeyStore: DeploymentKeyStore;
  readonly newId: () => string;
}

/** A wrapped root, and the id of the deployment key that wrapped it, if one did. */
export type Wrapping = Pick<WrappedRoot, 'wrapped' | 'deploymentKey'>;

/** The key that wraps the newest root of a tenant. */
export const wrappingKeyOf = ({ roots }: KeyRing): WrappingKey =>
  roots.at(-1)?.deploymentKey === undefined ? 'kms' : 'deployment';

/** The keys that wrap the roots of a tenant: `kms`, or the id of a deployment key. */
export const wrappersOf = ({ roots }: KeyRing): readonly string[] => [
  ...new Set(roots.map(({ deploymentKey }) => deploymentKey?.id ?? 'kms')),
];

async function newDeploymentKey({ keyService, newId }: WrapDeps): Promise<DeploymentKey> {
  const id = newId();
  const { wrapped } = await keyService.generateKey({ deployment: id });
  return { id, wrapped };
}

/** The deployment key for new roots. The first root that needs one creates it. */
async function currentDeploymentKey(deps: WrapDeps): Promise<DeploymentKey> {
  return retryConflict<DeploymentKey>(deps, async () => {
    const current = await deps.deploymentKeyStore.current();
    if (current !== undefined) return current;
    const first = await newDeploymentKey(deps);
    return (await deps.deploymentKeyStore.replace(undefined, first)) ? first : 'conflict';
  });
}

/**
 * Replaces the deployment key, and returns the one that wraps new roots. Roots under older keys
 * open as before, until they are wrapped again.
 */
export async function rotateDeploymentKey(deps: WrapDeps): Promise<DeploymentKey> {
  return retryConflict<DeploymentKey>(deps, async () => {
    const previous = await deps.deploymentKeyStore.current();
    const next = await newDeploymentKey(deps);
    return (await deps.deploymentKeyStore.replace(previous, next)) ? next : 'conflict';
  });
}

/** Opens deployment keys for one step, in which each is unwrapped once. */
function deploymentKeysOf({ keyService }: WrapDeps) {
  const opened = new Map<string, Promise<OpenDeploymentKey>>();
  const open = async ({ id, wrapped }: DeploymentKey) => ({
    id,
    key: await keyService.unwrapKey(wrapped, { deployment: id }),
  });
  return (key: DeploymentKey): Promise<OpenDeploymentKey> => {
    const name = `${key.id} ${key.wrapped.toString('base64')}`;
    const known = opened.get(name) ?? open(key);
    opened.set(name, known);
    return known;
  };
}

/**
 * Makes a new root, and wraps it by the named key. The key service makes it in either case, under
 * the tenant's id, so that CloudTrail has a record of each root.
 */
export async function newRoot(
  deps: WrapDeps,
  tenantId: string,
  by: WrappingKey,
): Promise<Wrapping & Pick<GeneratedKey, 'key'>> {
  const { key, wrapped } = await deps.keyService.generateKey({ tenant: tenantId });
  if (by === 'kms') return { key, wrapped };
  const deploymentKey = await currentDeploymentKey(deps);
  const opened = await deploymentKeysOf(deps)(deploymentKey);
  return { key, wrapped: wrapRoot(deps.random, opened, tenantId, key), deploymentKey };
}

export interface RewrapDeps extends WrapDeps {
  readonly tenantStore: Pick<TenantStore, 'find' | 'update' | 'list'>;
  /** Called with the reason why a root could not be opened. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The tenants of a step, and the key to wrap their roots by. If `by` is absent, each root is
 * wrapped by the same kind of key as before.
 */
export interface RewrapInput {
  readonly tenantId?: string | undefined;
  readonly by?: WrappingKey | undefined;
}

export interface RewrapStep {
  /** Number of tenants of which at least one root was wrapped again. */
  readonly rewrapped: number;
  /** Ids of tenants whose roots do not open; they are unchanged. */
  readonly unreadable: readonly string[];
  /** Whether no root is left to wrap, except for those of unreadable tenants. */
  readonly isDone: boolean;
}

/** A step ends after this time, in ms. */
const STEP_MS = 20_000;

/** The key that wraps the roots of a tenant from now on; `undefined` for the key service. */
type Target = (OpenDeploymentKey & DeploymentKey) | undefined;

const isWrappedBy = ({ deploymentKey }: WrappedRoot, target: Target): boolean =>
  deploymentKey?.id === target?.id;

/** Wraps roots again within one step. */
function createRewrapping(deps: RewrapDeps, by: WrappingKey | undefined) {
  const { keyService } = deps;
  const openKey = deploymentKeysOf(deps);
  let current: Promise<NonNullable<Target>> | undefined;

  async function openCurrent(): Promise<NonNullable<Target>> {
    const key = await currentDeploymentKey(deps);
    return { ...key, ...(await openKey(key)) };
  }

  async function open(tenantId: string, { wrapped, deploymentKey }: WrappedRoot): Promise<KeyObject> {
    if (deploymentKey === undefined) return keyService.unwrapKey(wrapped, { tenant: tenantId });
    return unwrapRoot(await openKey(deploymentKey), tenantId, wrapped);
  }

  async function rewrapRoot(tenantId: string, root: WrappedRoot, target: Target): Promise<WrappedRoot> {
    if (isWrappedBy(root, target)) return root;
    const key = await open(tenantId, root);
    const { deploymentKey: _, ...rest } = root;
    if (target === undefined)
      return { ...rest, wrapped: await keyService.wrapKey(key, { tenant: tenantId }) };
    const { id, wrapped } = target;
    return { ...rest, wrapped: wrapRoot(deps.random, target, tenantId, key), deploymentKey: { id, wrapped } };
  }

  return {
    targetOf: async (tenant: Tenant): Promise<Target> =>
      (by ?? wrappingKeyOf(tenant)) === 'kms' ? undefined : (current ??= openCurrent()),
    rewrap: async (tenant: Tenant, target: Target): Promise<Tenant> => {
      const roots = await Promise.all(tenant.roots.map((root) => rewrapRoot(tenant.id, root, target)));
      return { ...tenant, roots };
    },
  };
}

async function* tenantsOf({ tenantStore }: RewrapDeps, tenantId: string | undefined) {
  if (tenantId === undefined) {
    yield* tenantStore.list();
    return;
  }
  const tenant = await tenantStore.find(tenantId);
  if (tenant === undefined || isDestroyed(tenant))
    throw new ServiceError('not_found', 'The tenant does not exist.');
  yield [tenant];
}

/** Returns `false` if a root of the tenant does not open. */
async function guarded(deps: RewrapDeps, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'not_found') throw error;
    // The tenant was destroyed meanwhile and has no root.
    if (error instanceof ServiceError) return true;
    deps.onFailure(error);
    return false;
  }
  return true;
}

/**
 * Wraps some roots again; repeat it until it is done. No data is encrypted again and no key of a
 * tenant changes, so the service runs meanwhile. An instance with an older ring opens the root as
 * that ring has it. An interrupted walk continues, since each root that is wrapped is final. A step
 * that finds nothing to do ends the walk. Throws `not_found`.
 */
export async function rewrapStep(deps: RewrapDeps, { tenantId, by }: RewrapInput): Promise<RewrapStep> {
  const { targetOf, rewrap } = createRewrapping(deps, by);
  const deadline = deps.clock() + STEP_MS;
  const unreadable: string[] = [];
  let rewrapped = 0;
  for await (const batch of tenantsOf(deps, tenantId))
    for (const tenant of batch) {
      const target = await targetOf(tenant);
      if (tenant.roots.every((root) => isWrappedBy(root, target))) continue;
      const change = (found: Tenant) => rewrap(found, target);
      if (await guarded(deps, () => changeTenant(deps, tenant.id, change))) rewrapped += 1;
      else unreadable.push(tenant.id);
      if (rewrapped > 0 && deps.clock() >= deadline) return { rewrapped, unreadable, isDone: false };
    }
  return { rewrapped, unreadable, isDone: rewrapped === 0 };
}
