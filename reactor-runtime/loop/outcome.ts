/** Class of what was thrown; where it is known, line and column in the author's code, from 1. */
export interface ThrownPlace {
  readonly class: string;
  readonly line?: number;
  readonly column?: number;
}

/** Why code could not be loaded. */
export type LoadFailure =
  | { readonly reason: 'syntax' | 'no_function' | 'timed_out' | 'memory' | 'exited' }
  | { readonly reason: 'threw'; readonly error: ThrownPlace }
  /** It required what there is not; without a name where that is none of a package. */
  | { readonly reason: 'module'; readonly module?: string };

/** How an invocation ended without an answer of the worker. */
export type Interruption = 'timed_out' | 'out_of_memory' | 'exited';

/** The answer's body for what needs no more than a word. */
export const outcome = (word: Interruption | 'stale' | 'too_large' | 'unserializable'): string =>
  `{"outcome":"${word}"}`;

export const notLoaded = (failure: LoadFailure): string =>
  JSON.stringify({ outcome: 'not_loaded', ...failure });
