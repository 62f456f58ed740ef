import type { Caller } from '../access/caller.ts';
import type { Sightings } from '../audit/audit-scope.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import { defined } from '../shared/defined.ts';
import { labelsAfter } from '../shared/configuration-labels.ts';
import { firstRevision } from '../shared/revision.ts';
import { requireFree } from '../shared/external-id.ts';
import { orderedId } from '../shared/ordered-id.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import {
  OPERATION_MS,
  releaseOperationOnFailure,
  waiting,
  withoutOperation,
  type ChangeFunctionDeps,
} from './change-function.ts';
import { checkCode } from './check-code.ts';
import { checkedApplication, isShownReactor, type GetReactorDeps, type ReactorView } from './get-reactor.ts';
import type { WarmConcurrencyDeps } from './hot-allowances.ts';
import { openReactor, encryptContent } from './open-reactor.ts';
import { changedRuntime, runtimeView, type RuntimeDeps } from './images.ts';
import type { PackagesSetting } from './author-packages.ts';
import { changedPackages, checkPackagesImage, encryptPackages, type NewPackages } from './own-packages.ts';
import type { PinningProxy, ProxyPins } from './proxy-pins.ts';
import type { ReactorArchive } from './reactor-functions.ts';
import type { Reactor, ReactorDefinition, StoredReactor } from './reactor.ts';

export type ChangeReactorDeps = ChangeFunctionDeps &
  GetReactorDeps &
  RuntimeDeps &
  WarmConcurrencyDeps & {
    readonly audit: Sightings;
    /** With `lenient`, code with a syntax error is stored, and the response has a warning. */
    readonly clientCompatibility: ClientCompatibility;
    readonly reactorsPerTenant: number;
    /** Whether a request may bring packages. */
    readonly reactorPackages: PackagesSetting;
    readonly proxyPins: ProxyPins;
  };

/** A reactor after a write, and warnings about it. */
export interface WrittenReactor extends Omit<ReactorView, 'reactor'> {
  readonly reactor: Reactor;
  readonly warnings: readonly string[];
  /** The proxies that ran the code before the write, and fail now. Absent if nothing was asked. */
  readonly stoppedProxies?: readonly PinningProxy[];
}

/** A reactor in the form that its writer sees. */
export const writtenReactor = async (
  deps: Pick<GetReactorDeps, 'vault'> & RuntimeDeps,
  {
    stored,
    ...rest
  }: Pick<WrittenReactor, 'warnings' | 'stoppedProxies'> & {
    readonly stored: StoredReactor;
    readonly application: ReactorView['application'] | undefined;
  },
): Promise<WrittenReactor> =>
  defined({ reactor: await openReactor(deps.vault, stored), runtime: runtimeView(deps, stored), ...rest });

async function deployed(deps: ChangeReactorDeps, draft: StoredReactor, archive: ReactorArchive) {
  return releaseOperationOnFailure(deps, draft, async () => {
    const made = await deps.reactorFunctions.create(draft, archive);
    const now = deps.clock();
    const ready = withoutOperation(waiting({ ...draft, state: 'ready', ...made, layerSince: now }, now));
    if (!(await deps.reactorStore.update(ready)))
      throw new Error('create reactor: the draft was deleted or changed');
    return ready;
  });
}

/**
 * The reactor that an earlier attempt of the same request finished. Throws `conflict` for an
 * unfinished one, which the sweep removes first.
 */
function leftBehind(existing: StoredReactor): StoredReactor {
  if (existing.state === 'ready') return existing;
  throw new ServiceError('conflict', 'An earlier attempt of this request is being undone.', {
    headers: { 'Retry-After': '60' },
  });
}

const limitReached = ({ reactorsPerTenant: most }: ChangeReactorDeps) =>
  new ServiceError('limit_reached', `A tenant has at most ${String(most)} reactors: delete one first.`);

/** The packages of a new reactor, encrypted. */
async function firstPackages(
  deps: ChangeReactorDeps,
  reactor: Pick<StoredReactor, 'tenantId' | 'id' | 'image'>,
  packages: NewPackages | undefined,
): Promise<Partial<Awaited<ReturnType<typeof encryptPackages>>>> {
  if (packages === undefined) return {};
  checkPackagesImage(packages.bundle.reveal(), reactor.image);
  return encryptPackages(deps, reactor, packages);
}

/**
 * Writes the record first, hidden, so that the sweep finds it if a later step is interrupted. The
 * code is parsed and not run: see {@link checkCode}.
 */
export async function createReactor(
  deps: ChangeReactorDeps,
  caller: Caller,
  definition: ReactorDefinition,
  writes: WriteIdentity,
): Promise<WrittenReactor> {
  requirePermission(caller, 'reactor:create');
  const { tenantId } = caller;
  const runtime = await changedRuntime(deps, { tenantId }, definition.runtime);
  const changed = await changedPackages(deps, undefined, definition.runtime?.packages);
  const added = typeof changed === 'string' ? undefined : changed;
  const warnings = await checkCode(definition.code, runtime.image, deps.clientCompatibility);
  const application = await checkedApplication(deps, tenantId, definition.applicationId);
  const now = deps.clock();
  const id = orderedId(writes.startedAt ?? now, writes.newId());
  const { packages, stored: beside } = await firstPackages(deps, { tenantId, id, ...runtime }, added);
  const surroundings = defined({ ...runtime, packages });
  const labelled = labelsAfter(
    undefined,
    defined({ labels: definition.labels, changed: [], replaces: true }),
    Object.keys(definition.configuration.reveal()),
  );
  const draft: StoredReactor = defined({
    id,
    tenantId,
    name: definition.name,
    externalId: definition.externalId ?? undefined,
    ...labelled,
    applicationId: application?.id,
    createdBy: caller.applicationId,
    createdAt: now,
    ...surroundings,
    ...(await encryptContent(deps.vault, { tenantId, id, ...surroundings }, definition)),
    state: 'creating' as const,
    operation: { id, until: now + OPERATION_MS },
    revision: firstRevision(deps.random),
    version: 1,
  });
  const written = await deps.reactorStore.create(draft, deps.reactorsPerTenant, beside);
  if (written === 'full') throw limitReached(deps);
  if (written === 'taken') {
    await requireFree(deps.reactorStore, draft, isShownReactor(deps, tenantId));
    throw new ServiceError('conflict', 'The external_id was freed at this moment.');
  }
  const stored =
    written === 'created'
      ? await deployed(deps, draft, defined({ code: definition.code, packages: added?.bundle }))
      : leftBehind(written);
  return writtenReactor(deps, { stored, application, warnings });
}
