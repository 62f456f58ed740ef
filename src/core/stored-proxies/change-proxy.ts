import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Sightings } from '../audit/audit-scope.ts';
import { changedNotes, labelsAfter } from '../shared/configuration-labels.ts';
import { defined } from '../shared/defined.ts';
import { asOwned, externalIdAfter, writeNext } from '../shared/external-id.ts';
import { nextRevision } from '../shared/revision.ts';
import type { Platform } from '../shared/platform.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { Secret } from '../shared/secret.ts';
import { checkProxy, type CheckProxyDeps } from './check-proxy.ts';
import { existingProxy, type GetProxyDeps } from './get-proxy.ts';
import {
  openConfiguration,
  openProxy,
  openRetired,
  originOf,
  encryptConfiguration,
  encryptDefinition,
  encryptName,
  encryptRetired,
} from './open-proxy.ts';
import { pinsOf } from './pinning-proxies.ts';
import type { ProxyChange } from './proxy-change.ts';
import type { ProxyReports } from './proxy-reports.ts';
import { requireForCode, requireForUses, setsSecret } from './required-configuration.ts';
import { changedMarks, marksAfter } from './retained-versions.ts';
import { retire } from './retired-secrets.ts';
import {
  versionOf,
  type Proxy,
  type ProxyConfiguration,
  type ProxyDefinition,
  type StoredProxy,
} from './stored-proxy.ts';
import { changedMembers } from './changed-members.ts';
import { checkConfiguration } from './check-configuration.ts';

export type ChangeProxyDeps = GetProxyDeps &
  CheckProxyDeps &
  Platform & {
    readonly audit: Sightings;
  } & Pick<ProxyReports, 'onSecretsForgotten'>;

/** Where a request came in, which decides what a proxy must not name. */
export interface RequestPlace {
  readonly traceId: string;
  /** Names of the service, which are no destinations. */
  readonly ownHosts: readonly string[];
  /** Whether a field is for the service alone. The name is in lower case. */
  readonly isReserved: (name: string) => boolean;
}

function merged(
  before: Secret<ProxyConfiguration>,
  { configuration, replacesConfiguration }: ProxyChange,
): Secret<ProxyConfiguration> {
  if (configuration === undefined) return before;
  const entries = new Map(replacesConfiguration ? [] : Object.entries(before.reveal()));
  for (const [name, value] of Object.entries(configuration.reveal()))
    if (value === null) entries.delete(name);
    else entries.set(name, value);
  return new Secret(Object.fromEntries(entries));
}

/** A proxy that a change has opened, with its configuration. */
interface Opened extends Proxy {
  readonly configuration: Secret<ProxyConfiguration>;
}

/**
 * The definition and the configuration after a change. What the change needs again is checked
 * first: the other checks say what a value is like, to a caller who names it in another place.
 */
async function checkedChange(
  deps: ChangeProxyDeps,
  { stored: { tenantId }, definition: previous, configuration: before }: Opened,
  change: ProxyChange,
  place: RequestPlace,
) {
  const configuration = merged(before, change);
  checkConfiguration(configuration);
  const changed = { previous, before, after: configuration };
  const draft = change.apply(previous);
  requireForUses(changed, draft, change);
  const definition = await checkProxy(deps, draft, { tenantId, configuration, previous, ...place });
  requireForCode(changed, definition, change);
  return { definition, configuration };
}

/** The members of a stored proxy that a change of its configuration, or of its origin, replaces. */
async function changedConfiguration(
  deps: ChangeProxyDeps,
  { stored, definition: previous, configuration: before }: Opened,
  change: ProxyChange,
  { definition, configuration }: { definition: ProxyDefinition; configuration: Secret<ProxyConfiguration> },
  author: string,
) {
  const setsSecrets = setsSecret(change);
  const { retired, hasForgotten } = retire(
    await openRetired(deps.vault, stored),
    { before, after: configuration, setsSecrets, origin: originOf(previous), author: stored.secretAuthor },
    deps.clock(),
  );
  const members = {
    configurationNames: Object.keys(configuration.reveal()),
    encryptedConfiguration: await encryptConfiguration(deps.vault, stored, definition, configuration),
    secretAuthor: setsSecrets ? author : stored.secretAuthor,
    ...(retired.reveal().length > 0 && {
      encryptedRetired: await encryptRetired(deps.vault, stored, retired),
    }),
  };
  return { members, hasForgotten };
}

