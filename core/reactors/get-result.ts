import type { Caller } from '../applications/application.ts';
import { requirePermission } from '../applications/require-permission.ts';
import type { Clock } from '../shared/clock.ts';
import type { JsonObject } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Invocation, InvocationState } from './invocation.ts';
import { openResult, type ContentDeps } from './invocation-content.ts';

export interface GetResultDeps extends ContentDeps {
  readonly clock: Clock;
}

/** What became of an invocation. */
export interface ResultView {
  readonly id: string;
  readonly status: InvocationState;
  /** The reactor response or the error object; absent before there is one, and once it is no longer kept. */
  readonly result?: Secret<JsonObject>;
}

/** What an invocation comes to whose runner was cut off, or that could not be started in time. */
export function interruption({ runner }: Pick<Invocation, 'runner'>): ServiceError {
  return runner === undefined
    ? new ServiceError('dependency_unavailable', 'The invocation could not be started in time.')
    : new ServiceError('reactor_failed', 'The run was interrupted; it is not known how far the code came.');
}

/**
 * The body of an invocation that has ended; `undefined` if it is no longer kept. `presentFailure`: the error object of a failure, as
 * it leaves the service.
 */
export async function resultBody(
  deps: GetResultDeps & { readonly presentFailure: (error: unknown) => JsonObject },
  invocation: Invocation,
): Promise<Secret<JsonObject> | undefined> {
  if (invocation.wasInterrupted === true) return new Secret(deps.presentFailure(interruption(invocation)));
  if (resultHasEnded(invocation, deps.clock())) return undefined;
  const kept = await openResult(deps, invocation);
  return kept && new Secret(kept.reveal().body);
}

/** Whether the result has gone with what was filled into its arguments (decisions.md, section 1). */
export function resultHasEnded({ resultUntil }: Pick<Invocation, 'resultUntil'>, now: number): boolean {
  return resultUntil !== undefined && resultUntil <= now;
}

/** The result of an asynchronous invocation, for the application or session that invoked, for 24 hours. Throws `not_found`. */
export async function getResult(
  deps: GetResultDeps & { readonly presentFailure: (error: unknown) => JsonObject },
  caller: Caller,
  reactorId: string,
  invocationId: string,
): Promise<ResultView> {
  requirePermission(caller, 'token:use');
  const missing = new ServiceError('not_found', 'The invocation does not exist.');
  const invocation = await deps.invocationStore.find({ tenantId: caller.tenantId, id: invocationId });
  if (
    invocation === undefined ||
    invocation.reactorId !== reactorId ||
    invocation.credentialId !== caller.credentialId ||
    invocation.readableUntil <= deps.clock()
  )
    throw missing;
  const { id, state } = invocation;
  if (state === 'queued' || state === 'running') return { id, status: state };
  const result = await resultBody(deps, invocation);
  if (result !== undefined) return { id, status: state, result };
  if (invocation.resultUntil === undefined) throw missing;
  return { id, status: state };
}
