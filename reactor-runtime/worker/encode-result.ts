import { MAX_RESULT_BYTES, MESSAGE } from '../worker-message.ts';
import { byteLength, RangeErrorClass, stringifyJson } from './primordials.ts';

/** A string that exceeds V8's limit is over the limit too. */
const isTooLong = (error: unknown): boolean =>
  error instanceof RangeErrorClass && error.message === 'Invalid string length';

/**
 * The message for a returned value. Its JSON runs the author's code (`toJSON`, getters), which may
 * do anything except send the response.
 */
export function encodeResult(value: unknown): string {
  if (value === undefined) return MESSAGE.returned;
  try {
    // It is undefined for a function or a symbol, although the library's types do not say so.
    const json = (stringifyJson as (value: unknown) => string | undefined)(value);
    if (json === undefined) return MESSAGE.unserializable;
    return byteLength(json) > MAX_RESULT_BYTES ? MESSAGE.tooLarge : MESSAGE.returned + json;
  } catch (error) {
    try {
      return isTooLong(error) ? MESSAGE.tooLarge : MESSAGE.unserializable;
    } catch {
      return MESSAGE.unserializable;
    }
  }
}
