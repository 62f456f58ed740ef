import {
  releaseOperationOnFailure,
  startOperation,
  TIDY_AFTER_MS,
  withoutOperation,
} from '../reactors/change-function.ts';
import type { LayerVersion } from '../reactors/layer.ts';
import type { ReactorId } from '../reactors/reactor-functions.ts';
import type { ReactorStore } from '../reactors/reactor-store.ts';
import type { StayReason, StoredReactor } from '../reactors/reactor.ts';
import type { Platform } from '../shared/platform.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { LayerMover } from './layer-mover.ts';
import type { Roll } from './roll.ts';

export interface MoveReactorDeps extends Platform {
  readonly reactorStore: Pick<ReactorStore, 'find' | 'update'>;
  readonly layerMover: LayerMover;
  /** Called with unexpected errors. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Says what became of a reactor: `done` if there was nothing to do, `busy` if it may be tried
 * again, or why it stays on its layer.
 */
export type Moved = 'moved' | 'done' | 'busy' | StayReason;

/** A reactor whose function has a version in force. */
type Running = StoredReactor & Required<Pick<StoredReactor, 'functionVersion'>>;

/**
 * A reactor that is created meanwhile has the layer of its deployment, and its owner may have moved
 * it to another image.
 */
function isToMove(reactor: StoredReactor | undefined, target: LayerVersion): reactor is Running {
  return (
    reactor?.state === 'ready' &&
    reactor.functionVersion !== undefined &&
    reactor.layer?.image === target.image &&
    reactor.layer.hash !== target.hash
  );
}

/** Ends the operation, and leaves the function as the record has it. */
async function stay(
  { reactorStore, clock }: MoveReactorDeps,
  { id: roll }: Roll,
  locked: StoredReactor,
  reason: StayReason,
): Promise<StayReason> {
  // The sweep removes a version that was published for nothing.
  const next = withoutOperation({ ...locked, stayed: { roll, reason }, tidyAt: clock() });
  if (!(await reactorStore.update(next))) throw new Error('move reactor: another writer changed it');
  return reason;
}

/** Whether a version may take over: it loads, or the one in force does not load either. */
async function mayTakeOver(
  { layerMover }: MoveReactorDeps,
  { tenantId, id, codeHash, functionVersion }: Running,
  next: string,
): Promise<'yes' | 'changed' | 'not_loaded'> {
  const probeOf = (version: string) => layerMover.probe({ tenantId, id, codeHash, functionVersion: version });
  const found = await probeOf(next);
  if (found === 'stale') return 'changed';
  if (found === 'loaded') return 'yes';
  return (await probeOf(functionVersion)) === 'loaded' ? 'not_loaded' : 'yes';
}

async function moveLocked(deps: MoveReactorDeps, roll: Roll, locked: Running): Promise<Moved> {
  const published = await deps.layerMover.publish(locked, roll.target);
  if (typeof published === 'string') return stay(deps, roll, locked, published);
  const { functionVersion } = published;
  const verdict = await mayTakeOver(deps, locked, functionVersion);
  if (verdict !== 'yes') return stay(deps, roll, locked, verdict);
  if ((await deps.layerMover.pointLive(locked.id, functionVersion)) === 'gone')
    return stay(deps, roll, locked, 'gone');
  const { stayed: _, ...moved } = locked;
  const { arn: _arn, ...layer } = roll.target;
  const now = deps.clock();
  const next = {
    ...moved,
    functionVersion,
    layer,
    layerSince: now,
    tidyAt: now + TIDY_AFTER_MS,
  };
  if (!(await deps.reactorStore.update(withoutOperation(next))))
    throw new Error('move reactor: another writer changed it');
  return 'moved';
}

/**
 * Moves the function of one reactor to another layer. Runs that have begun end on the version that
 * they began with, and no call fails. Does not reject: a reactor that fails stays as it is, and the
 * sweep puts its function in order.
 */
export async function moveReactor(
  deps: MoveReactorDeps,
  roll: Roll,
  { tenantId, id }: ReactorId,
): Promise<Moved> {
  try {
    const reactor = await deps.reactorStore.find(tenantId, id);
    if (!isToMove(reactor, roll.target)) return 'done';
    const locked = await startOperation(deps, reactor, {}, { by: 'roll' });
    if (!isToMove(locked, roll.target)) return 'busy';
    return await releaseOperationOnFailure(deps, locked, () => moveLocked(deps, roll, locked));
  } catch (error) {
    deps.onFailure(error);
    return error instanceof ServiceError && error.code === 'dependency_unavailable' ? 'busy' : 'failed';
  }
}
