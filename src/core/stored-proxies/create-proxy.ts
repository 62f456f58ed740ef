import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { firstVersion } from '../applications/application.ts';
import { FOR_EVER, keysOfOthers, newKey } from '../applications/application-key.ts';
import { generateProxyKey } from '../crypto/api-key.ts';
import { changedNotes, labelsAfter, type Labels } from '../shared/configuration-labels.ts';
import { firstRevision } from '../shared/revision.ts';
import { requireFree } from '../shared/external-id.ts';
import { orderedId } from '../shared/ordered-id.ts';
import type { Secret } from '../shared/secret.ts';
import { defined } from '../shared/defined.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { checkProxy, type ProxyDraft } from './check-proxy.ts';
import { openProxy, encryptConfiguration, encryptDefinition, encryptName } from './open-proxy.ts';
import {
  STORED_PROXY_LIMITS,
  versionOf,
  type Proxy,
  type ProxyConfiguration,
  type StoredProxy,
} from './stored-proxy.ts';
import type { ChangeProxyDeps, RequestPlace } from './change-proxy.ts';
import { changedMembers } from './changed-members.ts';
import { pinsOf } from './pinning-proxies.ts';
import { checkConfiguration } from './check-configuration.ts';

/** A proxy as a request describes it. */
export interface NewProxy {
  readonly externalId?: string;
  readonly labels?: Labels;
  readonly draft: ProxyDraft;
  readonly configuration: Secret<ProxyConfiguration>;
}

/**
 * Creates a proxy. Its key is returned here and never again. A retry whose first response was lost
 * gets another key in the place of the first one.
 */
export async function createProxy(
  deps: ChangeProxyDeps,
  caller: Caller,
  { draft, configuration, externalId, labels }: NewProxy,
  place: RequestPlace,
  writes: WriteIdentity,
): Promise<{ readonly proxy: Proxy; readonly key: Secret<string> }> {
  requirePermission(caller, 'proxy:create');
  const { tenantId, applicationId: createdBy } = caller;
  checkConfiguration(configuration);
  const names = Object.keys(configuration.reveal());
  const labelled = labelsAfter(undefined, defined({ labels, changed: [], replaces: true }), names);
  const definition = await checkProxy(deps, draft, { tenantId, configuration, ...place });
  const now = deps.clock();
  const id = orderedId(writes.startedAt ?? now, writes.newId());
  const writeId = writes.newWriteId();
  const by = { createdBy, createdAt: now };
  const { key, text } = newKey(deps, generateProxyKey(deps.random, tenantId, id), {
    ...FOR_EVER,
    ...by,
    writeId,
  });
  const at = { id, tenantId };
  const stored: StoredProxy = {
    ...at,
    definitionVersion: 1,
    encryptedDefinition: await encryptDefinition(deps.vault, at, 1, definition),
    pins: pinsOf(definition),
    encryptedName: await encryptName(deps.vault, at, definition),
    ...(externalId !== undefined && { externalId }),
    ...labelled,
    configurationNames: names,
    encryptedConfiguration: await encryptConfiguration(deps.vault, at, definition, configuration),
    secretAuthor: createdBy,
    keys: [key],
    ...by,
    revision: firstRevision(deps.random),
    version: firstVersion(deps.random),
  };
  const members = [
    ...changedMembers({}, definition),
    ...changedNotes({}, stored),
    ...(names.length > 0 ? ['configuration'] : []),
  ];
  deps.audit.changes({ members: [`keys.${key.id}`, ...members] });
  if (await deps.proxyStore.create(stored, versionOf(stored, by)))
    return { proxy: { stored, definition }, key: text };
  const made = await deps.proxyStore.find(tenantId, id);
  if (made === undefined) {
    await requireFree(deps.proxyStore, stored);
    throw new ServiceError(
      'conflict',
      `A tenant has at most ${String(STORED_PROXY_LIMITS.proxies)} proxies: delete one first.`,
    );
  }
  const others = keysOfOthers(made, writeId);
  const again = { ...made, keys: [...others, key], version: made.version + 1 };
  // Its key may be gone meanwhile: who may only create proxies adds no key to one.
  if (others.length === made.keys.length || !(await deps.proxyStore.update(made, again, [])))
    throw new ServiceError('conflict', 'The proxy was changed by another request.');
  return { proxy: await openProxy(deps.vault, again), key: text };
}
