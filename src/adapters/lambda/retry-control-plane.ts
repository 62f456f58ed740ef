import type { Platform } from '../../core/shared/platform.ts';
import { callDependency } from '../aws/dependency-error.ts';

/**
 * The time limit of one control plane step, in ms. A caller behind the gateway can wait no longer.
 */
const PATIENCE_MS = 20_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Errors that are transient for every call: the account's rate limit, or a function that is not
 * ready.
 */
export const TRANSIENT: readonly string[] = [
  'TooManyRequestsException',
  'ThrottlingException',
  'ResourceNotReadyException',
];

/**
 * This error is transient too for calls that change an existing function: another change is in
 * progress.
 */
export const BUSY: readonly string[] = ['ResourceConflictException'];

/**
 * Retries a control plane call (15 a second per account) with jitter, while its error is transient
 * or in `also`. Throws the last error, and a transient one as `dependency_unavailable`.
 */
export async function retryControlPlane<T>(
  platform: Platform,
  call: () => Promise<T>,
  also: readonly string[] = [],
): Promise<T> {
  const { clock, random } = platform;
  const until = clock() + PATIENCE_MS;
  for (let tries = 0; ; tries += 1) {
    try {
      return await callDependency(call);
    } catch (error) {
      const { name } =
        error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
      const pauseMs = random.fraction() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
      // The decision uses only names, because messages may contain anything, such as names of
      // functions.
      if (![...TRANSIENT, ...also].includes(name) || clock() + pauseMs > until) throw error;
      await platform.pause(pauseMs);
    }
  }
}
