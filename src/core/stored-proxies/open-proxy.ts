import type { RecordContext } from '../crypto/record-encryption.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import type {
  ListedProxy,
  OpenConfiguration,
  Proxy,
  ProxyConfiguration,
  ProxyDefinition,
  ProxyVersion,
  RetiredSecrets,
  StoredProxy,
  StoredVersion,
} from './stored-proxy.ts';

type ProxyIdentity = Pick<StoredProxy, 'id' | 'tenantId'>;

const definitionContext = ({ tenantId, id }: ProxyIdentity, version: number): RecordContext => ({
  tenantId,
  recordId: id,
  field: 'proxy-definition',
  bound: [String(version)],
});

const nameContext = ({ tenantId, id }: ProxyIdentity): RecordContext => ({
  tenantId,
  recordId: id,
  field: 'proxy-name',
});

export const encryptName = (vault: Vault, place: ProxyIdentity, { name }: ProxyDefinition): Promise<Buffer> =>
  vault.encrypt(nameContext(place), new Secret<Json>(name));

export async function openName(vault: Vault, listed: ListedProxy): Promise<string> {
  const opened = await vault.decrypt(nameContext(listed), listed.encryptedName);
  return opened.reveal() as unknown as string;
}

/** Scheme, host and port of a destination: where secrets may be sent. */
export const originOf = ({ destinationUrl }: Pick<ProxyDefinition, 'destinationUrl'>): string =>
  new URL(destinationUrl).origin;

/**
 * The configuration is bound to the origin of the destination, so that it does not open for
 * another one.
 */
const configurationContext = ({ tenantId, id }: ProxyIdentity, origin: string): RecordContext => ({
  tenantId,
  recordId: id,
  field: 'proxy-configuration',
  bound: [origin],
});

const retiredContext = ({ tenantId, id }: ProxyIdentity): RecordContext => ({
  tenantId,
  recordId: id,
  field: 'proxy-retired-secrets',
});

export function encryptDefinition(
  vault: Vault,
  place: ProxyIdentity,
  version: number,
  definition: ProxyDefinition,
): Promise<Buffer> {
  return vault.encrypt(definitionContext(place, version), new Secret(definition as unknown as Json));
}

export function encryptConfiguration(
  vault: Vault,
  place: ProxyIdentity,
  definition: ProxyDefinition,
  configuration: Secret<ProxyConfiguration>,
): Promise<Buffer> {
  const context = configurationContext(place, originOf(definition));
  return vault.encrypt(context, new Secret(configuration.reveal() as unknown as Json));
}

async function openDefinition(
  vault: Vault,
  place: ProxyIdentity,
  version: number,
  encrypted: Buffer,
): Promise<ProxyDefinition> {
  const opened = await vault.decrypt(definitionContext(place, version), encrypted);
  // Only this module writes it, and its authentication tag proves it unchanged. It has no secrets:
  // who may read proxies is shown all of it.
  return opened.reveal() as unknown as ProxyDefinition;
}

export async function openProxy(vault: Vault, stored: StoredProxy): Promise<Proxy> {
  const { definitionVersion, encryptedDefinition } = stored;
  const definition = await openDefinition(vault, stored, definitionVersion, encryptedDefinition);
  return { stored, definition };
}

export async function openVersion(
  vault: Vault,
  proxy: ProxyIdentity & Pick<StoredProxy, 'retainedVersions'>,
  { encryptedDefinition, ...version }: StoredVersion,
): Promise<ProxyVersion> {
  return {
    ...version,
    definition: await openDefinition(vault, proxy, version.version, encryptedDefinition),
    isRetained: proxy.retainedVersions?.includes(version.version) === true,
  };
}

export async function openConfiguration(
  vault: Vault,
  { stored, definition }: Proxy,
): Promise<OpenConfiguration> {
  const context = configurationContext(stored, originOf(definition));
  const opened = await vault.decrypt(context, stored.encryptedConfiguration);
  return new Secret(opened.reveal() as unknown as ProxyConfiguration);
}

export function encryptRetired(
  vault: Vault,
  place: ProxyIdentity,
  retired: Secret<readonly RetiredSecrets[]>,
): Promise<Buffer> {
  return vault.encrypt(retiredContext(place), new Secret(retired.reveal() as unknown as Json));
}

/** The secrets that a proxy had, of whatever origin and end. */
export async function openRetired(
  vault: Vault,
  stored: StoredProxy,
): Promise<Secret<readonly RetiredSecrets[]>> {
  if (stored.encryptedRetired === undefined) return new Secret([]);
  const opened = await vault.decrypt(retiredContext(stored), stored.encryptedRetired);
  return new Secret(opened.reveal() as unknown as readonly RetiredSecrets[]);
}
