/** The input is wrong, so nothing is sent. The message says how. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
