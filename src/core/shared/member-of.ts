import { isJsonObject } from './json.ts';

/** An own member of a JSON object; everything else has none by a name. */
export function memberOf(from: unknown, name: string): unknown {
  return isJsonObject(from) && Object.hasOwn(from, name) ? from[name] : undefined;
}
