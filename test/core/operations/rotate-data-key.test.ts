import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { createTenantKeys, type WrappedKey } from '../../../core/crypto/tenant-keys.ts';
import { createVault } from '../../../core/crypto/vault.ts';
import { dataKeyVersion } from '../../../core/crypto/record-seal.ts';
import { rotateDataKey, rotateIfDue } from '../../../core/operations/rotate-data-key.ts';
import { Secret } from '../../../core/shared/secret.ts';

const CONTEXT = { tenantId: 't', recordId: 'r', field: 'data' };

/** A tenant whose wrapped keys are kept here; instances of the service have caches of their own. */
function aTenant() {
  const plain = new Map<string, KeyObject>();
  const keyService = {
    generateKey: () => {
      const [key, wrapped] = [createSecretKey(randomBytes(32)), randomBytes(16)];
      plain.set(wrapped.toString('hex'), key);
      return Promise.resolve({ key, wrapped });
    },
    unwrapKey: (wrapped: Buffer) => {
      const key = plain.get(wrapped.toString('hex'));
      return key === undefined ? Promise.reject(new Error('unknown')) : Promise.resolve(key);
    },
  };
  const state = { keys: [] as readonly WrappedKey[], rotateAt: 1_000, now: 0 };
  const deps = {
    keyService,
    clock: () => state.now,
    keyRotationMs: 500,
    tenantKeyRing: {
      keyRing: (id: string) => Promise.resolve(id === 't' ? { ...state } : undefined),
      addKey: (_id: string, before: readonly WrappedKey[], added: WrappedKey, rotateAt: number) => {
        if (before.length !== state.keys.length) return Promise.resolve(false);
        state.keys = [...state.keys, added];
        state.rotateAt = rotateAt;
        return Promise.resolve(true);
      },
    },
  };
  const instance = () =>
    createTenantKeys({
      keyService,
      clock: () => state.now,
      wrappedKeyStore: { wrappedKeys: () => Promise.resolve(state.keys) },
    });
  return { deps, state, instance };
}

async function withFirstKey() {
  const tenant = aTenant();
  const { wrapped } = await tenant.deps.keyService.generateKey();
  tenant.state.keys = [{ purpose: 'data', version: 1, wrapped }];
  return tenant;
}

describe('the rotation of a data key', () => {
  it('adds a version; old records open, also in an instance that has not heard of it', async () => {
    const { deps, instance } = await withFirstKey();
    const [quick, slow] = [createVault(instance()), createVault(instance())];
    const before = await slow.seal(CONTEXT, new Secret('old'));
    expect(await rotateDataKey(deps, 't')).toBe(2);
    const after = await quick.seal(CONTEXT, new Secret('new'));
    expect([dataKeyVersion(before), dataKeyVersion(after)]).toEqual([1, 2]);
    for (const vault of [quick, slow]) {
      expect((await vault.open(CONTEXT, before)).reveal()).toBe('old');
      expect((await vault.open(CONTEXT, after)).reveal()).toBe('new');
    }
  });

  it('is known to every instance within five minutes', async () => {
    const { deps, state, instance } = await withFirstKey();
    const vault = createVault(instance());
    await vault.seal(CONTEXT, new Secret('x'));
    await rotateDataKey(deps, 't');
    expect(dataKeyVersion(await vault.seal(CONTEXT, new Secret('x')))).toBe(1);
    state.now += 5 * 60 * 1000;
    expect(dataKeyVersion(await vault.seal(CONTEXT, new Secret('x')))).toBe(2);
  });

  it('is read anew by who must not take a replaced key', async () => {
    const { deps, instance } = await withFirstKey();
    const keys = instance();
    await keys.current('t', 'data');
    await rotateDataKey(deps, 't');
    expect((await keys.newest('t', 'data')).version).toBe(2);
    expect((await keys.current('t', 'data')).version).toBe(2);
  });

  it('gives two that rotate at once a version each', async () => {
    const { deps, state } = await withFirstKey();
    const versions = await Promise.all([rotateDataKey(deps, 't'), rotateDataKey(deps, 't')]);
    expect(versions.toSorted()).toEqual([2, 3]);
    expect(state.keys.map(({ version }) => version)).toEqual([1, 2, 3]);
  });

  it('happens when it is due, and not before', async () => {
    const { deps, state } = await withFirstKey();
    state.now = 999;
    await rotateIfDue(deps, 't');
    expect(state.keys).toHaveLength(1);
    state.now = 1_000;
    await rotateIfDue(deps, 't');
    await rotateIfDue(deps, 't');
    expect([state.keys.length, state.rotateAt]).toEqual([2, 1_500]);
  });

  it('is refused for a tenant that there is not, or whose keys were destroyed', async () => {
    const { deps, state } = await withFirstKey();
    await expect(rotateDataKey(deps, 'another')).rejects.toMatchObject({ code: 'not_found' });
    state.keys = [];
    await expect(rotateDataKey(deps, 't')).rejects.toMatchObject({ code: 'not_found' });
  });
});
