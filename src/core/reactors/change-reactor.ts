import type { Application } from '../applications/application.ts';
import type { Caller } from '../access/caller.ts';
import { holdsOrContains, requirePermission } from '../access/require-permission.ts';
import { changedNotes, labelsAfter, type LabelsChange } from '../shared/configuration-labels.ts';
import { defined } from '../shared/defined.ts';
import { asOwned, externalIdAfter, requireFree } from '../shared/external-id.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { nextRevision, requireMatch } from '../shared/revision.ts';
import { Secret } from '../shared/secret.ts';
import { invalid, ServiceError } from '../shared/service-error.ts';
import { checkCode } from './check-code.ts';
import {
  isBusy,
  releaseOperationOnFailure,
  startOperation,
  whileNotMoved,
  withWarmConcurrency,
} from './change-function.ts';
import { codeHash } from './code-hash.ts';
import { writtenReactor, type ChangeReactorDeps, type WrittenReactor } from './create-reactor.ts';
import { applicationOf, checkedApplication, existingReactor, isShownReactor } from './get-reactor.ts';
import { changedRuntime, type Runtime } from './images.ts';
import { openReactor, encryptContent } from './open-reactor.ts';
import {
  changedPackages,
  checkPackagesImage,
  encryptPackages,
  openPackages,
  type NewPackages,
} from './own-packages.ts';
import { publishLocked } from './publish-locked.ts';
import type { PackagesReplacement } from './reactor-store.ts';
import {
  REACTOR_LIMITS,
  type Configuration,
  type ReactorDefinition,
  type ReactorRecord,
  type RuntimeChange,
  type SentPackages,
  type StoredReactor,
} from './reactor.ts';

/** The changes of a PATCH. Absent members stay unchanged. */
export interface ReactorPatch {
  readonly name?: string;
  readonly externalId?: string | null;
  readonly labels?: LabelsChange['labels'];
  readonly code?: Secret<string>;
  /** Entries to set; `null` removes one. */
  readonly configuration?: Secret<Readonly<Record<string, string | null>>>;
  /** `null` removes the application. */
  readonly applicationId?: string | null;
  readonly runtime?: RuntimeChange;
}

/**
 * Throws if an update has a different value for a member that updates cannot change. It may be a
 * member of the reactor, or of the application as which its code will act.
 */
export type CheckUnchanged = (reactor: ReactorRecord, application: Application | undefined) => void;

/** The reactor after a change, as the request wants it. */
interface WantedReactor {
  readonly definition: ReactorDefinition;
  readonly application: Application | undefined;
  /** Whether the request has code, even the same code. The function is then repaired as well. */
  readonly namesCode: boolean;
  /** Whether the request has configuration entries, even the same ones. */
  readonly namesConfiguration: boolean;
  /** The labels of values that change. */
  readonly labels: LabelsChange;
}

/** The reactor after a change, which is not stored yet. */
interface NextReactor {
  readonly next: StoredReactor;
  /** Present if its packages change. */
  readonly replacement?: PackagesReplacement;
  /** Present if the request brings packages. */
  readonly added?: NewPackages;
}

/** Whether the function has the recorded version, on the layer of this deployment. */
async function isInPlace({ reactorFunctions }: ChangeReactorDeps, reactor: StoredReactor): Promise<boolean> {
  const { functionVersion } = reactor;
  return functionVersion !== undefined && (await reactorFunctions.isCurrent(reactor, functionVersion));
}

/**
 * Publishes new code under our own operation, then updates the record. Returns `conflict` if
 * another writer changes the reactor.
 */
async function replaceCode(
  deps: ChangeReactorDeps,
  previous: StoredReactor,
  { next, replacement, added }: NextReactor,
  code: Secret<string>,
): Promise<StoredReactor | 'conflict'> {
  const locked = await startOperation(deps, previous);
  if (locked === undefined) return 'conflict';
  return releaseOperationOnFailure<StoredReactor | 'conflict'>(deps, locked, async () => {
    const packages = added?.bundle ?? (await openPackages(deps, next));
    const published = await publishLocked(deps, locked, next, defined({ code, packages, replacement }));
    if (published !== 'conflict' || next.externalId === previous.externalId) return published;
    // Another reactor may have got the external id meanwhile: then our operation ends here.
    await checkName(deps, previous, next);
    throw new ServiceError('conflict', 'The external_id was taken and freed at this moment.');
  });
}

