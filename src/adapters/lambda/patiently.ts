import { setTimeout as sleep } from 'node:timers/promises';
import { callDependency } from '../aws/dependency-error.ts';

/**
 * How long one step of a control plane call is tried, in ms: what a caller behind the gateway can
 * wait.
 */
const PATIENCE_MS = 20_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Errors that pass by themselves, whatever the call: the account's rate limit, a function that is
 * not ready.
 */
const PASSING: readonly string[] = [
  'TooManyRequestsException',
  'ThrottlingException',
  'ResourceNotReadyException',
];

/**
 * What passes for calls that change a function which is there: another one that changes it is under
 * way.
 */
export const BUSY: readonly string[] = ['ResourceConflictException'];

/**
 * Makes a call of the Lambda control plane, whose limit is 15 a second for a whole account, again
 * and again with full jitter while what is in its way passes by itself: by the names of errors,
 * `also` those that pass for this call; their words may hold anything, names of functions included.
 * Throws what it failed with in the end, transient failures as `dependency_unavailable`.
 */
export async function patiently<T>(call: () => Promise<T>, also: readonly string[] = []): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (let tries = 0; ; tries += 1) {
    try {
      return await callDependency(call);
    } catch (error) {
      const { name } =
        error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
      const pause = Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
      if (![...PASSING, ...also].includes(name) || Date.now() + pause > until) throw error;
      await sleep(pause);
    }
  }
}
