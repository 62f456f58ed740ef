// The keys of tenants in a restore of Access: deployment keys and roots that were replaced around
// the restore point.
import { randomUUID, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { restoreBeside } from '../../../../bin/operator/restore/restore-beside.ts';
import { restoreClean } from '../../../../bin/operator/restore/restore-clean.ts';
import { restoreExchange } from '../../../../bin/operator/restore/restore-exchange.ts';
import { createDeploymentKeyStore } from '../../../../src/adapters/dynamodb/deployment-key-store.ts';
import { DEPLOYMENT_KEY } from '../../../../src/adapters/dynamodb/keys.ts';
import { createTenantStore } from '../../../../src/adapters/dynamodb/tenant-store.ts';
import type { WrappedRoot } from '../../../../src/core/crypto/key-ring.ts';
import { unwrapRoot } from '../../../../src/core/crypto/wrapped-root.ts';
import { createTenant } from '../../../../src/core/operator/create-tenant.ts';
import { beginRootReplacement } from '../../../../src/core/operator/replace-root.ts';
import { rewrapStep, rotateDeploymentKey } from '../../../../src/core/operator/wrap-roots.ts';
import { aKeyService } from '../../../support/tenant-keys.ts';
import { aDeployment, NOW } from './a-deployment.ts';
import { machinePlatform } from '../../../../src/adapters/machine-platform.ts';

const ALL = ['Tokens', 'Access', 'Reactors'];

/** A deployment with a tenant, whose copies are made: what follows is after the restore point. */
async function aCopiedDeployment() {
  const deployment = await aDeployment();
  const table = { client: deployment.documents, platform: machinePlatform, name: 'Access' };
  const { service } = aKeyService();
  const deps = {
    tenantStore: createTenantStore(table),
    deploymentKeyStore: createDeploymentKeyStore(table),
    keyService: service,
    newId: () => randomUUID(),
    ...machinePlatform,
    clock: () => NOW,
    keyRotationMs: 500,
    onFailure: (error: unknown) => {
      throw error;
    },
  };
  const { tenantId } = await createTenant(deps, { name: 'x', wrappedBy: 'deployment' });

  async function rootOf({ wrapped, deploymentKey }: WrappedRoot): Promise<KeyObject> {
    if (deploymentKey === undefined) return await service.unwrapKey(wrapped, { tenant: tenantId });
    const { id } = deploymentKey;
    const key = await service.unwrapKey(deploymentKey.wrapped, { deployment: id });
    return unwrapRoot({ id, key }, tenantId, wrapped);
  }

  const tenant = async () => {
    const found = await deps.tenantStore.find(tenantId);
    if (found === undefined) throw new Error('the tenant is missing');
    return found;
  };
  const beside = () => restoreBeside(deployment.deps, 'Cloakroom-operator', 'latest', ALL);
  deployment.setFate((operation) => (operation === 'Scan' ? 'before' : undefined));
  await expect(beside()).rejects.toThrow('cut off');
  deployment.setFate(() => undefined);
  return {
    deployment,
    deps,
    tenant,
    beside,
    exchange: () => restoreExchange(deployment.deps),
    /** The roots in plaintext, by the key that wraps each. */
    async opened() {
      const { roots } = await tenant();
      return await Promise.all(
        roots.map(async (root) => ({
          by: root.deploymentKey?.id ?? 'kms',
          root: (await rootOf(root)).export().toString('hex'),
        })),
      );
    },
    pointer: async () => (await deps.deploymentKeyStore.current())?.id,
    /** Replaces the tenant's roots, as the steps of a replacement do in days. */
    async setRoots(change: (roots: readonly WrappedRoot[]) => readonly WrappedRoot[]) {
      const found = await tenant();
      const roots = change(found.roots);
      const keyVersion = Math.max(...roots.map(({ since }) => since));
      const next = { ...found, roots, keyVersion, version: found.version + 1 };
      expect(await deps.tenantStore.update(found, next)).toBe(true);
    },
  };
}

describe('a restore of Access after a rotation of the deployment key', () => {
  it('leaves the pointer and the rewrapped root as they are now, and lists neither', async () => {
    const world = await aCopiedDeployment();
    const [former] = await world.opened();
    const { id } = await rotateDeploymentKey(world.deps);
    await rewrapStep(world.deps, {});
    const lengths = await world.beside();
    expect(lengths).toMatchObject({ 'deleted-Access': 0, 'changed-Access': 1, 'created-Access': 0 });
    await world.exchange();
    expect(await world.pointer()).toBe(id);
    expect(await world.opened()).toEqual([{ by: id, root: former?.root }]);
    await world.deployment.close();
  });

  it('does not bring the old pointer back with a tenant that returns, whose root still opens', async () => {
    const world = await aCopiedDeployment();
    const [former] = await world.opened();
    const { id } = await rotateDeploymentKey(world.deps);
    await rewrapStep(world.deps, {});
    await world.beside();
    writeFileSync(world.deployment.deps.folder.listPath('changed-Access'), '');
    await world.exchange();
    expect(await world.pointer()).toBe(id);
    expect(await world.opened()).toEqual([former]);
    await world.deployment.close();
  });

  it('does not bring a pointer back that Access has lost: the next root makes another key', async () => {
    const world = await aCopiedDeployment();
    const [former] = await world.opened();
    const { documents } = world.deployment;
    await documents.send(new DeleteCommand({ TableName: 'Access', Key: DEPLOYMENT_KEY }));
    await world.beside();
    await world.exchange();
    expect(await world.pointer()).toBeUndefined();
    await createTenant(world.deps, { name: 'y', wrappedBy: 'deployment' });
    expect([undefined, former?.by]).not.toContain(await world.pointer());
    await world.deployment.close();
  });
});

describe('a restore of Access around a replacement of a root', () => {
  it('brings a root back that was dropped since, and its replacement is under way again', async () => {
    const world = await aCopiedDeployment();
    const [old] = await world.opened();
    await beginRootReplacement(world.deps, (await world.tenant()).id);
    const settled = { startedAt: NOW, settledAt: NOW, clearedAt: NOW };
    await world.setRoots((roots) => roots.slice(1).map((root) => ({ ...root, ...settled })));
    const [next] = await world.opened();
    await world.beside();
    await world.exchange();
    expect(await world.opened()).toEqual([old, next]);
    const [, current] = (await world.tenant()).roots;
    expect(current).toMatchObject({ startedAt: NOW });
    expect([current?.settledAt, current?.clearedAt]).toEqual([undefined, undefined]);
    await world.deployment.close();
  });

  it('accepts a replacement that begins while the lists are read', async () => {
    const world = await aCopiedDeployment();
    await world.beside();
    await beginRootReplacement(world.deps, (await world.tenant()).id);
    const now = await world.opened();
    await world.exchange();
    expect(await world.opened()).toEqual(now);
    expect(now).toHaveLength(2);
    await world.deployment.close();
  });

  it('refuses a second replacement before it stops anything', async () => {
    const world = await aCopiedDeployment();
    await beginRootReplacement(world.deps, (await world.tenant()).id);
    await world.setRoots((roots) => roots.slice(1).map((root) => ({ ...root, startedAt: NOW })));
    await beginRootReplacement(world.deps, (await world.tenant()).id);
    await world.beside();
    const functions = structuredClone(world.deployment.functions);
    await expect(world.exchange()).rejects.toThrow('was replaced twice around this restore point');
    expect(world.deployment.functions).toEqual(functions);
    expect(world.deployment.calls).not.toContain('PutFunctionConcurrency');
    await world.deployment.close();
  });

  it('can be dropped if the second replacement ended a moment before the service stopped', async () => {
    const world = await aCopiedDeployment();
    await world.beside();
    const functions = structuredClone(world.deployment.functions);
    const pause = async () => {
      await beginRootReplacement(world.deps, (await world.tenant()).id);
      await world.setRoots((roots) => roots.slice(1).map((root) => ({ ...root, startedAt: NOW })));
      await beginRootReplacement(world.deps, (await world.tenant()).id);
    };
    const now = { ...world.deployment.deps, pause };
    await expect(restoreExchange(now)).rejects.toThrow('was replaced twice');
    expect(world.deployment.functions).not.toEqual(functions);
    const before = await world.opened();
    await restoreClean(world.deployment.deps);
    expect(world.deployment.functions).toEqual(functions);
    expect(await world.opened()).toEqual(before);
    await world.deployment.close();
  });
});
