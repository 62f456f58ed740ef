import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { firstVersion } from '../applications/application.ts';
import { FOR_EVER, keysOfOthers, newKey } from '../applications/application-key.ts';
import type { Sightings } from '../audit/audit-scope.ts';
import { generateProxyKey } from '../crypto/api-key.ts';
import { isEqualJson, type Json } from '../shared/json.ts';
import { orderedId } from '../shared/ordered-id.ts';
import type { Platform } from '../shared/platform.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { checkProxy, type CheckProxyDeps, type ProxyDraft } from './check-proxy.ts';
import { COUNTED_BYTES, countedBytes } from './configuration-size.ts';
import { existingProxy, type GetProxyDeps } from './get-proxy.ts';
import {
  openConfiguration,
  openProxy,
  openRetired,
  openVersion,
  originOf,
  encryptConfiguration,
  encryptDefinition,
  encryptName,
  encryptRetired,
} from './open-proxy.ts';
import type { ProxyChange } from './proxy-change.ts';
import type { ProxyReports } from './proxy-reports.ts';
import { requireForCode, requireForUses, setsSecret } from './required-configuration.ts';
import { changedMarks, marksAfter } from './retained-versions.ts';
import { retire } from './retired-secrets.ts';
import {
  STORED_PROXY_LIMITS,
  type Proxy,
  type ProxyConfiguration,
  type ProxyDefinition,
  type StoredProxy,
  type StoredVersion,
} from './stored-proxy.ts';

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

/** A proxy as a request describes it. */
export interface NewProxy {
  readonly draft: ProxyDraft;
  readonly configuration: Secret<ProxyConfiguration>;
}

function checkConfiguration(configuration: Secret<ProxyConfiguration>): void {
  const values = configuration.reveal();
  const { configuration: most, configurationBytes } = STORED_PROXY_LIMITS;
  if (Object.keys(values).length > most)
    throw invalid('configuration', `must be at most ${String(most)} entries`);
  const bytes = Object.entries(values).reduce((sum, entry) => sum + countedBytes(entry), 0);
  if (bytes > configurationBytes)
    throw new ServiceError(
      'payload_too_large',
      `The configuration is at most ${String(configurationBytes)} bytes of JSON, where each value counts as whole ${String(COUNTED_BYTES)} bytes.`,
    );
}

const versionOf = (
  { definitionVersion, encryptedDefinition }: StoredProxy,
  by: { readonly createdBy: string; readonly createdAt: number },
): StoredVersion => ({
  version: definitionVersion,
  encryptedDefinition,
  ...by,
});

/** Names in the API of the members of a definition. */
const MEMBERS = {
  name: 'name',
  destinationUrl: 'destination_url',
  methods: 'methods',
  paths: 'paths',
  requestTransforms: 'request_transforms',
  responseTransforms: 'response_transforms',
  passHeaders: 'pass_headers',
  requireAuth: 'require_auth',
  applicationId: 'application',
  sourceAddresses: 'source_addresses',
  clientCertificate: 'client_certificate',
  timeoutSeconds: 'timeout',
} as const satisfies Record<keyof ProxyDefinition, string>;

const jsonOf = (value: unknown): Json => (value ?? null) as Json;

const changedMembers = (previous: Partial<ProxyDefinition>, next: ProxyDefinition): readonly string[] =>
  (Object.keys(MEMBERS) as (keyof ProxyDefinition)[])
    .filter((member) => !isEqualJson(jsonOf(previous[member]), jsonOf(next[member])))
    .map((member) => MEMBERS[member]);

/**
 * Creates a proxy. Its key is returned here and never again. A retry whose first response was lost
 * gets another key in the place of the first one.
 */
