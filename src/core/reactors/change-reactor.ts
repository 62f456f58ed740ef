import type { Application } from '../applications/application.ts';
import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import { defined } from '../shared/defined.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { Secret } from '../shared/secret.ts';
import { invalid } from '../shared/service-error.ts';
import { checkCode } from './check-code.ts';
import { isBusy, releaseOperationOnFailure, startOperation, whileNotMoved } from './change-function.ts';
import type { ChangeReactorDeps, WrittenReactor } from './create-reactor.ts';
import { applicationOf, checkedApplication, existingReactor } from './get-reactor.ts';
import { openReactor, encryptContent } from './open-reactor.ts';
import { publishLocked } from './publish-locked.ts';
import {
  REACTOR_LIMITS,
  type Configuration,
  type ReactorDefinition,
  type ReactorRecord,
  type StoredReactor,
} from './reactor.ts';

/** The changes of a PATCH. Absent members stay unchanged. */
export interface ReactorPatch {
  readonly name?: string;
  readonly code?: Secret<string>;
  /** Entries to set; `null` removes one. */
  readonly configuration?: Secret<Readonly<Record<string, string | null>>>;
  /** `null` removes the application. */
  readonly applicationId?: string | null;
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
}

/** Whether the function has the recorded version, on the runtime of this deployment. */
async function isInPlace(
  { reactorFunctions }: ChangeReactorDeps,
  { id, functionVersion }: StoredReactor,
): Promise<boolean> {
  return functionVersion !== undefined && (await reactorFunctions.isCurrent(id, functionVersion));
}

/**
 * Publishes new code under our own operation, then updates the record. Returns `conflict` if
 * another writer changes the reactor.
 */
async function replaceCode(
  deps: ChangeReactorDeps,
  previous: StoredReactor,
  next: StoredReactor,
  code: Secret<string>,
): Promise<StoredReactor | 'conflict'> {
  const locked = await startOperation(deps, previous);
  if (locked === undefined) return 'conflict';
  return releaseOperationOnFailure<StoredReactor | 'conflict'>(deps, locked, () =>
    publishLocked(deps, locked, next, code),
  );
}

interface Changed {
  readonly stored: StoredReactor;
  readonly application: Application | undefined;
  readonly warnings: readonly string[];
}

/** The members that the audit record names. An encrypted configuration cannot be compared. */
const changedMembers = (previous: StoredReactor, next: StoredReactor, namesConfiguration: boolean) => [
  ...(next.name === previous.name ? [] : ['name']),
  ...(next.codeHash === previous.codeHash ? [] : ['code']),
  ...(namesConfiguration ? ['configuration'] : []),
  ...(next.applicationId === previous.applicationId ? [] : ['application']),
];

async function changeOnce(
  deps: ChangeReactorDeps,
  caller: Caller,
  id: string,
  decide: (previous: StoredReactor) => Promise<WantedReactor>,
  check: CheckUnchanged,
): Promise<Changed | 'conflict'> {
  const previous = await existingReactor(deps, caller.tenantId, id);
  const { definition, application, namesCode, namesConfiguration } = await decide(previous);
  check(previous, application);
  // The owner of an operation overwrites the version that was read, so retry.
  if (isBusy(previous, deps.clock())) return 'conflict';
  const encrypted = await encryptContent(deps.vault, previous, definition);
  const isNewCode = encrypted.codeHash !== previous.codeHash;
  // A request that sends broken code back gets the warning again.
  const isChecked = isNewCode || (namesCode && deps.clientCompatibility === 'lenient');
  const warnings = isChecked ? await checkCode(definition.code, deps.clientCompatibility) : [];
  const { applicationId: _, ...rest } = previous;
  const next: StoredReactor = defined({
    ...rest,
    ...encrypted,
    name: definition.name,
    applicationId: application?.id,
    modifiedBy: caller.applicationId,
    modifiedAt: deps.clock(),
    version: previous.version + 1,
  });
  deps.audit.changes({ members: changedMembers(previous, next, namesConfiguration) });
  if (!isNewCode && (!namesCode || (await isInPlace(deps, previous))))
    return (await deps.reactorStore.update(next)) ? { stored: next, application, warnings } : 'conflict';
  const stored = await replaceCode(deps, previous, next, definition.code);
  return stored === 'conflict' ? 'conflict' : { stored, application, warnings };
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
  const { stored, application, warnings } = changed;
  return defined({ reactor: await openReactor(deps.vault, stored), application, warnings });
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
): Promise<void> {
  const decide = async (previous: StoredReactor): Promise<WantedReactor> => {
    const { code, configuration } = await openReactor(deps.vault, previous);
    // A patch that does not name the application is valid even if the application was deleted
    // since.
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
