import type { PortEffects } from '../audit/effect.ts';
import { reactorEffect } from './reactor-effect.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';

/** A credential for one invocation. The runtime makes the client `req.bt` of the code with it. */
export interface ClientCredential {
  readonly baseUrl: string;
  readonly apiKey: Secret<string>;
  readonly headerPrefix: string;
}

/** An instance of a reactor's function receives this (docs/reactors.md#the-runtime). */
export interface RunRequest {
  readonly reactorId: string;
  /**
   * The published version to run. If absent, the version behind `live` runs, which has the hot
   * instances.
   */
  readonly functionVersion?: string;
  /**
   * SHA-256 of the expected code, in hexadecimal. An instance with other code runs nothing and
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
 * Where a value was thrown. `class` is an identifier of at most 64 characters; line and column
 * count from 1 in the author's code, if known. A function of an earlier service version reports
 * neither.
 */
export interface ThrownPlace {
  readonly class?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** The package of the reactor's own in which it was thrown, and the position in their text. */
  readonly package?: string | undefined;
  readonly package_line?: number | undefined;
  readonly package_column?: number | undefined;
}

/** Explains why code does not load. A function of an earlier service version does not report it. */
export interface LoadFailure {
  readonly reason?:
    | 'syntax'
    | 'no_function'
    | 'timed_out'
    | 'memory'
    | 'exited'
    | 'threw'
    | 'module'
    | undefined;
  /** Present with `threw`. */
  readonly error?: ThrownPlace | undefined;
  /** Present with `module`: the required name, if it can be the name of a package. */
  readonly module?: string | undefined;
}

/**
 * An error of the code, which is untrusted. `status` and `errors` are `null` unless the author
 * chose them (docs/reactors.md#errors). Functions of earlier versions report those of any error.
 */
export interface ThrownError extends ThrownPlace {
  readonly message: string;
  readonly status: number | null;
  readonly errors: Readonly<Record<string, readonly string[]>> | null;
  /**
   * The name that the code required and may not require; `null` if it cannot be the name of a
   * package.
   */
  readonly module?: string | null | undefined;
}

/**
 * The outcome of a run. Only `stale` (the instance has other code) and `gone` (there is no
 * function, or no such version) mean that the code certainly did not run.
 */
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
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'gone' };

/** The outcome of code that ran, or may have run. */
export type RanOutcome = Exclude<RunOutcome, { readonly outcome: 'stale' | 'gone' }>;

/**
 * Runs code at most once. Rejects with `payload_too_large` for an input that no instance accepts,
 * and with `dependency_unavailable` if the code certainly did not start. The outcome is `unknown`
 * if the code may have run.
 */
export interface ReactorRunner {
  run(request: RunRequest): Promise<RunOutcome>;
}

export const REACTOR_RUNNER_EFFECTS: PortEffects<ReactorRunner> = {
  run: ({ reactorId }) => reactorEffect(reactorId, { leaves: true }),
};
