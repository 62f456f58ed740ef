import type { Caller } from '../access/caller.ts';
import { requireUse } from '../access/require-permission.ts';
import type { Clock } from '../shared/clock.ts';
import type { JsonObject } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { Invocation, InvocationState } from './invocation.ts';
import { mayUseAgain, type TokenUseDeps } from '../tokens/token-use.ts';
import { openResult, type ContentDeps, type InvocationResult } from './invocation-content.ts';

export interface GetResultDeps extends ContentDeps {
  readonly clock: Clock;
}

export interface ResultView {
  readonly id: string;
  readonly status: InvocationState;
  /**
   * The reactor response or the error object. It is absent before there is one, and once it is
   * deleted.
   */
  readonly result?: Secret<JsonObject>;
}

/**
 * The error of an invocation whose runner was interrupted, or that could not be started in time.
 */
export function interruption({ runner }: Pick<Invocation, 'runner'>): ServiceError {
  return runner === undefined
    ? new ServiceError('dependency_unavailable', 'The invocation could not be started in time.')
    : new ServiceError('reactor_failed', 'The run was interrupted; it is not known how far the code came.');
}

/**
 * The result of an invocation that has ended; `undefined` if it is deleted. `presentFailure` makes
 * the public error object of a failure.
 */
export async function storedResult(
  deps: GetResultDeps & { readonly presentFailure: (error: unknown) => JsonObject },
  invocation: Invocation,
): Promise<Secret<InvocationResult> | undefined> {
  if (invocation.wasInterrupted === true)
    return new Secret({ body: deps.presentFailure(interruption(invocation)), uses: [] });
  return resultHasEnded(invocation, deps.clock()) ? undefined : openResult(deps, invocation);
}

/**
 * Whether the result has ended together with a token or cvc in its arguments
 * (docs/contract.md#run-code-once).
 */
export function resultHasEnded({ resultUntil }: Pick<Invocation, 'resultUntil'>, now: number): boolean {
  return resultUntil !== undefined && resultUntil <= now;
}

/**
 * The result, for 24 hours and while the tokens behind it exist. Only the application or session
 * that invoked it may read it. Throws `not_found`, and `forbidden` without `token:use` on one of
 * the tokens.
 */
export async function getResult(
  deps: GetResultDeps & TokenUseDeps & { readonly presentFailure: (error: unknown) => JsonObject },
  caller: Caller,
  reactorId: string,
  invocationId: string,
): Promise<ResultView> {
  const way = { reactor: reactorId };
  requireUse(caller, way);
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
  const stored = (await storedResult(deps, invocation))?.reveal();
  if (stored === undefined && invocation.resultUntil === undefined) throw missing;
  const isThere = stored !== undefined && (await mayUseAgain(deps, caller, way, stored.uses));
  return { id, status: state, ...(isThere && { result: new Secret(stored.body) }) };
}
