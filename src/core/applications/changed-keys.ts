import { sameJson } from '../shared/same-json.ts';
import type { ApplicationKey } from './application-key.ts';

interface KeyList {
  readonly keys: readonly ApplicationKey[];
}

/** Names in the API of the members of a key that change. */
const KEY_MEMBERS = [
  ['name', 'name'],
  ['expiresAtMs', 'expires_at'],
  ['sourceAddresses', 'source_addresses'],
] as const satisfies readonly (readonly [keyof ApplicationKey, string])[];

/**
 * Names each key that a change adds or removes, `keys.<id>`, and each member of a key that it
 * changes, `keys.<id>.expires_at`.
 */
export function changedKeys(previous: KeyList, next: KeyList): readonly string[] {
  const [before, after] = [previous, next].map(({ keys }) => new Map(keys.map((key) => [key.id, key])));
  const ids = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  return [...ids].flatMap((id) => {
    const was = before?.get(id);
    const is = after?.get(id);
    if (was === undefined || is === undefined) return [`keys.${id}`];
    return KEY_MEMBERS.filter(([member]) => !sameJson(was[member], is[member])).map(
      ([, name]) => `keys.${id}.${name}`,
    );
  });
}
