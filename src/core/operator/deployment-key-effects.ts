import type { PortEffects } from '../audit/effect.ts';
import type { DeploymentKeyStore } from './wrap-roots.ts';

/** This file is apart from the use cases because most functions bundle only the effects. */
export const DEPLOYMENT_KEY_STORE_EFFECTS: PortEffects<DeploymentKeyStore> = {
  current: 'none',
  replace: () => ({ change: { members: ['deployment_key'] } }),
};
