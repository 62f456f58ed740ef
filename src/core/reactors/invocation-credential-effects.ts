import type { PortEffects } from '../audit/effect.ts';
import type { InvocationCredentialStore } from './invocation-credential.ts';

/** This file is apart from the use cases because most functions bundle only the effects. */
export const INVOCATION_CREDENTIAL_STORE_EFFECTS: PortEffects<InvocationCredentialStore> = {
  create: () => ({}),
  remove: 'none',
};