export async function createProxy(
  deps: ChangeProxyDeps,
  caller: Caller,
  { draft, configuration }: NewProxy,
  place: RequestPlace,
  writes: WriteIdentity,
): Promise<{ readonly proxy: Proxy; readonly key: Secret<string> }> {
  requirePermission(caller, 'proxy:create');
  const { tenantId, applicationId: createdBy } = caller;
  checkConfiguration(configuration);
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
    encryptedName: await encryptName(deps.vault, at, definition),
    configurationNames: Object.keys(configuration.reveal()),
    encryptedConfiguration: await encryptConfiguration(deps.vault, at, definition, configuration),
    secretAuthor: createdBy,
    keys: [key],
    ...by,
    version: firstVersion(deps.random),
  };
  const members = [
    ...changedMembers({}, definition),
    ...(stored.configurationNames.length > 0 ? ['configuration'] : []),
  ];
  deps.audit.changes({ members: [`keys.${key.id}`, ...members] });
  if (await deps.proxyStore.create(stored, versionOf(stored, by)))
    return { proxy: { stored, definition }, key: text };
  const made = await deps.proxyStore.find(tenantId, id);
  if (made === undefined)
    throw new ServiceError(
      'conflict',
      `A tenant has at most ${String(STORED_PROXY_LIMITS.proxies)} proxies: delete one first.`,
    );
  const others = keysOfOthers(made, writeId);
  const again = { ...made, keys: [...others, key], version: made.version + 1 };
  // Its key may be gone meanwhile: who may only create proxies adds no key to one.
  if (others.length === made.keys.length || !(await deps.proxyStore.update(made, again, [])))
    throw new ServiceError('conflict', 'The proxy was changed by another request.');
  return { proxy: await openProxy(deps.vault, again), key: text };
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
  const [isNewVersion, isNewConfiguration] = [members.length > 0, change.configuration !== undefined];
  const [by, now] = [caller.applicationId, deps.clock()];
  const version = stored.definitionVersion + (isNewVersion ? 1 : 0);
  const marks = marksAfter(stored, version, change);
  const { retainedVersions: _, ...unmarked } = stored;
  const { encryptedRetired: __, ...before } = unmarked;
  const changed =
    isNewConfiguration || originOf(previous) !== originOf(definition)
      ? await changedConfiguration(deps, opened, change, checked, by)
      : { members: unmarked, hasForgotten: false };
  const next: StoredProxy = {
    ...before,
    ...changed.members,
    definitionVersion: version,
    ...marks,
    ...(isNewVersion && {
      encryptedDefinition: await encryptDefinition(deps.vault, stored, version, definition),
    }),
    ...(previous.name !== definition.name && {
      encryptedName: await encryptName(deps.vault, stored, definition),
    }),
    modifiedBy: by,
    modifiedAt: now,
    version: stored.version + 1,
  };
  deps.audit.changes({
    members: [
      ...members,
      ...(isNewConfiguration ? ['configuration'] : []),
      ...(changed.hasForgotten ? ['retired_secrets'] : []),
      ...changedMarks(stored, marks),
    ],
  });
  const versions = isNewVersion ? [versionOf(next, { createdBy: by, createdAt: now })] : [];
  if (!(await deps.proxyStore.update(stored, next, versions))) return 'conflict';
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

/**
 * Makes the definition of an earlier version the newest one, under the checks of any other change.
 * Throws `not_found` for a version that is neither among the last ones nor retained.
 */
export async function revertProxy(
  deps: ChangeProxyDeps,
  caller: Caller,
  id: string,
  {
    version,
    ...change
  }: Pick<ProxyChange, 'configuration' | 'replacesConfiguration' | 'keep'> & { readonly version: number },
  place: RequestPlace,
): Promise<Proxy> {
  requirePermission(caller, 'proxy:update');
  const proxy = await existingProxy(deps, caller.tenantId, id);
  const found = (await deps.proxyStore.versions(proxy)).find((each) => each.version === version);
  if (found === undefined)
    throw new ServiceError(
      'not_found',
      `The proxy has no such version among its last ${String(STORED_PROXY_LIMITS.versions)} and those that it keeps.`,
    );
  const { definition } = await openVersion(deps.vault, proxy, found);
  return changeProxy(deps, caller, id, { ...change, apply: () => definition }, place);
}

/** Deletes a proxy with its keys and versions. Afterwards no call is admitted. */
export async function deleteProxy(deps: GetProxyDeps & Platform, caller: Caller, id: string): Promise<void> {
  requirePermission(caller, 'proxy:delete');
  await retryConflict(deps, async () => {
    const proxy = await existingProxy(deps, caller.tenantId, id);
    return (await deps.proxyStore.delete(proxy)) ? 'deleted' : 'conflict';
  });
}
