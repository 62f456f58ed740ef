import type { Caller } from '../access/caller.ts';
import { defined } from '../shared/defined.ts';
import type { RunOnce } from '../idempotency/run-once.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import {
  checkInvoker,
  concludeRun,
  executeRun,
  mayRunAgain,
  prepareRun,
  runKind,
  type PreparedRun,
  type ReactorResult,
  type RunInput,
  type RunReactorDeps,
} from './run-reactor.ts';

/**
 * Time for the code, and for everything since the gateway accepted the request, in ms. The gateway
 * waits 30 s (docs/contract.md#limits). The rest is for tokens and the start of an instance.
 */
const CODE_MS = 28_000;
const WHOLE_MS = 29_000;

export interface ReactInput extends Pick<RunInput, 'reactorId' | 'args' | 'service'> {
  /** The time when the gateway accepted the request, in ms since the epoch. */
  readonly receivedAt: number;
}

/** The response of a synchronous run, and how long it may be stored. */
export interface Reaction extends Pick<PreparedRun, 'keepUntil' | 'uses'> {
  readonly result: ReactorResult;
}

/** Runs the code, at most once for each idempotency key. */
async function execute(deps: RunReactorDeps, prepared: PreparedRun, once: RunOnce) {
  await once.begin();
  try {
    const outcome = await executeRun(deps, prepared);
    if (mayRunAgain(outcome)) once.mayRepeat();
    return outcome;
  } catch (error) {
    // The code certainly did not run, so a retry under the same key may run it.
    once.mayRepeat();
    throw error;
  }
}

/**
 * Runs a reactor while the caller waits. Throws `forbidden` for a caller that may not invoke
 * reactors, and the errors of {@link prepareRun}, {@link executeRun} and {@link concludeRun}.
 */
export async function react(
  deps: RunReactorDeps,
  caller: Caller,
  { receivedAt, ...input }: ReactInput,
  writes: WriteIdentity,
  once: RunOnce,
): Promise<Reaction> {
  const way = { reactor: input.reactorId };
  checkInvoker(caller, way);
  const deadline = receivedAt + WHOLE_MS;
  const prepared = await prepareRun(deps, caller, { ...input, way, timeoutMs: CODE_MS, deadline });
  const outcome = await execute(deps, prepared, once);
  const result = await concludeRun(deps, caller, outcome, runKind(prepared), writes);
  const { keepUntil, uses } = prepared;
  return defined({ result, uses, keepUntil });
}
