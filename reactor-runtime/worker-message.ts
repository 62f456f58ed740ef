/**
 * Messages from a worker to the loop, as lines of standard output: JSON has no line breaks. The
 * author's code could write them, so `loop/parse-worker-message.ts` checks each kind.
 */
export const MESSAGE = {
  /** The code is loaded and exports a function. */
  loaded: 'l',
  /** The code cannot be loaded; the JSON of the reason follows. */
  notLoaded: 'n',
  /** The function returned; the JSON of the value follows, or nothing for undefined. */
  returned: 'v',
  /** The function threw; the JSON of the reduced error follows. */
  threw: 't',
  /** The result cannot be serialized. */
  unserializable: 'u',
  /** The JSON of the result is over the limit. */
  tooLarge: 'g',
} as const;

/** The JSON of a result may have this size, in bytes of UTF-8. */
export const MAX_RESULT_BYTES = 5_000_000;

/** Bounds of a reduced error. */
export const ERROR_BOUNDS = { class: 64, message: 2_000, fields: 50, messages: 10, field: 200 } as const;

/** The longest name of an npm package (docs.npmjs.com). */
export const MODULE_NAME_MAX = 214;
