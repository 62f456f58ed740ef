import { randomBytes, randomUUID } from 'node:crypto';
import type { DeploymentKeyStore } from '../../src/core/operator/wrap-roots.ts';

/** The contract of every {@link DeploymentKeyStore}; `make` returns an empty one. */
export function deploymentKeyStoreContract(name: string, make: () => DeploymentKeyStore): void {
  const aKey = () => ({ id: randomUUID(), wrapped: randomBytes(20) });

  it(`a deployment key store, ${name}, replaces exactly the key that the writer read`, async () => {
    const store = make();
    const first = aKey();
    const second = aKey();
    expect(await store.current()).toBeUndefined();
    expect(await store.replace(second, first)).toBe(false);
    expect(await store.replace(undefined, first)).toBe(true);
    expect(await store.replace(undefined, second)).toBe(false);
    expect(await store.current()).toEqual(first);
    expect(await store.replace(first, second)).toBe(true);
    expect(await store.replace(first, aKey())).toBe(false);
    expect(await store.current()).toEqual(second);
  });
}
