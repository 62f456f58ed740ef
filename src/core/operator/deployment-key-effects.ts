import type { PortEffects } from '../audit/effect.ts';
import type { DeploymentKeyStore } from './wrap-roots.ts';

/** Apart from the use cases, which most functions do not bundle. */
export const DEPLOYMENT_KEY_STORE_EFFECTS: PortEffects<DeploymentKeyStore> = {
  current: 'none',
  replace: () => ({ change: { members: ['deployment_key'] } }),
};
