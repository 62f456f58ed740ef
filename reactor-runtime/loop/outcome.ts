/** Class of the thrown error; if known, line and column in the author's code, from 1. */
export interface ThrownPlace {
  readonly class: string;
  readonly line?: number;
  readonly column?: number;
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
