import type { PortEffects } from '../audit/effect.ts';
import { reactorEffect } from './reactor-effect.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';

/** A credential for one invocation. The runtime uses it for the client `req.bt` of the code. */
export interface ClientCredential {
  readonly baseUrl: string;
  readonly apiKey: Secret<string>;
  readonly headerPrefix: string;
}

/** A request to an instance (docs/reactors.md#the-runtime). */
export interface RunRequest {
  readonly reactorId: string;
  /**
   * The published version to run. Without it, the version behind `live` runs, which has the hot
   * instances.
   */
  readonly functionVersion?: string;
  /**
   * SHA-256 of the expected code, in hexadecimal: an instance with other code runs nothing and
   * returns `stale`.
   */
  readonly codeHash: string;
  readonly args: Secret<Json>;
  readonly configuration: Secret<Readonly<Record<string, string>>>;
  readonly client?: ClientCredential;
  /** Time limit of the code, in ms. */
  readonly timeoutMs: number;
  /** The caller stops waiting at this time, in ms since the epoch. */
  readonly deadline: number;
}

/**
 * The class of a thrown value, an identifier of at most 64 characters. Line and column are from 1
 * in the author's code, if known. A function of an earlier service version reports neither.
 */
export interface ThrownPlace {
  readonly class?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Why code does not load. A function of an earlier service version does not report it. */
export interface LoadFailure {
  readonly reason?:
    'syntax' | 'no_function' | 'timed_out' | 'memory' | 'exited' | 'threw' | 'module' | undefined;
  /** Present with `threw`. */
  readonly error?: ThrownPlace | undefined;
  /** Present with `module`: the required name, if it can be the name of a package. */
  readonly module?: string | undefined;
}

/**
 * An error of the code, untrusted. `status` and `errors` are `null` unless the author chose them
 * (docs/reactors.md#errors); functions of earlier versions report those of any error.
 */
export interface ThrownError extends ThrownPlace {
  readonly message: string;
  readonly status: number | null;
  readonly errors: Readonly<Record<string, readonly string[]>> | null;
  /**
   * The required name, if the error is that of a module that the code may not require; `null` if it
   * cannot be the name of a package.
   */
  readonly module?: string | null | undefined;
}

/** The outcome of a run. Only `stale` means that the code certainly did not run. */
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
 * Runs code at most once. Rejects with `payload_too_large` (for an instance), and with
 * `dependency_unavailable` if the code certainly did not start. If that is open: `unknown`.
 */
export interface ReactorRunner {
  run(request: RunRequest): Promise<RunOutcome>;
}

export const REACTOR_RUNNER_EFFECTS: PortEffects<ReactorRunner> = {
  run: ({ reactorId }) => reactorEffect(reactorId, { leaves: true }),
};
