import { createHash } from 'node:crypto';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { textIn } from './bodies.ts';
import { isOwner } from '../file/names.ts';
import { SOME_ID } from '../file/references.ts';
import {
  KINDS,
  UNFINISHED,
  type Address,
  type Desired,
  type Kind,
  type Live,
  type LiveResource,
} from '../model.ts';

/** Reports what stops the plan. Without an address it is about the whole file. */
export type Refuse = (address: string | undefined, words: string) => void;

/** How an entry of the file meets a resource of the service. */
export interface Identified {
  readonly kind: Kind;
  readonly name: string;
  readonly address: Address;
  /** Absent for an entry that is to be created. */
  readonly live?: LiveResource;
  readonly how: 'create' | 'keep' | 'adopt' | 'rename';
  /** A `rename` has the former address. */
  readonly from?: Address;
}

/** An address of `removed` that the service has. */
export interface Removed {
  readonly kind: Kind;
  readonly address: Address;
  readonly live: LiveResource;
}

const isKind = (text: string): text is Kind => KINDS.some((kind) => kind === text);

/** Kind and name of an address; `undefined` for another text. */
export function splitAddress(text: string): { readonly kind: Kind; readonly name: string } | undefined {
  const [kind = '', name = '', ...others] = text.split('/');
  return isKind(kind) && name !== '' && others.length === 0 ? { kind, name } : undefined;
}

export const addressOf = (kind: Kind, name: string): Address => `${kind}/${name}`;

/** The addresses that an entry had before, by `moved`. */
function formerAddresses(moved: Desired['moved'], address: Address): readonly Address[] {
  const found = new Set<Address>();
  const look = (at: Address) => {
    for (const [from, to] of moved)
      if (to === at && from !== address && !found.has(from)) {
        found.add(from);
        look(from);
      }
  };
  look(address);
  return [...found];
}

/** Finds resources of the tenant by the names of the file. */
export interface LiveIndex {
  readonly byName: (kind: Kind, name: string) => LiveResource | undefined;
  readonly byId: (kind: Kind, id: string) => LiveResource | undefined;
  /** `NAMESPACE/NAME`, also of another file. */
  readonly byExternalId: (kind: Kind, externalId: string) => LiveResource | undefined;
}

export function indexOf({ namespace }: Desired, live: Live): LiveIndex {
  const mapOf = (key: (resource: LiveResource) => string | undefined) =>
    new Map(
      KINDS.map((kind) => [
        kind,
        new Map(live[kind].flatMap((resource) => [[key(resource), resource] as const])),
      ]),
    );
  const externalIds = mapOf((resource) => resource.external_id);
  const ids = mapOf((resource) => resource.id);
  const byExternalId = (kind: Kind, externalId: string) => externalIds.get(kind)?.get(externalId);
  return {
    byName: (kind, name) => byExternalId(kind, `${namespace}/${name}`),
    byId: (kind, id) => ids.get(kind)?.get(id),
    byExternalId,
  };
}

type Found = Pick<Identified, 'live' | 'how' | 'from'>;

/** The resource that `adopt` names. */
function adopted(
  index: LiveIndex,
  { kind, address }: Pick<Identified, 'kind' | 'address'>,
  id: string,
  refuse: Refuse,
): Found {
  const live = index.byId(kind, id);
  if (live === undefined) refuse(address, `adopt names ${id}, which does not exist`);
  else if (live.external_id !== undefined)
    refuse(address, `adopt names ${id}, which is ${live.external_id} already: use moved, or remove adopt`);
  return live === undefined ? { how: 'create' } : { how: 'adopt', live };
}

function findOne(
  desired: Desired,
  index: LiveIndex,
  { kind, name, address }: Pick<Identified, 'kind' | 'name' | 'address'>,
  refuse: Refuse,
): Found {
  const adopt = desired[kind].get(name)?.adopt;
  const current = index.byName(kind, name);
  const former = formerAddresses(desired.moved, address).flatMap((from) => {
    const parts = splitAddress(from);
    const live = parts?.kind === kind ? index.byName(kind, parts.name) : undefined;
    return live === undefined ? [] : [{ from, live }];
  });
  const all = [...(current === undefined ? [] : [address]), ...former.map(({ from }) => from)];
  if (all.length > 1) refuse(address, `moved leads from several that exist: ${all.join(', ')}`);
  if (current !== undefined) {
    if (adopt !== undefined && adopt !== current.id)
      refuse(address, `adopt names ${adopt}, but ${current.id} has this name already`);
    return { how: 'keep', live: current };
  }
  const [moved] = former;
  if (moved !== undefined) {
    if (adopt !== undefined && adopt !== moved.live.id)
      refuse(address, `adopt names ${adopt}, but moved names ${moved.live.id}`);
    return { how: 'rename', ...moved };
  }
  return adopt === undefined ? { how: 'create' } : adopted(index, { kind, address }, adopt, refuse);
}

