import type { Caller } from '../../src/core/access/caller.ts';
import type { KeyChoice } from '../../src/core/applications/application-key.ts';
import type { GetApplicationDeps } from '../../src/core/applications/get-application.ts';
import * as keys from '../../src/core/applications/manage-keys.ts';
import type { WriteIdentity } from '../../src/core/shared/write-identity.ts';

/** Names a key by its application and its own id. */
export interface KeyPlace {
  readonly id: string;
  readonly keyId: string;
}

export const createKey = (
  deps: GetApplicationDeps,
  by: Caller,
  id: string,
  choice: KeyChoice,
  writes: WriteIdentity,
) => keys.createKey(deps, keys.keysOfApplication(deps, by, id), choice, writes);

export const listKeys = (deps: GetApplicationDeps, by: Caller, id: string) =>
  keys.listKeys(keys.keysOfApplication(deps, by, id));

export const getKey = (deps: GetApplicationDeps, by: Caller, { id, keyId }: KeyPlace) =>
  keys.getKey(keys.keysOfApplication(deps, by, id), keyId);

export const updateKey = (
  deps: GetApplicationDeps,
  by: Caller,
  { id, keyId }: KeyPlace,
  patch: keys.KeyPatch,
) => keys.updateKey(deps, keys.keysOfApplication(deps, by, id), keyId, patch);

export const deleteKey = (deps: GetApplicationDeps, by: Caller, { id, keyId }: KeyPlace) =>
  keys.deleteKey(deps, keys.keysOfApplication(deps, by, id), keyId);
