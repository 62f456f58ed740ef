import { isJsonObject } from '../shared/json.ts';

/** An own member of a JSON object; `undefined` for any other value. */
export function memberOf(from: unknown, name: string): unknown {
  return isJsonObject(from) && Object.hasOwn(from, name) ? from[name] : undefined;
}
