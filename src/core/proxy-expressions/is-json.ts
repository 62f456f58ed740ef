import { JsonSyntaxError, walkJson } from '../shared/walk-json.ts';

/**
 * Where a text is not JSON by the rules of `JSON.parse`, without building the value; `undefined`
 * for JSON.
 */
export function jsonErrorAt(text: string): number | undefined {
  try {
    walkJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.at;
    throw error;
  }
}

/** Whether a text is JSON by the rules of `JSON.parse`, without building the value. */
export const isJson = (text: string): boolean => jsonErrorAt(text) === undefined;
