import type { Caller } from '../access/caller.ts';
import type { Sightings } from '../audit/audit-scope.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import { defined } from '../shared/defined.ts';
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
import { checkedApplication, type GetReactorDeps, type ReactorView } from './get-reactor.ts';
import type { WarmConcurrencyDeps } from './hot-allowances.ts';
import { openReactor, encryptContent } from './open-reactor.ts';
import { changedRuntime, runtimeView, type RuntimeDeps } from './images.ts';
import type { PinningProxy, ProxyPins } from './proxy-pins.ts';
import type { ReactorDefinition, StoredReactor } from './reactor.ts';

export type ChangeReactorDeps = ChangeFunctionDeps &
  GetReactorDeps &
  RuntimeDeps &
  WarmConcurrencyDeps & {
    readonly audit: Sightings;
    /** With `lenient`, code with a syntax error is stored, and the response has a warning. */
    readonly clientCompatibility: ClientCompatibility;
    readonly reactorsPerTenant: number;
    readonly proxyPins: ProxyPins;
  };

/** A reactor after a write, and warnings about it. */
export interface WrittenReactor extends ReactorView {
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

async function deployed(deps: ChangeReactorDeps, draft: StoredReactor, definition: ReactorDefinition) {
  return releaseOperationOnFailure(deps, draft, async () => {
    const made = await deps.reactorFunctions.create(draft, definition.code);
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
  const warnings = await checkCode(definition.code, runtime.image, deps.clientCompatibility);
  const application = await checkedApplication(deps, tenantId, definition.applicationId);
  const now = deps.clock();
  const id = orderedId(writes.startedAt ?? now, writes.newId());
  const draft: StoredReactor = defined({
    id,
    tenantId,
    name: definition.name,
    applicationId: application?.id,
    createdBy: caller.applicationId,
    createdAt: now,
    ...runtime,
    ...(await encryptContent(deps.vault, { tenantId, id, ...runtime }, definition)),
    state: 'creating' as const,
    operation: { id, until: now + OPERATION_MS },
    version: 1,
  });
  const written = await deps.reactorStore.create(draft, deps.reactorsPerTenant);
  if (written === 'full') throw limitReached(deps);
  const stored = written === 'created' ? await deployed(deps, draft, definition) : leftBehind(written);
  return writtenReactor(deps, { stored, application, warnings });
}
