import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { KINDS, type Desired, type Live, type LiveResource } from '../model.ts';
import { objectsIn } from './bodies.ts';
import type { Identified, Names, Removed } from './identify.ts';

interface Noting {
  readonly desired: Desired;
  readonly live: Live;
  readonly names: Names;
}

/** Most resources that one note names. */
const NAMED = 10;

const listed = (names: readonly string[]): string =>
  names.length <= NAMED
    ? names.join(', ')
    : `${names.slice(0, NAMED).join(', ')} and ${String(names.length - NAMED)} more`;

const idIn = (value: Json | undefined): Json | undefined =>
  value !== undefined && isJsonObject(value) ? value['id'] : undefined;

const transformsOf = ({ body }: LiveResource): readonly JsonObject[] =>
  ['request_transforms', 'response_transforms'].flatMap((side) => objectsIn(body[side]));

/** Whether a body names a resource, as the application that it acts as, or as a destination. */
function isNamedBy(resource: LiveResource, id: string): boolean {
  if (idIn(resource.body['application']) === id) return true;
  if (transformsOf(resource).some((transform) => transform['reactor_id'] === id)) return true;
  return objectsIn(resource.body['rules']).some(({ through }) =>
    through === undefined || !isJsonObject(through)
      ? false
      : [through['proxies'], through['reactors']].some((list) => Array.isArray(list) && list.includes(id)),
  );
}

const entriesOf = ({ desired, names }: Noting) =>
  new Set(KINDS.flatMap((kind) => [...desired[kind].keys()].map((name) => names.idOf(kind, name))));

/** Names what no entry writes, and what names a resource that is deleted. */
export function notesOfRemoved(noting: Noting, id: string): readonly string[] {
  const own = entriesOf(noting);
  const others = KINDS.flatMap((kind) => noting.live[kind]).filter(
    (resource) => !own.has(resource.id) && isNamedBy(resource, id),
  );
  return others.length === 0
    ? []
    : [`is still named by ${listed(others.map((each) => noting.names.nameOf(each.id)))}`];
}

/** Names the proxies outside of the file that run code which the plan changes. */
export function notesOfStopped(noting: Noting, reactorId: string): readonly string[] {
  const own = entriesOf(noting);
  const stopped = noting.live.proxies.filter(
    (proxy) =>
      !own.has(proxy.id) && transformsOf(proxy).some((transform) => transform['reactor_id'] === reactorId),
  );
  return stopped.length === 0
    ? []
    : [
        `stops proxies that run the code of before, until they are written again: ${listed(stopped.map((each) => noting.names.nameOf(each.id)))}`,
      ];
}

const ONE = { applications: 'application', proxies: 'proxy', reactors: 'reactor' } as const;

/** Names what the file does not manage: nothing is deleted by omission. */
export function notesOfTenant(
  { desired: { namespace }, live, names }: Noting,
  { entries, removed }: { readonly entries: readonly Identified[]; readonly removed: readonly Removed[] },
): readonly string[] {
  const managed = new Set([...entries, ...removed].map((each) => each.live?.id));
  const isOwn = ({ external_id: externalId }: LiveResource) =>
    externalId?.startsWith(`${namespace}/`) === true;
  const left = KINDS.flatMap((kind) => live[kind]).filter(({ id }) => !managed.has(id));
  const forgotten = left.filter(isOwn).map(({ id }) => names.nameOf(id));
  const unmanaged = KINDS.flatMap((kind) => {
    const of = live[kind].filter(
      ({ id, external_id: externalId }) => !managed.has(id) && externalId === undefined,
    );
    return of.length === 0
      ? []
      : [
          `${of.length === 1 ? `1 ${ONE[kind]} is` : `${String(of.length)} ${kind} are`} in no file: ${listed(of.map(({ id }) => names.nameOf(id)))}`,
        ];
  });
  return [
    ...(forgotten.length > 0
      ? [`the file no longer has ${listed(forgotten)}, which stay until removed has them`]
      : []),
    ...unmanaged,
  ];
}
