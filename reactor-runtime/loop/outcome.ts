/** Class of the thrown error; if known, line and column in the author's code, from 1. */
export interface ThrownPlace {
  readonly class: string;
  readonly line?: number;
  readonly column?: number;
  /** The package of the reactor's own in which it was thrown, and the position in their text. */
  readonly package?: string;
  readonly package_line?: number;
  readonly package_column?: number;
}

/** Why code could not be loaded. */
export type LoadFailure =
  | { readonly reason: 'syntax' | 'no_function' | 'timed_out' | 'memory' | 'exited' }
  | { readonly reason: 'threw'; readonly error: ThrownPlace }
  /** It required a missing module. `module` is only set if that is a package. */
  | { readonly reason: 'module'; readonly module?: string };

/** The end of an invocation without a response of the worker. */
export type Interruption = 'timed_out' | 'out_of_memory' | 'exited';

export const outcome = (word: Interruption | 'loaded' | 'stale' | 'too_large' | 'unserializable'): string =>
  `{"outcome":"${word}"}`;

export const notLoaded = (failure: LoadFailure): string =>
  JSON.stringify({ outcome: 'not_loaded', ...failure });