interface Changed extends Pick<WrittenReactor, 'warnings' | 'stoppedProxies'> {
  readonly stored: StoredReactor;
  readonly application: Application | undefined;
}

const isMoved = (previous: StoredReactor, next: StoredReactor): boolean =>
  next.image !== previous.image ||
  next.warmConcurrency !== previous.warmConcurrency ||
  next.packages?.digest !== previous.packages?.digest;

/** The members that the audit record names. An encrypted configuration cannot be compared. */
function changedMembers(
  previous: StoredReactor,
  next: StoredReactor,
  { definition, namesConfiguration }: WantedReactor,
): readonly string[] {
  // The stored hash covers image and packages, which may have changed alone.
  const isSameCode = codeHash(definition.code.reveal(), previous) === previous.codeHash;
  return [
    ...(next.name === previous.name ? [] : ['name']),
    ...changedNotes(previous, next),
    ...(isSameCode ? [] : ['code']),
    ...(namesConfiguration ? ['configuration'] : []),
    ...(next.applicationId === previous.applicationId ? [] : ['application']),
    ...(isMoved(previous, next) ? ['runtime'] : []),
  ];
}

/** Parses code that is new, or new to its image. */
async function checkedCode(
  { clientCompatibility }: ChangeReactorDeps,
  isNew: boolean,
  { image }: Runtime,
  { definition, namesCode }: WantedReactor,
): Promise<readonly string[]> {
  // A request that sends broken code back gets the warning again.
  const isChecked = isNew || (namesCode && clientCompatibility === 'lenient');
  return isChecked ? checkCode(definition.code, image, clientCompatibility) : [];
}

/** Decides the packages of a reactor after a change, and how those beside its record change. */
async function nextPackages(
  deps: ChangeReactorDeps,
  previous: StoredReactor,
  sent: SentPackages | undefined,
): Promise<Pick<NextReactor, 'replacement' | 'added'> & Pick<StoredReactor, 'packages'>> {
  const { packages: before } = previous;
  const changed = await changedPackages(deps, before, sent);
  if (changed === 'same') return defined({ packages: before });
  if (changed === 'none') return { replacement: { before, now: undefined } };
  const { packages, stored } = await encryptPackages(deps, previous, changed);
  return { packages, replacement: { before, now: stored }, added: changed };
}

async function nextReactor(
  deps: ChangeReactorDeps,
  caller: Caller,
  previous: StoredReactor,
  { definition, application, labels }: WantedReactor,
): Promise<NextReactor> {
  const { externalId, configurationLabels, ...unnamed } = previous;
  const { applicationId: _, warmConcurrency: __, packages: ___, ...rest } = unnamed;
  const owner = { tenantId: caller.tenantId, before: previous };
  const runtime = await changedRuntime(deps, owner, definition.runtime);
  const { packages, ...change } = await nextPackages(deps, previous, definition.runtime?.packages);
  checkPackagesImage(packages, runtime.image);
  const now = deps.clock();
  const surroundings = defined({ ...runtime, packages });
  const next: StoredReactor = defined({
    ...rest,
    ...surroundings,
    ...(await encryptContent(
      deps.vault,
      { id: previous.id, tenantId: previous.tenantId, ...surroundings },
      definition,
    )),
    ...externalIdAfter(externalId, definition.externalId),
    ...labelsAfter(configurationLabels, labels, Object.keys(definition.configuration.reveal())),
    name: definition.name,
    applicationId: application?.id,
    modifiedBy: caller.applicationId,
    modifiedAt: now,
    revision: nextRevision(deps.random, previous),
    version: previous.version + 1,
  });
  const isSame = next.warmConcurrency === previous.warmConcurrency;
  return { ...change, next: isSame ? next : withWarmConcurrency(next, next.warmConcurrency, now) };
}

/**
 * The proxies that stop by a change, if the caller may list them. They are read before the change,
 * so that a failure changes nothing.
 */
const stoppedBy = async (
  { proxyPins }: ChangeReactorDeps,
  caller: Caller,
  previous: StoredReactor,
): Promise<Pick<Changed, 'stoppedProxies'>> =>
  holdsOrContains(caller, 'proxy:review') ? { stoppedProxies: await proxyPins.of(previous) } : {};

/** Throws `external_id_taken` if the external id is another one, which another reactor has. */
async function checkName(
  deps: ChangeReactorDeps,
  previous: StoredReactor,
  next: StoredReactor,
): Promise<void> {
  if (next.externalId === previous.externalId) return;
  await requireFree(deps.reactorStore, next, isShownReactor(deps, next.tenantId));
}

