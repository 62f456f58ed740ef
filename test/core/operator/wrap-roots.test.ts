import { randomBytes } from 'node:crypto';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { createVault } from '../../../src/core/crypto/vault.ts';
import { Secret } from '../../../src/core/shared/secret.ts';
import { beginRootReplacement } from '../../../src/core/operator/replace-root.ts';
import {
  rewrapStep,
  rotateDeploymentKey,
  wrappersOf,
  WRAPPING_KEYS,
  type RewrapDeps,
  type RewrapInput,
} from '../../../src/core/operator/wrap-roots.ts';
import { aTenantWorld } from '../../support/a-tenant-world.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

type World = Awaited<ReturnType<typeof aTenantWorld>>;

const context = (tenantId: string) => ({ tenantId, recordId: 'r', field: 'data' });

/** Writes bytes as one text, by which a test finds them. */
const inHex = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;

/** Repeats the step as the command line does. */
async function rewrapAll(deps: RewrapDeps, input: RewrapInput = {}): Promise<number> {
  for (let steps = 1; ; steps += 1) if ((await rewrapStep(deps, input)).isDone) return steps;
}

const wrappers = ({ tenants }: World) =>
  Object.fromEntries(tenants().map((tenant) => [tenant.id, wrappersOf(tenant)]));

/** Encrypts one record for each tenant, and returns what opens all of them in an instance. */
async function encryptedRecords({ tenants, instance }: World) {
  const vault = createVault(instance(), machinePlatform.random);
  const records = await Promise.all(
    tenants().map(async ({ id }) => [id, await vault.encrypt(context(id), new Secret(id))] as const),
  );
  return async (keys: ReturnType<World['instance']>) => {
    for (const [id, record] of records)
      expect((await createVault(keys, machinePlatform.random).decrypt(context(id), record)).reveal()).toBe(
        id,
      );
  };
}

describe('a new tenant', () => {
  it('is wrapped under the deployment key that tenants before it share, or by KMS', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    const shared = await world.another('deployment');
    const direct = await world.another('kms');
    const [key] = wrappersOf(world.tenant());
    expect(wrappers(world)).toEqual({ [world.tenantId]: [key], [shared]: [key], [direct]: ['kms'] });
  });

  it('shares the first deployment key with a tenant that is created at the same time', async () => {
    const world = await aTenantWorld();
    const ids = await Promise.all(Array.from({ length: 5 }, () => world.another('deployment')));
    expect(new Set(ids.map((id) => world.openers(id)[0])).size).toBe(1);
  });
});

describe('the rotation of a deployment key', () => {
  it('wraps new roots under the new key, and changes no existing one', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    const before = world.tenant();
    const { id } = await rotateDeploymentKey(world.deps);
    const late = await world.another('deployment');
    expect([world.tenant(), wrappersOf(world.tenant(late))]).toEqual([before, [id]]);
    expect(wrappersOf(before)).not.toEqual([id]);
  });

  it('is what a replaced root is wrapped under, while KMS wraps the next root of its own tenants', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    const [old] = wrappersOf(world.tenant());
    const direct = await world.another('kms');
    const { id } = await rotateDeploymentKey(world.deps);
    for (const each of [world.tenantId, direct]) await beginRootReplacement(world.deps, each);
    expect([wrappersOf(world.tenant()), wrappersOf(world.tenant(direct))]).toEqual([[old, id], ['kms']]);
    expect(world.tenant(direct).roots).toHaveLength(2);
  });
});

