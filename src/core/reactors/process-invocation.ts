import type { Way } from '../access/access-decision.ts';
import { wayOf } from '../access/callback-address.ts';
import type { Caller } from '../access/caller.ts';
import type { TenantBasics, TenantBasicsStore } from '../access/tenant-basics.ts';
import { keyRevoked } from '../applications/revoked-keys.ts';
import type { JsonObject } from '../shared/json.ts';
import { leavesOf } from '../shared/shape.ts';
import type { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import { randomIdentity } from '../shared/write-identity.ts';
import { firstEnd } from '../tokens/expiration.ts';
import { nameTokensIn } from '../tokens/name-tokens.ts';
import { tokenUseOf } from '../tokens/token-use.ts';
import {
  afterRun,
  CONTENT_MS,
  QUEUE_PATIENCE_MS,
  RUN_OVERHEAD_MS,
  START_WITHIN_MS,
  type Invocation,
} from './invocation.ts';
import { interruption } from './get-result.ts';
import { storeResult, openPayload, type ContentDeps, type InvocationPayload } from './invocation-content.ts';
import { invokerOf, noInvoker, type InvokerDeps } from './invoker.ts';
import type { InvocationId, InvocationQueue } from './invocation-store.ts';
import {
  checkInvoker,
  concludeRun,
  executeRun,
  prepareRun,
  runKind,
  type PreparedRun,
  type ReactorResult,
  type RunReactorDeps,
} from './run-reactor.ts';

export interface ProcessInvocationDeps extends RunReactorDeps, ContentDeps, InvokerDeps {
  readonly tenantBasicsStore: TenantBasicsStore;
  readonly invocationQueue: InvocationQueue;
  readonly deliveryQueue: InvocationQueue;
  /** Makes the public reactor response object. */
  readonly presentResult: (result: ReactorResult) => JsonObject;
  /** Makes the public error object of a failure. */
  readonly presentFailure: (error: unknown) => JsonObject;
  /** Called with unexpected errors. */
  readonly onFailure: (error: unknown) => void;
  /**
   * Called when an invocation could not be started and was queued again, with the time since it was
   * accepted.
   */
  readonly onReleased: (waitedMs: number) => void;
}

/** Pause before an invocation that could not be started is retried, in ms. */
const START_PAUSE_MS = 10_000;

/** The state that a run leaves. `keepUntil` is explained in `PreparedRun`. */
interface Ended extends Pick<PreparedRun, 'keepUntil' | 'uses'> {
  readonly state: Invocation['state'];
  readonly body: JsonObject;
}

/** Claims a queued invocation; `undefined` if it is not queued, or another worker was faster. */
async function claim(
  deps: ProcessInvocationDeps,
  id: InvocationId,
): Promise<{ readonly invocation: Invocation; readonly payload: Secret<InvocationPayload> } | undefined> {
  const queued = await deps.invocationStore.find(id);
  if (queued?.state !== 'queued') return undefined;
  const payload = await openPayload(deps, id);
  if (payload === undefined) return undefined;
  const runUntil = deps.clock() + payload.reveal().timeoutMs + RUN_OVERHEAD_MS;
  const running = {
    ...queued,
    state: 'running',
    runner: deps.random.uuid(),
    runUntil,
    dueAt: runUntil,
  } as const;
  return (await deps.invocationStore.update(queued, running)) ? { invocation: running, payload } : undefined;
}

/** Queues an invocation again. Its code certainly did not run. */
async function release(deps: ProcessInvocationDeps, running: Invocation): Promise<void> {
  const { runner: _, runUntil: __, ...rest } = running;
  const now = deps.clock();
  const dueAt = now + START_PAUSE_MS + QUEUE_PATIENCE_MS;
  if (!(await deps.invocationStore.update(running, { ...rest, state: 'queued', dueAt }))) return;
  await deps.invocationQueue.send(running, START_PAUSE_MS).catch(deps.onFailure);
  // Each retry is a new message, so the age of the queue's oldest message does not show this wait.
  deps.onReleased(now - running.createdAt);
}

function isTransient(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'dependency_unavailable';
}

/** Makes the error object of a failure. An unexpected error is also logged. */
function failed(deps: ProcessInvocationDeps, error: unknown): Ended {
  if (!(error instanceof ServiceError)) deps.onFailure(error);
  return { state: 'failed', body: deps.presentFailure(error), uses: [] };
}

/**
 * Bounds how long a result may be stored: until the first of its tokens ends, filled in or shown.
 */
function endsWith(
  deps: ProcessInvocationDeps,
  { keepUntil = Infinity, uses }: PreparedRun,
  { tokens }: ReactorResult,
): Pick<Ended, 'keepUntil' | 'uses'> {
  const made = (tokens === undefined ? [] : leavesOf(tokens)).flatMap(({ result }) =>
    result.shows === 'gone' ? [] : [result.token],
  );
  const until = Math.min(keepUntil, firstEnd(made, deps.clock()) ?? Infinity);
  const shown = made.map((token) => {
    const { containers: _, ...use } = tokenUseOf(token);
    return use;
  });
  return { uses: [...uses, ...shown], ...(until === Infinity ? {} : { keepUntil: until }) };
}

/** Who a run acts for now, and the tenant, as they were read. */
interface Acting {
  readonly invoker: Awaited<ReturnType<typeof invokerOf>>;
  readonly tenant: TenantBasics | undefined;
}

/** The caller that may still run the code. Otherwise the tokens of the arguments are recorded. */
async function runnerOf(
  deps: ProcessInvocationDeps,
  { tenantId }: Invocation,
  { args }: InvocationPayload,
  way: Way,
  { invoker, tenant }: Acting,
): Promise<Caller> {
  try {
    if (invoker === 'revoked') throw keyRevoked();
    if (invoker === undefined || tenant === undefined) throw noInvoker();
    const caller = { ...invoker, tenantSettings: tenant.settings };
    checkInvoker(caller, way);
    return caller;
  } catch (error) {
    await nameTokensIn(deps, tenantId, args);
    throw error;
  }
}

/** Runs the code. Returns `not-run` if it certainly did not run and may be retried later. */
async function runClaimed(
  deps: ProcessInvocationDeps,
  invocation: Invocation,
  payload: InvocationPayload,
): Promise<Ended | 'not-run'> {
  const { reactorId, tenantId } = invocation;
  const { args, service, timeoutMs, callbackUrl } = payload;
  const way = wayOf(reactorId, callbackUrl);
  const deadline = deps.clock() + timeoutMs + RUN_OVERHEAD_MS / 2;
  try {
    deps.audit.actsFor(payload);
    const [invoker, tenant] = await Promise.all([
      invokerOf(deps, invocation, payload),
      deps.tenantBasicsStore.basics(tenantId),
    ]);
    const caller = await runnerOf(deps, invocation, payload, way, { invoker, tenant });
    const input = { reactorId, args, service, timeoutMs, deadline, way };
    const prepared = await prepareRun(deps, caller, input);
    const outcome = await executeRun(deps, prepared);
    try {
      const writes = randomIdentity(deps.random);
      const result = await concludeRun(deps, caller, outcome, runKind(prepared), writes);
      return { state: 'succeeded', body: deps.presentResult(result), ...endsWith(deps, prepared, result) };
    } catch (error) {
      // The code ran, so any later failure is the result and never a reason to run the code again.
      return { ...failed(deps, error), ...endsWith(deps, prepared, {}) };
    }
  } catch (error) {
    return isTransient(error) ? 'not-run' : failed(deps, error);
  }
}

/**
 * Stores the result of a run and returns its state. If the result cannot be stored, stores an error
 * as the result instead.
 */
async function keepEnd(
  deps: ProcessInvocationDeps,
  id: InvocationId,
  ended: Ended,
  now: number,
): Promise<Pick<Invocation, 'state' | 'resultUntil'>> {
  const { keepUntil = Infinity } = ended;
  const isSwept = keepUntil < now + CONTENT_MS;
  const end = { until: Math.min(keepUntil, now + CONTENT_MS), isSwept };
  const ends = isSwept ? { resultUntil: keepUntil } : {};
  try {
    await storeResult(deps, id, { body: ended.body, uses: ended.uses }, end);
    return { state: ended.state, ...ends };
  } catch (error) {
    if (isTransient(error)) throw error;
    const { state, body, uses } = failed(deps, error);
    await storeResult(deps, id, { body, uses }, end);
    return { state, ...ends };
  }
}

/**
 * Runs a queued invocation at most once, however often its message arrives, because the claim is
 * conditional (docs/decisions/0009). Returns the new state; `undefined` if there was nothing to
 * run.
 */
export async function processInvocation(
  deps: ProcessInvocationDeps,
  id: InvocationId,
): Promise<Invocation['state'] | undefined> {
  const claimed = await claim(deps, id);
  if (claimed === undefined) return undefined;
  const { invocation, payload } = claimed;
  const outcome = await runClaimed(deps, invocation, payload.reveal());
  const now = deps.clock();
  if (outcome === 'not-run' && now < invocation.createdAt + START_WITHIN_MS) {
    await release(deps, invocation);
    return 'queued';
  }
  const ended = outcome === 'not-run' ? failed(deps, interruption({})) : outcome;
  const end = await keepEnd(deps, id, ended, now);
  const { runner: _, runUntil: __, ...rest } = invocation;
  const finished = { ...rest, ...end, ...afterRun(invocation, now) };
  const isOurs = await deps.invocationStore.update(invocation, finished);
  if (isOurs && finished.delivery === 'pending')
    // The sweep delivers the result if this message is lost.
    await deps.deliveryQueue.send(id).catch(deps.onFailure);
  return end.state;
}