/** Refuses what `moved` and `removed` must not say of each other and of the entries. */
function checkAddresses(desired: Desired, refuse: Refuse): void {
  const isEntry = (address: string) => {
    const parts = splitAddress(address);
    return parts !== undefined && desired[parts.kind].has(parts.name);
  };
  for (const [from, to] of desired.moved) {
    const old = splitAddress(from);
    const next = splitAddress(to);
    if (old === undefined || next === undefined || old.kind !== next.kind)
      refuse(from, `moved leads to ${to}, which is no address of the same kind`);
    else if (isEntry(from)) refuse(from, 'is in the file, and moved away');
    else if (!isEntry(to) && !desired.moved.has(to))
      refuse(from, `moved leads to ${to}, which is not in the file`);
  }
  for (const address of desired.removed) {
    if (address.startsWith('keys/')) continue;
    if (splitAddress(address) === undefined) refuse(address, 'removed has something that is no address');
    else if (isEntry(address)) refuse(address, 'is in the file, and removed');
  }
}

function checkOnce(all: readonly Identified[], refuse: Refuse): void {
  const seen = new Map<string, Address>();
  for (const { address, live } of all) {
    const other = live && seen.get(live.id);
    if (other !== undefined) refuse(address, `is the same resource as ${other}`);
    if (live !== undefined) seen.set(live.id, address);
  }
}

/** Finds for each entry and each removed address what the service has. */
export function identify(
  desired: Desired,
  index: LiveIndex,
  refuse: Refuse,
): { readonly entries: readonly Identified[]; readonly removed: readonly Removed[] } {
  checkAddresses(desired, refuse);
  const entries = KINDS.flatMap((kind) =>
    [...desired[kind].keys()].toSorted().map((name): Identified => {
      const place = { kind, name, address: addressOf(kind, name) };
      return { ...place, ...findOne(desired, index, place, refuse) };
    }),
  );
  checkOnce(entries, refuse);
  const removed = [...new Set(desired.removed)].toSorted().flatMap((address): readonly Removed[] => {
    const parts = splitAddress(address);
    const live = parts && index.byName(parts.kind, parts.name);
    return parts === undefined || live === undefined
      ? []
      : [{ kind: parts.kind, address: addressOf(parts.kind, parts.name), live }];
  });
  return { entries, removed };
}

/** Finds what a stopped apply left. The first key of such a resource is in no target. */
export const leftIn = ({ namespace }: Desired, live: Live): readonly Removed[] =>
  KINDS.filter(isOwner).flatMap((kind) =>
    live[kind].flatMap((resource) => {
      const { external_id: externalId = '' } = resource;
      const isLeft = externalId.startsWith(`${namespace}/`) && externalId.endsWith(UNFINISHED);
      const address = addressOf(kind, externalId.slice(namespace.length + 1));
      return isLeft ? [{ kind, address, live: resource }] : [];
    }),
  );

/** Takes the place of the id of a resource that does not exist yet. */
function futureId(address: Address): string {
  const hex = createHash('sha256').update(`a future ${address}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** Leads from names to ids and back. */
export interface Names {
  /** The id that a reference means; `undefined` if it means nothing. */
  readonly idOf: (kind: Kind, reference: string) => string | undefined;
  /** The id of an entry. One that is to be created has a made-up id in the plan. */
  readonly idOfEntry: (entry: Identified) => string;
  /** An id in words: an address, the name of another file, or a name in quotes. */
  readonly nameOf: (id: string) => string;
}

export function namesOf(
  desired: Desired,
  live: Live,
  index: LiveIndex,
  { entries, removed }: ReturnType<typeof identify>,
): Names {
  const idOfEntry = (entry: Identified) => entry.live?.id ?? futureId(entry.address);
  const ids = new Map(entries.map((entry) => [entry.address, idOfEntry(entry)]));
  const gone = new Set(removed.map(({ live: { id } }) => id));
  const words = new Map<string, string>();
  for (const kind of KINDS)
    for (const { id, external_id: externalId, body } of live[kind]) {
      const own = externalId?.startsWith(`${desired.namespace}/`) === true;
      // A name of another file could read as an address of this one, so it is in quotes.
      const foreign = externalId === undefined ? undefined : JSON.stringify(externalId);
      const name = own ? addressOf(kind, externalId.slice(desired.namespace.length + 1)) : foreign;
      words.set(id, name ?? `${JSON.stringify(textIn(body, 'name') ?? '')} (${id})`);
    }
  for (const entry of entries) words.set(idOfEntry(entry), entry.address);
  words.set(SOME_ID, 'nothing');
  const existing = (resource: LiveResource | undefined): string | undefined =>
    resource === undefined || gone.has(resource.id) ? undefined : resource.id;
  return {
    idOfEntry,
    idOf: (kind, reference) => {
      if (isUuid(reference)) return reference;
      return reference.includes('/')
        ? (ids.get(ownAddress(desired.namespace, kind, reference)) ??
            existing(index.byExternalId(kind, reference)))
        : (ids.get(addressOf(kind, reference)) ?? existing(index.byName(kind, reference)));
    },
    nameOf: (id) => words.get(id) ?? id,
  };
}

/** A reference with the namespace of this file means the entry of this file. */
function ownAddress(namespace: string, kind: Kind, reference: string): Address {
  const own = `${namespace}/`;
  return addressOf(kind, reference.startsWith(own) ? reference.slice(own.length) : reference);
}
