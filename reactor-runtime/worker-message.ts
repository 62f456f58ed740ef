/**
 * What a worker says to the loop: a line on its standard output, whose first character is the kind.
 * The author's code lives in the worker's process, so the loop believes none of it: each kind is
 * checked by `loop/read-answer.ts`. JSON has no line breaks.
 */
export const MESSAGE = {
  /** The code is loaded and exports a function. */
  loaded: 'l',
  /** The code cannot be loaded; followed by the JSON of the reason. */
  notLoaded: 'n',
  /**
   * The function returned; followed by the JSON of the value, or by nothing if it returned
   * undefined.
   */
  returned: 'v',
  /** The function threw; followed by the JSON of the reduced error. */
  threw: 't',
  /** The result has no JSON. */
  unserializable: 'u',
  /** The result's JSON is over the limit. */
  tooLarge: 'g',
} as const;

/** Of the result's JSON, in UTF-8. */
export const MAX_RESULT_BYTES = 5_000_000;

/** Bounds of a reduced error. */
export const ERROR_BOUNDS = { class: 64, message: 2_000, fields: 50, messages: 10, field: 200 } as const;

/** The longest name of a package (docs.npmjs.com). */
export const MODULE_NAME_MAX = 214;