/** Returns the external id and the labels that a proxy has after a change. */
const namedAfter = (
  { externalId, configurationLabels }: StoredProxy,
  change: ProxyChange,
  configuration: Secret<ProxyConfiguration>,
) => ({
  ...externalIdAfter(externalId, change.externalId),
  ...labelsAfter(
    configurationLabels,
    defined({
      labels: change.labels,
      changed: Object.keys(change.configuration?.reveal() ?? {}),
      replaces: change.replacesConfiguration,
    }),
    Object.keys(configuration.reveal()),
  ),
});

/** The secrets that it had, which a change of other members leaves. */
const retiredOf = ({ encryptedRetired }: StoredProxy): Partial<StoredProxy> =>
  encryptedRetired === undefined ? {} : { encryptedRetired };

/** The next state of a proxy, without its names and who changed it. */
async function nextProxy(
  { vault, random }: ChangeProxyDeps,
  { stored, definition: previous }: Opened,
  { definition }: { readonly definition: ProxyDefinition },
  change: {
    readonly members: Partial<StoredProxy>;
    readonly version: number;
    readonly marks: Pick<StoredProxy, 'retainedVersions'>;
  },
): Promise<StoredProxy> {
  const { members, version, marks } = change;
  const { retainedVersions: _, externalId: __, configurationLabels: ___, ...unnamed } = stored;
  const { encryptedRetired: ____, ...before } = unnamed;
  return {
    ...before,
    ...members,
    definitionVersion: version,
    pins: pinsOf(definition),
    ...marks,
    ...(version !== stored.definitionVersion && {
      encryptedDefinition: await encryptDefinition(vault, stored, version, definition),
    }),
    ...(previous.name !== definition.name && {
      encryptedName: await encryptName(vault, stored, definition),
    }),
    revision: nextRevision(random, stored),
    version: stored.version + 1,
  };
}

async function changeOnce(
  deps: ChangeProxyDeps,
  caller: Caller,
  id: string,
  change: ProxyChange,
  place: RequestPlace,
): Promise<Proxy | 'conflict'> {
  const proxy = await openProxy(deps.vault, await existingProxy(deps, caller.tenantId, id));
  change.check?.(proxy);
  const { stored, definition: previous } = proxy;
  const opened = { ...proxy, configuration: await openConfiguration(deps.vault, proxy) };
  const checked = await checkedChange(deps, opened, change, place);
  const { definition } = checked;
  const members = changedMembers(previous, definition);
  const isNewVersion = members.length > 0;
  const isNewConfiguration = change.configuration !== undefined;
  const by = caller.applicationId;
  const now = deps.clock();
  const changed =
    isNewConfiguration || originOf(previous) !== originOf(definition)
      ? await changedConfiguration(deps, opened, change, checked, by)
      : { members: retiredOf(stored), hasForgotten: false };
  const version = stored.definitionVersion + (isNewVersion ? 1 : 0);
  const marks = marksAfter(stored, version, change);
  const next: StoredProxy = {
    ...(await nextProxy(deps, opened, checked, { members: changed.members, version, marks })),
    ...namedAfter(stored, change, checked.configuration),
    modifiedBy: by,
    modifiedAt: now,
  };
  deps.audit.changes({
    members: [
      ...members,
      ...changedNotes(stored, next),
      ...(isNewConfiguration ? ['configuration'] : []),
      ...(changed.hasForgotten ? ['retired_secrets'] : []),
      ...changedMarks(stored, marks),
    ],
  });
  const versions = isNewVersion ? [versionOf(next, { createdBy: by, createdAt: now })] : [];
  const owned = await asOwned(deps.proxyStore, stored, change.externalId);
  const written = await writeNext(deps.proxyStore, caller, { previous: owned, next }, () =>
    deps.proxyStore.update(owned, next, versions),
  );
  if (written === 'conflict') return 'conflict';
  if (changed.hasForgotten)
    deps.onSecretsForgotten({ traceId: place.traceId, tenantId: stored.tenantId, proxyId: id });
  return { stored: next, definition };
}

/**
 * Changes a proxy. Calls that have started finish with the version that they started with. Throws
 * `configuration_required`.
 */
export function changeProxy(
  deps: ChangeProxyDeps,
  caller: Caller,
  id: string,
  change: ProxyChange,
  place: RequestPlace,
): Promise<Proxy> {
  requirePermission(caller, 'proxy:update');
  return retryConflict<Proxy>(deps, () => changeOnce(deps, caller, id, change, place));
}
