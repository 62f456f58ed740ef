import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { jsonObject, type JsonObject } from '../../../src/core/shared/json.ts';
import { addressOf, partsOfAddress } from '../file/names.ts';
import type { Address, Desired, Kind, Reference } from '../model.ts';
import { wantedApplication, wantedProxy, wantedReactor } from '../plan/wanted.ts';
import type { Values } from '../sources/read-sources.ts';

/** Finds the id of a reference. */
export type IdOf = (kind: Kind, reference: Reference) => string;

/** The entry of the file that a reference names; `undefined` for an id and for other files. */
export function ownAddress(namespace: string, kind: Kind, reference: Reference): Address | undefined {
  if (isUuid(reference)) return undefined;
  const [first = '', second] = reference.split('/');
  if (second === undefined) return addressOf(kind, first);
  return first === namespace ? addressOf(kind, second) : undefined;
}

const resolver = (idOf: IdOf) => ({
  names: {
    idOf,
    idOfEntry: ({ address }: { readonly address: Address }): string => address,
    nameOf: (id: string) => id,
  },
  exists: () => true,
  report: (words: string) => {
    throw new Error(`the file was checked, and yet ${words}`);
  },
});

/** Values and labels of a configuration. All of them are stated at each write. */
function configurationOf(address: Address, values: Values, ofProxy: boolean): JsonObject {
  const read = [...(values.get(address) ?? [])];
  return {
    configuration: jsonObject(
      read.map(([name, { text, public: isPublic }]) => {
        const value = text.reveal();
        return [name, ofProxy && isPublic ? { value, public: true } : value];
      }),
    ),
    configuration_labels: jsonObject(
      read.flatMap(([name, { label }]) => (label === undefined ? [] : [[name, label] as const])),
    ),
  };
}

/**
 * Members of a runtime: `null` is the default of the deployment. A `warm_concurrency` that the file
 * does not have stays as it is, and the plan says so.
 */
const runtimeOf = (runtime: JsonObject = {}): JsonObject => ({ image: null, dependencies: {}, ...runtime });

/**
 * The whole request that creates or replaces an entry, without its external id. Nothing relies on
 * a member that stays as it is because the request lacks it.
 */
export function bodyOf(
  address: Address,
  desired: Desired,
  { idOf, values }: { readonly idOf: IdOf; readonly values: Values },
): JsonObject {
  const { kind, name } = partsOfAddress(address);
  const missing = () => new Error(`the file has no ${address}`);
  if (kind === 'applications') {
    const entry = desired.applications.get(name);
    if (entry === undefined) throw missing();
    return wantedApplication(entry, resolver(idOf));
  }
  if (kind === 'proxies') {
    const entry = desired.proxies.get(name);
    if (entry === undefined) throw missing();
    return { ...wantedProxy(entry, resolver(idOf)), ...configurationOf(address, values, true) };
  }
  const entry = desired.reactors.get(name);
  if (entry === undefined) throw missing();
  return {
    ...wantedReactor(entry, resolver(idOf)),
    ...configurationOf(address, values, false),
    runtime: runtimeOf(entry.runtime as JsonObject | undefined),
  };
}

/** The same for a replacement, in which some members of an application cannot be. */
export function replacementOf(address: Address, body: JsonObject): JsonObject {
  if (partsOfAddress(address).kind !== 'applications') return body;
  const { type: _type, expires_at: _end, ...rest } = body;
  return rest;
}

/** Lists the references of an entry to others. */
export function referencesOf(
  address: Address,
  desired: Desired,
): readonly { readonly kind: Kind; readonly reference: Reference }[] {
  const found: { readonly kind: Kind; readonly reference: Reference }[] = [];
  const idOf: IdOf = (kind, reference) => {
    found.push({ kind, reference });
    return reference;
  };
  bodyOf(address, desired, { idOf, values: new Map() });
  return found;
}
