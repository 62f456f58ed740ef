import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { firstVersion } from '../applications/application.ts';
import { FOR_EVER, keysOfOthers, newKey } from '../applications/application-key.ts';
import type { OwnedKeys } from '../applications/manage-keys.ts';
import type { Sightings } from '../audit/audit-scope.ts';
import { generateProxyKey } from '../crypto/api-key.ts';
import { defined } from '../shared/defined.ts';
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
import type { ProxyReports } from './proxy-reports.ts';
import { retire } from './retired-secrets.ts';
import { altersUses } from './secret-uses.ts';
import {
  STORED_PROXY_LIMITS,
  type ConfigurationValue,
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

/** Says what a request changes of a proxy. */
export interface ProxyChange {
  /** The definition as the request wants it. */
  readonly apply: (previous: ProxyDefinition) => ProxyDraft;
  /** Values to set; `null` removes one. Absent if the request has none. */
  readonly configuration?: Secret<Readonly<Record<string, ConfigurationValue | null>>>;
  /** Whether the values replace all others. */
  readonly replacesConfiguration: boolean;
  /** Whether the version that is the newest one afterwards is retained. Absent leaves its mark. */
  readonly keep?: boolean;
  /** Versions to keep no longer. */
  readonly freeVersions?: readonly number[];
  /** Throws if the request has a different value for a member that no request changes. */
  readonly check?: (current: Proxy) => void;
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

/** How often a definition runs each code on each side. */
function runsOf({ requestTransforms, responseTransforms }: ProxyDefinition): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  for (const [side, transforms] of Object.entries({ requestTransforms, responseTransforms }))
    for (const each of transforms) {
      if (each.type !== 'reactor') continue;
      const run = `${side} ${each.reactorId} ${each.codeHash}`;
      runs.set(run, (runs.get(run) ?? 0) + 1);
    }
  return runs;
}

/** Whether a change runs code that the proxy did not run there before. */
function runsOtherCode(previous: ProxyDefinition, next: ProxyDefinition): boolean {
  const before = runsOf(previous);
  return [...runsOf(next)].some(([run, count]) => count > (before.get(run) ?? 0));
}

/** Whether two destinations have the same scheme, host and port. */
const sameOrigin = (previous: ProxyDefinition, next: ProxyDraft): boolean =>
  !URL.canParse(next.destinationUrl) || originOf(previous) === originOf(next);

/** Whether a change sends a value for a name. */
const isSetBy =
  ({ configuration }: ProxyChange) =>
  (name: string): boolean =>
    (configuration?.reveal()[name] ?? null) !== null;

/** Whether a change sets a secret: a value that is removed from answers. */
function setsSecret({ configuration }: ProxyChange): boolean {
  return Object.values(configuration?.reveal() ?? {}).some((value) => value?.isPublic === false);
}

/** What a change needs again, and why: the words of the error. */
const NEEDS = {
  values: 'A change of the origin or of a reactor needs every value of the configuration again.',
  secrets: 'A change that sets a secret, or alters where or how one is used, needs every secret again.',
} as const;

/**
 * Throws `configuration_required` unless the request has every value again that the proxy has
 * afterwards, or every secret. Who may change proxies is not shown their secrets, and so must not
 * send them on, nor give them another use. So all secrets of a proxy have one author.
 */
function requireConfiguration(
  after: Secret<ProxyConfiguration>,
  { configuration }: ProxyChange,
  what: keyof typeof NEEDS,
): void {
  const sent = new Map(Object.entries(configuration?.reveal() ?? {}));
  const missing = Object.entries(after.reveal())
    .filter(([name, { isPublic }]) => (sent.get(name) ?? null) === null && (what === 'values' || !isPublic))
    .map(([name]) => name);
  if (missing.length === 0) return;
  throw new ServiceError('configuration_required', NEEDS[what], {
    errors: Object.fromEntries(missing.map((name) => [`configuration.${name}`, ['must be sent again']])),
  });
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
  const draft = change.apply(previous);
  if (!sameOrigin(previous, draft)) requireConfiguration(configuration, change, 'values');
  else if (
    setsSecret(change) ||
    altersUses(previous, before.reveal(), draft, configuration.reveal(), isSetBy(change))
  )
    requireConfiguration(configuration, change, 'secrets');
  const definition = await checkProxy(deps, draft, { tenantId, configuration, previous, ...place });
  if (runsOtherCode(previous, definition)) requireConfiguration(configuration, change, 'values');
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

type Marks = Pick<StoredProxy, 'retainedVersions'>;

/** The retained versions after a change that ends with this version. Throws `conflict`. */
function marksAfter(
  { retainedVersions: before = [] }: Marks,
  version: number,
  { keep, freeVersions = [] }: ProxyChange,
): Marks {
  const retained = before.filter(
    (each) => !freeVersions.includes(each) && (each !== version || keep !== false),
  );
  if (keep !== true || retained.includes(version))
    return retained.length === 0 ? {} : { retainedVersions: retained };
  if (retained.length >= STORED_PROXY_LIMITS.retainedVersions)
    throw new ServiceError(
      'conflict',
      `A proxy keeps at most ${String(STORED_PROXY_LIMITS.retainedVersions)} versions, and keeps ${retained.join(', ')}: free one by free_versions of a PATCH.`,
    );
  return { retainedVersions: [...retained, version] };
}

/** Names the versions whose mark a change sets or removes. */
function changedMarks({ retainedVersions: before = [] }: Marks, { retainedVersions: after = [] }: Marks) {
  const removed = before.filter((version) => !after.includes(version));
  const set = after.filter((version) => !before.includes(version));
  return [...removed, ...set].map((version) => `versions.${String(version)}`);
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

/** Finds the keys of a proxy of the caller's tenant. */
export function keysOfProxy(
  deps: GetProxyDeps & Platform,
  caller: Caller,
  id: string,
): OwnedKeys<StoredProxy> {
  const find = () => existingProxy(deps, caller.tenantId, id);
  return {
    caller,
    toRead: 'proxy:read',
    toChange: 'proxy:update',
    find,
    findToChange: find,
    update: (previous, next) => deps.proxyStore.update(previous, next, []),
    async checkRoom(proxy) {
      if ((await deps.proxyStore.countRetiredKeys(proxy)) < STORED_PROXY_LIMITS.retiredKeys) return;
      throw new ServiceError(
        'conflict',
        `A proxy remembers ${String(STORED_PROXY_LIMITS.retiredKeys)} deleted keys, each for 30 days: create a key when one is forgotten, or another proxy.`,
      );
    },
    lastUses: (proxy) => deps.proxyStore.lastUses(proxy),
    generate: ({ tenantId }) => generateProxyKey(deps.random, tenantId, id),
    most: STORED_PROXY_LIMITS.keys,
    owner: 'A proxy',
  };
}

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
