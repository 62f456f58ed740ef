import type { Vault } from '../crypto/vault.ts';
import type { Random } from '../shared/platform.ts';
import type { Secret } from '../shared/secret.ts';
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

/** Opens the bundle of a reactor's packages; `undefined` if they were replaced meanwhile. */
export async function openBundle(
  { reactorStore, vault }: OpenPackagesDeps,
  reactor: ReactorRecord,
): Promise<Secret<Buffer> | undefined> {
  const encrypted = await reactorStore.findPackages(reactor);
  return encrypted && vault.decryptBytes(packagesContext(reactor), encrypted);
}

/**
 * The packages of a reactor under the current key; `undefined` if it has none of its own. The list
 * of their names stays.
 */
export async function reencryptedPackages(
  deps: OpenPackagesDeps & EncryptDeps,
  reactor: ReactorRecord,
): Promise<{ readonly packages: PackagesRecord; readonly stored: StoredPackages } | undefined> {
  const zipped = reactor.packages && (await openBundle(deps, reactor));
  if (reactor.packages === undefined || zipped === undefined) return undefined;
  const encrypted = await deps.vault.encryptBytes(packagesContext(reactor), zipped);
  const packages = { ...reactor.packages, id: deps.random.uuid(), bytes: encrypted.length };
  return { packages, stored: { encrypted } };
}
