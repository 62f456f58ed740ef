import type { Failure } from './protocol.ts';

let last = '';

/**
 * Writes a failure that no listener of the page takes, once if all fields of a form fail alike.
 * Neither its code nor its text has data.
 */
export function writeUnheard({ code, message }: Pick<Failure, 'code' | 'message'>): void {
  if (message !== last) console.error(code, message);
  last = message;
}
