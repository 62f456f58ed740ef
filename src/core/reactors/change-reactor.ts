import type { Application, Caller } from '../applications/application.ts';
import { requirePermission } from '../access/require-permission.ts';
import { defined } from '../shared/defined.ts';
import { retryRace } from '../shared/retry-race.ts';
import { Secret } from '../shared/secret.ts';
import { invalid } from '../shared/service-error.ts';
import { checkCode } from './check-code.ts';
import {
  heated,
  isBusy,
  orLeaveToSweep,
  startOperation,
  TIDY_AFTER_MS,
  withoutOperation,
} from './change-function.ts';
import type { ChangeReactorDeps } from './create-reactor.ts';
import { applicationOf, checkedApplication, existingReactor, type ReactorView } from './get-reactor.ts';
import { openReactor, sealContent } from './open-reactor.ts';
import {
  REACTOR_LIMITS,
  type Configuration,
  type ReactorDefinition,
  type ReactorRecord,
  type StoredReactor,
} from './reactor.ts';

/** What a PATCH says; members that are absent stay. */
export interface ReactorPatch {
  readonly name?: string;
  readonly code?: Secret<string>;
  /** Entries to set; `null` removes one. */
  readonly configuration?: Secret<Readonly<Record<string, string | null>>>;
  /** `null` takes the application away. */
  readonly applicationId?: string | null;
}

/**
 * Throws if an update has another value for a member that updates cannot change: a member of the
 * reactor, or of the application that it will act as.
 */
export type CheckUnchanged = (reactor: ReactorRecord, application: Application | undefined) => void;

/** What a change makes of a reactor. */
interface Wanted {
  readonly definition: ReactorDefinition;
  readonly application: Application | undefined;
  /** Whether the code was named, be it the same: its function is then made good as well. */
  readonly namesCode: boolean;
  /** Whether entries of the configuration were named, be they the same. */
  readonly namesConfiguration: boolean;
}

/** Whether the function is what the record says, on the runtime of this deployment. */
async function isInPlace(
  { reactorFunctions }: ChangeReactorDeps,
  { id, functionVersion }: StoredReactor,
): Promise<boolean> {
  return functionVersion !== undefined && (await reactorFunctions.isCurrent(id, functionVersion));
}

/**
 * Gives the function other code under an operation of our own, and the record with it. `lost` if
 * somebody else changes the reactor.
 */
async function replaceCode(
  deps: ChangeReactorDeps,
  previous: StoredReactor,
  next: StoredReactor,
  code: Secret<string>,
): Promise<StoredReactor | 'lost'> {
  const held = await startOperation(deps, previous);
  if (held === undefined) return 'lost';
  return orLeaveToSweep<StoredReactor | 'lost'>(deps, held, async () => {
    const { reactorFunctions } = deps;
    const functionVersion = await reactorFunctions.publish(next.id, code);
    // From here until the record follows, instances behind `live` refuse what the old record says,
    // and its version is run by its number.
    const live = await reactorFunctions.pointLive(next.id, functionVersion);
    if (live === 'gone') throw new Error('change reactor: the version that was just made is gone');
    const tidyAt = deps.clock() + TIDY_AFTER_MS;
    const changed = { ...next, functionVersion, tidyAt, version: held.version };
    // A `live` that is new has no instances kept running yet.
    const committed = withoutOperation(live === 'made' ? await heated(deps, changed) : changed);
    return (await deps.reactorStore.update(committed)) ? committed : 'lost';
  });
}

async function changeOnce(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  decide: (previous: StoredReactor) => Promise<Wanted>,
  check: CheckUnchanged,
): Promise<{ readonly stored: StoredReactor; readonly application: Application | undefined } | 'lost'> {
  const previous = await existingReactor(deps, caller.tenantId, id);
  const { definition, application, namesCode, namesConfiguration } = await decide(previous);
  check(previous, application);
  // Decided on what was read: whoever holds an operation writes over it.
  if (isBusy(previous, deps.clock())) return 'lost';
  const sealed = await sealContent(deps.vault, previous, definition);
  const isNewCode = sealed.codeHash !== previous.codeHash;
  if (isNewCode) await checkCode(definition.code);
  const { applicationId: _, ...rest } = previous;
  const next: StoredReactor = defined({
    ...rest,
    ...sealed,
    name: definition.name,
    applicationId: application?.id,
    modifiedBy: caller.applicationId,
    modifiedAt: deps.clock(),
    version: previous.version + 1,
  });
  deps.audit.changes({
    members: [
      ...(next.name === previous.name ? [] : ['name']),
      ...(isNewCode ? ['code'] : []),
      ...(namesConfiguration ? ['configuration'] : []),
      ...(next.applicationId === previous.applicationId ? [] : ['application']),
    ],
  });
  if (!isNewCode && (!namesCode || (await isInPlace(deps, previous))))
    return (await deps.reactorStore.update(next)) ? { stored: next, application } : 'lost';
  const stored = await replaceCode(deps, previous, next, definition.code);
  return stored === 'lost' ? 'lost' : { stored, application };
}

async function change(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  decide: (previous: StoredReactor) => Promise<Wanted>,
  check: CheckUnchanged,
): Promise<ReactorView> {
  requirePermission(caller, 'reactor:update');
  const { stored, application } = await retryRace(() => changeOnce(deps, caller, id, decide, check));
  return defined({ reactor: await openReactor(deps.vault, stored), application });
}

/**
 * Replaces all of a reactor; without `applicationId` it has none any more. Runs that have begun end
 * with the code they began with.
 */
export function updateReactor(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  definition: ReactorDefinition,
  check: CheckUnchanged = () => undefined,
): Promise<ReactorView> {
  const decide = async () => ({
    definition,
    application: await checkedApplication(deps, caller.tenantId, definition.applicationId),
    namesCode: true,
    namesConfiguration: true,
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

/** Changes what a merge patch names (docs/contract.md#create-and-change-reactors). */
export async function patchReactor(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  patch: ReactorPatch,
  check: CheckUnchanged = () => undefined,
): Promise<void> {
  const decide = async (previous: StoredReactor): Promise<Wanted> => {
    const { code, configuration } = await openReactor(deps.vault, previous);
    // One that has gone since is no mistake of a patch that does not speak of it.
    const application =
      patch.applicationId === undefined
        ? await applicationOf(deps, previous)
        : await checkedApplication(deps, caller.tenantId, patch.applicationId ?? undefined);
    return {
      definition: {
        name: patch.name ?? previous.name,
        code: patch.code ?? code,
        configuration: merged(configuration, patch.configuration),
      },
      application,
      namesCode: patch.code !== undefined,
      namesConfiguration: patch.configuration !== undefined,
    };
  };
  await change(deps, caller, id, decide, check);
}
