import type { PortEffects } from '../audit/effect.ts';
import type { InvocationCredentialStore } from './invocation-credential.ts';

/** Apart from the use cases, which most functions do not bundle. */
export const INVOCATION_CREDENTIAL_STORE_EFFECTS: PortEffects<InvocationCredentialStore> = {
  create: () => ({}),
  remove: 'none',
};
