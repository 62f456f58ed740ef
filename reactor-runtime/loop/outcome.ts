/** Why code could not be loaded. */
export type LoadFailure = 'syntax' | 'threw' | 'no_function' | 'timed_out' | 'memory' | 'exited';

/** How an invocation ended without an answer of the worker. */
export type Interruption = 'timed_out' | 'out_of_memory' | 'exited';

/** The answer's body for what needs no more than a word. */
export const outcome = (word: Interruption | 'stale' | 'too_large' | 'unserializable'): string =>
  `{"outcome":"${word}"}`;

export const notLoaded = (reason: LoadFailure): string => `{"outcome":"not_loaded","reason":"${reason}"}`;
