import { defined } from '../shared/defined.ts';
import type { GetProxyDeps } from './get-proxy.ts';
import {
  encryptConfiguration,
  encryptDefinition,
  encryptName,
  encryptRetired,
  openConfiguration,
  openProxy,
  openRetired,
  openVersion,
} from './open-proxy.ts';
import type { StoredProxy, StoredVersion } from './stored-proxy.ts';

/** A proxy with its versions, encrypted again under the current data key. */
export async function reencrypted(
  deps: Pick<GetProxyDeps, 'vault'>,
  proxy: StoredProxy,
  versions: readonly StoredVersion[],
): Promise<{ readonly next: StoredProxy; readonly versions: readonly StoredVersion[] }> {
  const { vault } = deps;
  const opened = await openProxy(vault, proxy);
  const configuration = await openConfiguration(vault, opened);
  const next = defined({
    ...proxy,
    encryptedDefinition: await encryptDefinition(vault, proxy, proxy.definitionVersion, opened.definition),
    encryptedName: await encryptName(vault, proxy, opened.definition),
    encryptedConfiguration: await encryptConfiguration(vault, proxy, opened.definition, configuration),
    encryptedRetired:
      proxy.encryptedRetired && (await encryptRetired(vault, proxy, await openRetired(vault, proxy))),
    version: proxy.version + 1,
  });
  const again = versions.map(async (each) => {
    const { definition } = await openVersion(vault, proxy, each);
    return { ...each, encryptedDefinition: await encryptDefinition(vault, proxy, each.version, definition) };
  });
  return { next, versions: await Promise.all(again) };
}
