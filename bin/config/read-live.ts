import type { JsonObject } from '../../src/core/shared/json.ts';
import { addressOf, isOwner } from './file/names.ts';
import type { KeyTargets } from './keys/key-targets.ts';
import {
  KINDS,
  type Desired,
  type Kind,
  type Live,
  type LiveKey,
  type LiveResource,
  type TargetState,
} from './model.ts';
import { CallFailed, type ConfigService, type Owner } from './service.ts';

const textIn = (body: JsonObject, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' ? value : undefined;
};

/** The ids of resources that entries take over. */
const adoptedIn = (desired: Desired, kind: Kind): readonly (string | undefined)[] =>
  [...desired[kind].values()].map(({ adopt }) => adopt);

const managesApplications = ({ permissions }: JsonObject): boolean =>
  Array.isArray(permissions) && permissions.includes('application:update');

/** Explains why a resource of a list is gone. */
async function found<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CallFailed && error.status === 404)
      throw new CallFailed(404, error.code, 'the tenant was changed while it was read: run it again');
    throw error;
  }
}

/** Keys with their tags, which a list does not have. */
async function keysOf(service: ConfigService, owner: Owner, id: string): Promise<readonly LiveKey[]> {
  const keys: LiveKey[] = [];
  for (const body of await service.keys(owner, id))
    keys.push(await found(service.retrieveKey(owner, id, textIn(body, 'id') ?? '')));
  return keys;
}

/** Only what the file writes is read with its tag; a list has no tags. */
async function readResource(
  service: ConfigService,
  kind: Kind,
  listed: JsonObject,
  isManaged: boolean,
): Promise<LiveResource> {
  const id = textIn(listed, 'id') ?? '';
  const { etag, body } = isManaged ? await found(service.retrieve(kind, id)) : { etag: '', body: listed };
  const externalId = textIn(body, 'external_id');
  const resource = { id, etag, body, ...(externalId !== undefined && { external_id: externalId }) };
  if (!isOwner(kind)) return resource;
  if (isManaged) return { ...resource, keys: await keysOf(service, kind, id) };
  if (!managesApplications(body)) return resource;
  const keys = await service.keys(kind, id);
  return { ...resource, keys: keys.map((key) => ({ etag: '', body: key })) };
}

async function readKind(
  service: ConfigService,
  kind: Kind,
  desired: Desired,
): Promise<readonly LiveResource[]> {
  const adopted = adoptedIn(desired, kind);
  const all: LiveResource[] = [];
  for (const listed of await service.list(kind)) {
    const isOwn = textIn(listed, 'external_id')?.startsWith(`${desired.namespace}/`) === true;
    const isManaged = isOwn || adopted.includes(textIn(listed, 'id'));
    all.push(await readResource(service, kind, listed, isManaged));
  }
  return all;
}

async function targetsOf(desired: Desired, targets: KeyTargets): Promise<Live['keyTargets']> {
  const states = new Map<`${ReturnType<typeof addressOf>}/${string}`, TargetState>();
  for (const kind of KINDS.filter(isOwner))
    for (const [name, { keys }] of desired[kind])
      for (const { name: key = '', to } of keys)
        if (to !== undefined) states.set(`${addressOf(kind, name)}/${key}`, await targets.stateOf(to));
  return states;
}

/**
 * Reads everything that a plan compares, with rights to review alone. The tenant comes first: who
 * applies by its tag has seen nothing that another apply wrote later.
 */
export async function readLive(
  { service, targets, clock }: { service: ConfigService; targets: KeyTargets; clock: () => number },
  desired: Desired,
): Promise<Live> {
  const tenant = await service.tenant();
  const readAt = new Date(clock()).toISOString();
  return {
    read_at: readAt,
    tenant,
    self: { application_id: await service.self() },
    default_image: await service.defaultImage(),
    applications: await readKind(service, 'applications', desired),
    proxies: await readKind(service, 'proxies', desired),
    reactors: await readKind(service, 'reactors', desired),
    keyTargets: await targetsOf(desired, targets),
  };
}
