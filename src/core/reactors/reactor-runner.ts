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

/** An error that the code threw, as data: nothing of it is trusted. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly status: number | null;
  readonly errors: Readonly<Record<string, readonly string[]>> | null;
}

/** What became of a run. Only with `stale` the code did certainly not run. */
export type RunOutcome =
  | { readonly outcome: 'returned'; readonly value: Secret<Json> }
  | { readonly outcome: 'threw'; readonly error: Secret<ThrownError> }
  | { readonly outcome: 'not_loaded' }
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