async function changeOnce(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  decide: (previous: StoredReactor) => Promise<WantedReactor>,
  check: CheckUnchanged,
): Promise<Changed | 'conflict'> {
  const previous = await existingReactor(deps, caller.tenantId, id);
  const wanted = await decide(previous);
  const { definition, application, namesCode } = wanted;
  check(previous, application);
  // The owner of an operation overwrites the version that was read, so retry.
  if (isBusy(previous, deps.clock())) return 'conflict';
  const changed = await nextReactor(deps, caller, previous, wanted);
  const { next } = changed;
  // Packages are stored beside the record by the same write that publishes them.
  const isNewCode = next.codeHash !== previous.codeHash || changed.replacement !== undefined;
  const warnings = await checkedCode(deps, isNewCode, next, wanted);
  deps.audit.changes({
    members: changedMembers(previous, next, wanted),
    ...(changed.added !== undefined && { bundle: changed.added.bundle.reveal().digest }),
  });
  const isStored = !isNewCode && (!namesCode || (await isInPlace(deps, previous)));
  const stopped = isNewCode ? await stoppedBy(deps, caller, previous) : {};
  const owned = await asOwned(deps.reactorStore, previous, definition.externalId);
  await checkName(deps, owned, next);
  requireMatch(caller, previous);
  if (isStored)
    return (await deps.reactorStore.update(next, undefined, owned))
      ? { stored: next, application, warnings }
      : 'conflict';
  const stored = await replaceCode(deps, owned, changed, definition.code);
  return stored === 'conflict' ? 'conflict' : { stored, application, warnings, ...stopped };
}

async function change(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  decide: (previous: StoredReactor) => Promise<WantedReactor>,
  check: CheckUnchanged,
): Promise<WrittenReactor> {
  requirePermission(caller, 'reactor:update');
  const changed = await whileNotMoved(deps, { tenantId: caller.tenantId, id }, () =>
    retryConflict(deps, () => changeOnce(deps, caller, id, decide, check)),
  );
  return writtenReactor(deps, changed);
}

/**
 * Replaces all of a reactor. Without `applicationId` it has no application afterwards. Runs that
 * have started finish with the code that they started with.
 */
export function updateReactor(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  definition: ReactorDefinition,
  check: CheckUnchanged = () => undefined,
): Promise<WrittenReactor> {
  const decide = async () => ({
    definition,
    application: await checkedApplication(deps, caller.tenantId, definition.applicationId),
    namesCode: true,
    namesConfiguration: true,
    labels: defined({
      labels: definition.labels,
      changed: Object.keys(definition.configuration.reveal()),
      replaces: true,
    }),
  });
  return change(deps, caller, id, decide, check);
}

function merged(
  before: Secret<Configuration>,
  patch: Secret<Readonly<Record<string, string | null>>> | undefined,
): Secret<Configuration> {
  if (patch === undefined) return before;
  const entries = new Map(Object.entries(before.reveal()));
  for (const [name, value] of Object.entries(patch.reveal()))
    if (value === null) entries.delete(name);
    else entries.set(name, value);
  if (entries.size > REACTOR_LIMITS.configuration)
    throw invalid('configuration', `must be at most ${String(REACTOR_LIMITS.configuration)} entries`);
  return new Secret(Object.fromEntries(entries));
}

/** Applies a merge patch (docs/contract.md#create-and-change-reactors). */
export async function patchReactor(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  patch: ReactorPatch,
  check: CheckUnchanged = () => undefined,
): Promise<WrittenReactor> {
  const decide = async (previous: StoredReactor): Promise<WantedReactor> => {
    const { code, configuration } = await openReactor(deps.vault, previous);
    // A patch that does not name the application is valid even if the application was deleted
    // since.
    const application =
      patch.applicationId === undefined
        ? await applicationOf(deps, previous)
        : await checkedApplication(deps, caller.tenantId, patch.applicationId ?? undefined);
    return {
      definition: defined({
        name: patch.name ?? previous.name,
        externalId: patch.externalId,
        code: patch.code ?? code,
        configuration: merged(configuration, patch.configuration),
        runtime: patch.runtime,
      }),
      application,
      namesCode: patch.code !== undefined,
      namesConfiguration: patch.configuration !== undefined,
      labels: defined({
        labels: patch.labels,
        changed: Object.keys(patch.configuration?.reveal() ?? {}),
        replaces: false,
      }),
    };
  };
  return change(deps, caller, id, decide, check);
}
