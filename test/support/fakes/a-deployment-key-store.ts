import type { DeploymentKey } from '../../../src/core/crypto/key-ring.ts';
import type { DeploymentKeyStore } from '../../../src/core/operator/wrap-roots.ts';

/** Implements {@link DeploymentKeyStore} in memory. */
export function aDeploymentKeyStore(): DeploymentKeyStore {
  let key: DeploymentKey | undefined;
  return {
    current: () => Promise.resolve(key),
    replace(previous, next) {
      if (key?.id !== previous?.id) return Promise.resolve(false);
      key = next;
      return Promise.resolve(true);
    },
  };
}
