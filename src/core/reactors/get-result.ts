import type { Caller } from '../applications/application.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { Clock } from '../shared/clock.ts';
import type { JsonObject } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Invocation, InvocationState } from './invocation.ts';
import { mayUseAgain, type KeptUseDeps } from '../tokens/kept-use.ts';
import { openResult, type ContentDeps, type InvocationResult } from './invocation-content.ts';

export interface GetResultDeps extends ContentDeps {
  readonly clock: Clock;
}

/** What became of an invocation. */
export interface ResultView {
  readonly id: string;
  readonly status: InvocationState;
  /**
   * The reactor response or the error object; absent before there is one, and once it is no longer
   * kept.
   */
  readonly result?: Secret<JsonObject>;
}

/** What an invocation comes to whose runner was cut off, or that could not be started in time. */
export function interruption({ runner }: Pick<Invocation, 'runner'>): ServiceError {
  return runner === undefined
    ? new ServiceError('dependency_unavailable', 'The invocation could not be started in time.')
    : new ServiceError('reactor_failed', 'The run was interrupted; it is not known how far the code came.');
}

/**
 * The result of an invocation that has ended; `undefined` if it is no longer kept.
 * `presentFailure`: the error object of a failure, as it leaves the service.
 */
export async function keptResult(
  deps: GetResultDeps & { readonly presentFailure: (error: unknown) => JsonObject },
  invocation: Invocation,
): Promise<Secret<InvocationResult> | undefined> {
  if (invocation.wasInterrupted === true)
    return new Secret({ body: deps.presentFailure(interruption(invocation)), uses: [] });
  return resultHasEnded(invocation, deps.clock()) ? undefined : openResult(deps, invocation);
}

/**
 * Whether the result has gone with what was filled into its arguments
 * (docs/contract.md#run-code-once).
 */
export function resultHasEnded({ resultUntil }: Pick<Invocation, 'resultUntil'>, now: number): boolean {
  return resultUntil !== undefined && resultUntil <= now;
}

/**
 * The result of an asynchronous invocation, for the application or session that invoked, for 24
 * hours, as long as the tokens are there that it was made from. Throws `not_found`, and `forbidden`
 * without `token:use` on one of them.
 */
export async function getResult(
  deps: GetResultDeps & KeptUseDeps & { readonly presentFailure: (error: unknown) => JsonObject },
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
  const kept = (await keptResult(deps, invocation))?.reveal();
  if (kept === undefined && invocation.resultUntil === undefined) throw missing;
  const isThere = kept !== undefined && (await mayUseAgain(deps, caller, kept.uses));
  return { id, status: state, ...(isThere && { result: new Secret(kept.body) }) };
}
