import { setTimeout as sleep } from 'node:timers/promises';
import { callDependency } from '../aws/dependency-error.ts';

/** How long one step of a control plane call is tried, in ms: what a caller behind the gateway can wait. */
const PATIENCE_MS = 20_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** What passes by itself: the account's rate limit, a function that another call is changing, a role that IAM has not spread yet. */
function passes(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (['TooManyRequestsException', 'ResourceNotReadyException', 'ThrottlingException'].includes(error.name))
    return true;
  if (error.name === 'ResourceConflictException')
    return /in progress|state|Pending|Inactive|being|concurrent/i.test(error.message);
  // A role that was just made (AWS: "The role defined for the function cannot be assumed by Lambda").
  return error.name === 'InvalidParameterValueException' && /cannot be assumed/i.test(error.message);
}

/**
 * Makes a call of the Lambda control plane, whose limit is 15 a second for a whole account, again and again with full jitter while what is
 * in its way passes by itself. Throws what it failed with in the end, transient failures as `dependency_unavailable`.
 */
export async function patiently<T>(call: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  const until = Date.now() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await callDependency(call);
    } catch (error) {
      const cause: unknown = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const pause = Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
      if (!passes(cause) || Date.now() + pause > until) throw error;
      await sleep(pause);
    }
  }
}
