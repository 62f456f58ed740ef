import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';

/**
 * A credential for one invocation, from which the runtime makes the client that the code gets as
 * `req.bt`.
 */
export interface ClientCredential {
  readonly baseUrl: string;
  readonly apiKey: Secret<string>;
  readonly headerPrefix: string;
}

/** What an instance is asked to run (docs/reactors.md#the-runtime). */
export interface RunRequest {
  readonly reactorId: string;
  /**
   * The published version of its function to run; without it the one that `live` stands for, which
   * has the hot instances.
   */
  readonly functionVersion?: string;
  /**
   * SHA-256 of the code that is meant, in hexadecimal: an instance with other code runs nothing and
   * says `stale`.
   */
  readonly codeHash: string;
  readonly args: Secret<Json>;
  readonly configuration: Secret<Readonly<Record<string, string>>>;
  readonly client?: ClientCredential;
  /** Time of the code, in ms. */
  readonly timeoutMs: number;
  /** From this instant nobody waits for the answer any more, in ms since the epoch. */
  readonly deadline: number;
}

/**
 * Class of what was thrown, an identifier of at most 64 characters; where it is known, line and
 * column in the author's code, from 1. A function made by an earlier version tells neither.
 */
export interface ThrownPlace {
  readonly class?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Why code does not load. A function made by an earlier version does not tell. */
export interface LoadFailure {
  readonly reason?:
    'syntax' | 'no_function' | 'timed_out' | 'memory' | 'exited' | 'threw' | 'module' | undefined;
  /** With `threw`. */
  readonly error?: ThrownPlace | undefined;
  /** With `module`: the name of what was required, if it can be that of a package. */
  readonly module?: string | undefined;
}

/**
 * An error that the code threw, as data: nothing of it is trusted. `status` and `errors` are `null`
 * unless the author chose them (docs/reactors.md#errors); a function made by an earlier version
 * tells those of any error.
 */
export interface ThrownError extends ThrownPlace {
  readonly message: string;
  readonly status: number | null;
  readonly errors: Readonly<Record<string, readonly string[]>> | null;
  /**
   * What was required, if the error is that of a module which the code may not require; `null` if
   * it cannot be the name of a package.
   */
  readonly module?: string | null | undefined;
}

/** What became of a run. Only with `stale` the code did certainly not run. */
export type RunOutcome =
  | { readonly outcome: 'returned'; readonly value: Secret<Json> }
  | { readonly outcome: 'threw'; readonly error: Secret<ThrownError> }
  | ({ readonly outcome: 'not_loaded' } & LoadFailure)
  | { readonly outcome: 'timed_out' }
  | { readonly outcome: 'out_of_memory' }
  | { readonly outcome: 'exited' }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'too_large' }
  | { readonly outcome: 'unserializable' }
  | { readonly outcome: 'stale' };

/**
 * Runs code in its instance, once. Rejects with `dependency_unavailable` if it was certainly not
 * started, and with `payload_too_large` if the request is more than an instance takes; what leaves
 * open whether the code ran is the outcome `unknown`.
 */
export interface ReactorRunner {
  run(request: RunRequest): Promise<RunOutcome>;
}
