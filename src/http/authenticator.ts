import {
  authenticate,
  requireApiKey,
  type AuthenticateDeps,
  type AuthenticateOptions,
} from '../core/access/authenticate.ts';
import type { Caller } from '../core/access/caller.ts';
import { dayOf } from '../core/shared/day-of.ts';
import { atMost, type Platform } from '../core/shared/platform.ts';
import { problemOf } from '../wire/problem.ts';
import type { Secret } from '../core/shared/secret.ts';

/** Longest time that a response waits for the note of a use, in ms. */
const NOTE_MS = 1_000;
/** Most keys that an instance remembers. An entry takes a few dozen bytes. */
const REMEMBERED_MAX = 10_000;

/** An authentication that has started. */
export interface AuthenticationAttempt {
  /** Rejects with `unauthenticated`. Every request reads the stored key again. */
  readonly caller: Promise<Caller>;
  /**
   * The tenant of a key that this instance has accepted before. It only starts reads early; no
   * response depends on it.
   */
  readonly likelyTenantId?: string;
  /** Resolves when the use of the key is noted, or could not be. It never rejects. */
  readonly noted: Promise<void>;
}

/** A map that forgets its oldest entry before it has too many. */
class Memory<T> extends Map<string, T> {
  override set(name: string, value: T): this {
    const [oldest] = this.has(name) || this.size < REMEMBERED_MAX ? [] : this.keys();
    if (oldest !== undefined) this.delete(oldest);
    return super.set(name, value);
  }
}

/**
 * Notes the first use of a key on a day that this instance sees. What it returns never rejects: a
 * use that cannot be noted is noted by another instance, or on another day.
 */
export function createUseNotes(
  deps: Pick<AuthenticateDeps, 'keyUses' | 'clock'> & Pick<Platform, 'startTimer'>,
): (keyHash: Buffer) => Promise<void> {
  /** The last day on which the use of a key was noted, by the hash of the key. */
  const days = new Memory<string>();
  return async (keyHash) => {
    const day = dayOf(deps.clock());
    const name = keyHash.toString('base64url');
    if (days.get(name) === day) return;
    days.set(name, day);
    await atMost(
      deps,
      NOTE_MS,
      deps.keyUses.note(keyHash, day).catch(() => undefined),
    );
  };
}

/**
 * Remembers (by hash) that a key was accepted, so that the next request can read the tenant's data
 * while the key is checked. It never remembers that a key is still valid.
 */
export function createAuthenticator(
  deps: AuthenticateDeps & Pick<Platform, 'startTimer'>,
): (apiKey: Secret<string>, options: Omit<AuthenticateOptions, 'isConfirmed'>) => AuthenticationAttempt {
  const confirmed = new Memory<true>();
  const note = createUseNotes(deps);

  return (apiKey, options) => {
    const content = requireApiKey(apiKey);
    const hash = content.hash.toString('base64url');
    const isConfirmed = confirmed.has(hash);
    const caller = authenticate(deps, content, { ...options, isConfirmed });
    const noted = caller.then(
      async ({ actsBy }) => {
        confirmed.set(hash, true);
        if (actsBy === 'own_key') await note(content.hash);
      },
      // The rejection is reported where the request awaits the caller. A key that is refused from
      // here alone, or for a failure of the store, is still that of its tenant.
      (error: unknown) => {
        if (problemOf(error).problem.status === 401) confirmed.delete(hash);
      },
    );
    return { caller, noted, ...(isConfirmed && { likelyTenantId: content.tenantId }) };
  };
}
