import type { Vault } from '../crypto/vault.ts';
import type { Random } from '../shared/platform.ts';
import { Secret } from '../shared/secret.ts';
import type { PackagesRecord, ReactorRecord } from './reactor.ts';
import type { ReactorStore, StoredPackages } from './reactor-store.ts';

export const packagesContext = ({ tenantId, id }: Pick<ReactorRecord, 'tenantId' | 'id'>) => ({
  tenantId,
  recordId: id,
  field: 'reactor-packages',
});

export interface EncryptDeps {
  readonly vault: Vault;
  readonly random: Random;
}

export interface OpenPackagesDeps {
  readonly reactorStore: Pick<ReactorStore, 'findPackages'>;
  readonly vault: Vault;
}

/** Opens the text of a reactor's packages; `undefined` if they were replaced meanwhile. */
export async function openBase64(
  { reactorStore, vault }: OpenPackagesDeps,
  reactor: ReactorRecord,
): Promise<Secret<string> | undefined> {
  const encrypted = await reactorStore.findPackages(reactor);
  if (encrypted === undefined) return undefined;
  const opened = (await vault.decrypt(packagesContext(reactor), encrypted)).reveal();
  if (typeof opened !== 'string') throw new Error('reactor: its packages are no text');
  return new Secret(opened);
}

/**
 * The packages of a reactor under the current key; `undefined` if it has none of its own. The list
 * of their names stays.
 */
export async function reencryptedPackages(
  deps: OpenPackagesDeps & EncryptDeps,
  reactor: ReactorRecord,
): Promise<{ readonly packages: PackagesRecord; readonly stored: StoredPackages } | undefined> {
  const base64 = reactor.packages && (await openBase64(deps, reactor));
  if (reactor.packages === undefined || base64 === undefined) return undefined;
  const encrypted = await deps.vault.encrypt(packagesContext(reactor), base64);
  const packages = { ...reactor.packages, id: deps.random.uuid(), bytes: encrypted.length };
  return { packages, stored: { encrypted } };
}
