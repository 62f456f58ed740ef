import { openVault } from './open-vault.ts';
import type { Vault, VaultOptions } from './vault.ts';

/**
 * Starts the service in this process: the code of a deployment over stores in memory. Nothing
 * outlives it, and nothing leaves it.
 * @example const vault = await createVault();
 */
export const createVault = async (options: VaultOptions = {}): Promise<Vault> =>
  (await openVault(options)).vault;
