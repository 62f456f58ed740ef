import type { Secret } from '../shared/secret.ts';

/**
 * Puts the cloud functions that run reactors in order, one function each. Every call may be
 * repeated: what is there already, or gone already, is no error. Rejects with
 * `dependency_unavailable` when the service behind it is down or busy for too long.
 */
export interface ReactorRepairs {
  /**
   * Has as many instances of `live` kept running as the deployment wants; `false` if the account's
   * quota of concurrency leaves none for it.
   */
  keepHot(reactorId: string): Promise<boolean>;
  /**
   * Lets `live` stand for a version: `made` if there was no `live`, `gone` if there is no such
   * version, or no function.
   */
  pointLive(reactorId: string, version: string): Promise<'moved' | 'made' | 'gone'>;
  /** Removes every version but one. */
  removeOtherVersions(reactorId: string, version: string): Promise<void>;
  /** Removes the function with all of its versions. */
  remove(reactorId: string): Promise<void>;
}

/** Makes functions and new versions of them. */
export interface ReactorFunctions extends ReactorRepairs {
  /** Makes the function of a reactor, with `live`; answers with its version once it can run. */
  create(reactorId: string, code: Secret<string>): Promise<string>;
  /**
   * Makes another version with other code and answers with it once it can run, the first of all
   * where the function is gone. `live` does not change.
   */
  publish(reactorId: string, code: Secret<string>): Promise<string>;
  /** Whether `live` stands for a version, and that runs on what a version made now would run on. */
  isCurrent(reactorId: string, version: string): Promise<boolean>;
}