describe('wrapping roots again', () => {
  it('moves all roots under the current deployment key, and leaves those of KMS', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    const shared = await world.another('deployment');
    const direct = await world.another('kms');
    const opens = await encryptedRecords(world);
    const kms = world.tenant(direct);
    const late = world.instance();
    const { id } = await rotateDeploymentKey(world.deps);
    await late.current(shared, 'data');
    await rewrapAll(world.deps);
    expect(wrappers(world)).toEqual({ [world.tenantId]: [id], [shared]: [id], [direct]: ['kms'] });
    expect(world.tenant(direct)).toEqual(kms);
    // The first instance has an older ring in its cache. The second is new.
    for (const instance of [late, world.instance()]) await opens(instance);
  });

  it('moves one tenant to KMS and back, with both roots of a replacement', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    const { deps, tenantId } = world;
    const shared = await world.another('deployment');
    await beginRootReplacement(deps, tenantId);
    const opens = await encryptedRecords(world);
    const [key] = wrappersOf(world.tenant(shared));
    for (const by of ['kms', 'deployment'] as const) {
      const times = world.tenant().roots.map(({ wrapped: _, deploymentKey: __, ...rest }) => rest);
      await rewrapAll(deps, { tenantId, by });
      expect(wrappers(world)).toEqual({ [tenantId]: [by === 'kms' ? 'kms' : key], [shared]: [key] });
      expect(world.tenant().roots).toMatchObject(times);
      await opens(world.instance());
    }
  });

  it('asks the key service once for each deployment key, and writes no tenant that is done', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    for (let made = 0; made < 9; made += 1) await world.another('deployment');
    await rotateDeploymentKey(world.deps);
    world.keys.unwraps.length = 0;
    expect(await rewrapStep(world.deps, {})).toEqual({ rewrapped: 10, unreadable: [], isDone: false });
    expect(world.keys.unwraps).toHaveLength(2);
    const before = world.tenants();
    expect(await rewrapStep(world.deps, {})).toEqual({ rewrapped: 0, unreadable: [], isDone: true });
    expect(world.tenants()).toEqual(before);
  });

  it('ends, wherever steps are interrupted, and never loses a root', async () => {
    const by = fc.option(fc.constantFrom(...WRAPPING_KEYS), { nil: undefined });
    const plan = fc.record({ by, failures: fc.array(fc.nat({ max: 6 }), { maxLength: 6 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 3 }), async (plans) => {
        const world = await aTenantWorld({ wrappedBy: 'deployment' });
        for (const each of [...WRAPPING_KEYS, ...WRAPPING_KEYS]) await world.another(each);
        const opens = await encryptedRecords(world);
        for (const { by: target, failures } of plans) {
          const { id } = await rotateDeploymentKey(world.deps);
          for (const after of failures) {
            let writes = 0;
            const tenantStore: RewrapDeps['tenantStore'] = {
              ...world.deps.tenantStore,
              update: (previous, next) =>
                (writes += 1) > after
                  ? Promise.reject(new Error('killed'))
                  : world.deps.tenantStore.update(previous, next),
            };
            await rewrapStep({ ...world.deps, tenantStore }, { by: target });
            await opens(world.instance());
          }
          await rewrapAll(world.deps, { by: target });
          const allowed = target === undefined ? [[id], ['kms']] : [[target === 'kms' ? 'kms' : id]];
          for (const each of Object.values(wrappers(world))) expect(allowed).toContainEqual(each);
          await opens(world.instance());
        }
      }),
      { numRuns: cases(15) },
    );
  });

  it('makes progress in each step, however slowly tenants are listed', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    for (let made = 0; made < 3; made += 1) await world.another('deployment');
    await rotateDeploymentKey(world.deps);
    const clock = () => (world.state.now += 60_000);
    expect(await rewrapAll({ ...world.deps, clock })).toBe(5);
  });

  it('names a tenant whose root does not open, and wraps the others', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    const other = await world.another('deployment');
    const roots = world.tenant().roots.map((root) => ({ ...root, wrapped: randomBytes(79) }));
    await world.deps.tenantStore.update(world.tenant(), { ...world.tenant(), roots });
    const { id } = await rotateDeploymentKey(world.deps);
    expect(await rewrapStep(world.deps, {})).toMatchObject({ rewrapped: 1, unreadable: [world.tenantId] });
    expect([wrappersOf(world.tenant(other)), world.failures]).toEqual([[id], [expect.any(Error)]]);
  });

  it('stops with the error of a key service that is down', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    await rotateDeploymentKey(world.deps);
    world.keys.failNext(1);
    await expect(rewrapStep(world.deps, {})).rejects.toThrow('down');
    expect(world.failures).toEqual([]);
  });

  it('skips a destroyed tenant in a walk, and rejects it by its id', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    await world.deps.tenantStore.update(world.tenant(), { ...world.tenant(), roots: [] });
    await rotateDeploymentKey(world.deps);
    expect(await rewrapStep(world.deps, {})).toEqual({ rewrapped: 0, unreadable: [], isDone: true });
    await expect(rewrapStep(world.deps, { tenantId: world.tenantId })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('leaves nothing of a destroyed tenant to unwrap, although its deployment key remains', async () => {
    const world = await aTenantWorld({ wrappedBy: 'deployment' });
    const root = world.tenant().roots[0]?.wrapped.toString('hex');
    const stored = () => JSON.stringify(world.items(), inHex);
    expect(stored()).toContain(root);
    const destroyed = { ...world.tenant(), roots: [], version: 2 };
    await world.deps.tenantStore.update(world.tenant(), destroyed);
    expect(stored()).not.toContain(root);
    await expect(world.instance().current(world.tenantId, 'data')).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});
