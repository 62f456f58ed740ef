// Who can write the Access table but has no right on KMS: every ring that it can assemble from
// what is stored, and from keys of its own, opens a root that was wrapped for this tenant, or none.
import { createSecretKey, randomBytes } from 'node:crypto';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import type { DeploymentKey, WrappedRoot } from '../../src/core/crypto/key-ring.ts';
import { createTenantKeys } from '../../src/core/crypto/tenant-keys.ts';
import { wrapRoot } from '../../src/core/crypto/wrapped-root.ts';
import { rewrapStep, rotateDeploymentKey } from '../../src/core/operator/wrap-roots.ts';
import { aTenantWorld } from '../support/a-tenant-world.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

/** Tenants under two deployment keys and under KMS, some of them moved, and all that was stored. */
async function aHistory() {
  const world = await aTenantWorld({ wrappedBy: 'deployment' });
  const ids = [world.tenantId, await world.another('deployment'), await world.another('kms')];
  const stored = new Map<string, WrappedRoot[]>();
  const note = () => {
    for (const id of ids) stored.set(id, [...(stored.get(id) ?? []), ...world.tenant(id).roots]);
  };
  note();
  await rotateDeploymentKey(world.deps);
  ids.push(await world.another('deployment'));
  note();
  await rewrapStep(world.deps, { tenantId: ids[1], by: 'kms' });
  await rewrapStep(world.deps, { tenantId: world.tenantId });
  note();
  const genuine = new Map<string, string>();
  for (const id of ids)
    genuine.set(id, (await world.instance().current(id, 'clear')).key.export().toString('hex'));
  return { world, ids, stored, genuine };
}

it('a ring that an attacker writes opens no root but one that was wrapped for the tenant', async () => {
  const { world, ids, stored, genuine } = await aHistory();
  const roots = [...stored.values()].flat();
  const keys = roots.flatMap(({ deploymentKey }) => deploymentKey ?? []);
  const own = { id: keys[0]?.id ?? '', key: createSecretKey(randomBytes(32)) };
  const target = fc.constantFrom(...ids);
  const bytes = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...roots.map(({ wrapped }) => wrapped)) },
    fc.constantFrom(...keys.map(({ wrapped }) => wrapped)),
    fc.uint8Array({ maxLength: 90 }).map((made) => Buffer.from(made)),
  );
  const forged = target.map((id) =>
    wrapRoot(machinePlatform.random, own, id, createSecretKey(randomBytes(32))),
  );
  const keyId = fc.oneof(fc.constantFrom(...keys.map(({ id }) => id)), target, fc.constant('kms'));
  const deploymentKey: fc.Arbitrary<DeploymentKey | undefined> = fc.oneof(
    fc.constant(undefined),
    { weight: 3, arbitrary: fc.constantFrom(...keys) },
    fc.record({ id: keyId, wrapped: bytes }),
  );
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(
      target,
      fc.oneof({ weight: 3, arbitrary: bytes }, forged),
      deploymentKey,
      async (id, wrapped, key) => {
        const root = { wrapped, since: 1, addedAt: 1, startedAt: 1, ...(key && { deploymentKey: key }) };
        const ring = { roots: [root], keyVersion: 1 };
        const instance = createTenantKeys({
          keyService: world.keys.service,
          keyRingStore: { keyRing: () => Promise.resolve(ring) },
          ...machinePlatform,
          clock: () => 1,
        });
        const found = await instance.current(id, 'clear').catch(() => undefined);
        if (found === undefined) return;
        opened += 1;
        expect(found.key.export().toString('hex')).toBe(genuine.get(id));
      },
    ),
    { numRuns: cases(600) },
  );
  // The property is not empty: some of the rings are those that the operator wrote.
  expect(opened).toBeGreaterThan(0);
});
