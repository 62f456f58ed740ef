import type { Caller } from '../applications/application.ts';
import { defined } from '../shared/defined.ts';
import type { RunOnce } from '../shared/run-once.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import {
  checkInvoker,
  concludeRun,
  executeRun,
  mayRunAgain,
  prepareRun,
  type PreparedRun,
  type ReactorResult,
  type RunInput,
  type RunReactorDeps,
} from './run-reactor.ts';

/**
 * Time of the code in a synchronous invocation, in ms, and of the whole of it since the gateway
 * took the request: it waits 30 s (docs/contract.md#limits), of which the code gets all but what
 * detokenizing, tokenizing and an instance that has to start may need.
 */
const CODE_MS = 28_000;
const WHOLE_MS = 29_000;

export interface ReactInput extends Pick<RunInput, 'reactorId' | 'args' | 'service'> {
  /** When the gateway took the request, in ms since the epoch. */
  readonly receivedAt: number;
}

/** The answer of a synchronous run, and how long it may be kept. */
export interface Reaction extends Pick<PreparedRun, 'keepUntil' | 'uses'> {
  readonly result: ReactorResult;
}

/** Runs the code, once under one idempotency key. */
async function execute(deps: RunReactorDeps, prepared: PreparedRun, once: RunOnce) {
  await once.begin();
  try {
    const outcome = await executeRun(deps, prepared);
    if (mayRunAgain(outcome)) once.mayRepeat();
    return outcome;
  } catch (error) {
    // It certainly did not run.
    once.mayRepeat();
    throw error;
  }
}

/**
 * Runs a reactor while the caller waits. Throws `forbidden` for who may not invoke, and what
 * {@link prepareRun}, {@link executeRun} and {@link concludeRun} throw.
 */
export async function react(
  deps: RunReactorDeps,
  caller: Caller,
  { receivedAt, ...input }: ReactInput,
  writes: WriteIdentity,
  once: RunOnce,
): Promise<Reaction> {
  checkInvoker(caller);
  const deadline = receivedAt + WHOLE_MS;
  const prepared = await prepareRun(deps, caller, { ...input, timeoutMs: CODE_MS, deadline });
  const outcome = await execute(deps, prepared, once);
  const result = await concludeRun(deps, caller, outcome, prepared.input, writes);
  const { keepUntil, uses } = prepared;
  return defined({ result, uses, keepUntil });
}
