import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { jsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { addressOf } from '../file/names.ts';
import { KINDS, type Address, type Kind } from '../model.ts';
import { listOf, objectIn, objectsIn, picked, textIn, textsIn } from '../plan/bodies.ts';

/** A resource as the service shows it, with its keys, and its code if that may be read. */
export interface ExportedResource {
  readonly body: JsonObject;
  readonly keys: readonly JsonObject[];
  readonly code?: string;
}

/** Everything that an export writes down. */
export type ExportedTenant = Readonly<Record<Kind, readonly ExportedResource[]>> & {
  readonly tenant: JsonObject;
  /** The time of the reading, for keys that are over. */
  readonly now: number;
};

/** The content of the files. No value and no key is in it. */
export interface ExportedFiles {
  readonly content: JsonObject;
  /** Sentences about an entry, which become comments above it. */
  readonly comments: ReadonlyMap<Address, readonly string[]>;
  /** Code by its path below the folder. */
  readonly code: ReadonlyMap<string, string>;
}

const NAME_MAX_LENGTH = 50;

/** A name of the form that addresses have, from a name of any form. */
function slugOf(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' || isUuid(slug) ? fallback : slug;
}

const SINGULAR = { applications: 'application', proxies: 'proxy', reactors: 'reactor' } as const;

interface Named extends ExportedResource {
  readonly id: string;
  readonly name: string;
}

/** Gives each resource a name that no other one of its kind has. */
function named(resources: readonly ExportedResource[], kind: Kind): readonly Named[] {
  const taken = new Set<string>();
  return resources.map((resource) => {
    const slug = slugOf(textIn(resource.body, 'name') ?? '', SINGULAR[kind]);
    let name = slug;
    for (let count = 2; taken.has(name); count += 1) name = `${slug}-${String(count)}`;
    taken.add(name);
    return { ...resource, name, id: textIn(resource.body, 'id') ?? '' };
  });
}

/** A reference by name to what the file has, and by id to anything else. */
type Refer = (kind: Kind, id: string) => string;

const filled = (body: JsonObject): JsonObject =>
  jsonObject(Object.entries(body).filter(([, value]) => !(Array.isArray(value) && value.length === 0)));

function keysOf({ keys }: Named, now: number): readonly JsonObject[] {
  const living = keys.filter((key) => Date.parse(textIn(key, 'expires_at') ?? '9999-12-31') > now);
  return living.map((key) => picked(key, ['id', 'name']));
}

function ruleOf(rule: JsonObject, refer: Refer): JsonObject {
  if (rule['through'] === undefined) return rule;
  const through = objectIn(rule, 'through');
  const ids = (kind: 'proxies' | 'reactors') => textsIn(through[kind]).map((id) => refer(kind, id));
  return {
    ...rule,
    through: filled({
      proxies: ids('proxies'),
      reactors: ids('reactors'),
      callbacks: listOf(through['callbacks']),
    }),
  };
}

const applicationOf = (resource: Named, refer: Refer, now: number): JsonObject =>
  filled({
    adopt: resource.id,
    ...picked(resource.body, ['name', 'type', 'permissions', 'expires_at']),
    rules: objectsIn(resource.body['rules']).map((rule) => ruleOf(rule, refer)),
    keys: keysOf(resource, now),
  });

/** The name of a variable for a value that no response has. */
const variableOf = (kind: Kind, name: string, member: string): string =>
  `${SINGULAR[kind]}_${name}_${member}`.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_');

function valuesOf({ body, name }: Named, kind: Kind): JsonObject {
  const names = textsIn(body['configuration_names']);
  return jsonObject(names.map((member) => [member, { from: `env:${variableOf(kind, name, member)}` }]));
}

function actorOf(body: JsonObject, refer: Refer): JsonObject {
  const id = textIn(objectIn(body, 'application'), 'id');
  return id === undefined ? {} : { application: refer('applications', id) };
}

/** A pinned code is that of now in a new request, which the plan compares. */
function transformOf(transform: JsonObject, refer: Refer): JsonObject {
  const { reactor_id: id, code_hash: _hash, ...rest } = transform;
  return typeof id === 'string' ? { ...rest, reactor: refer('reactors', id) } : transform;
}

function proxyOf(resource: Named, refer: Refer, now: number): JsonObject {
  const { body, id } = resource;
  const transforms = (side: string) => objectsIn(body[side]).map((each) => transformOf(each, refer));
  return filled({
    adopt: id,
    ...picked(body, ['name', 'destination_url', 'methods', 'paths']),
    configuration: valuesOf(resource, 'proxies'),
    request_transforms: transforms('request_transforms'),
    response_transforms: transforms('response_transforms'),
    ...picked(body, ['require_auth', 'source_addresses', 'client_certificate', 'timeout']),
    ...actorOf(body, refer),
    keys: keysOf(resource, now),
  });
}

const codePath = (name: string): string => `reactors/${name}.js`;

function reactorOf(resource: Named, refer: Refer): JsonObject {
  const { body, id, name } = resource;
  const runtime = objectIn(body, 'runtime');
  const hasPackages = Object.keys(objectIn(runtime, 'dependencies')).length > 0;
  return {
    adopt: id,
    ...picked(body, ['name']),
    code: codePath(name),
    configuration: valuesOf(resource, 'reactors'),
    ...actorOf(body, refer),
    runtime: {
      ...picked(runtime, ['image', 'warm_concurrency']),
      ...(hasPackages && { packages: `reactors/${name}.packages.json` }),
    },
  };
}

function commentsOf({ body, code }: Named): readonly string[] {
  const hasPackages = Object.keys(objectIn(objectIn(body, 'runtime'), 'dependencies')).length > 0;
  return [
    ...(code === undefined ? ['The key may not read code: put it into the file that `code` names.'] : []),
    ...(hasPackages
      ? ['The service returns no packages: `cloakroom reactor bundle --out` writes the file of `packages`.']
      : []),
  ];
}

/** A resource with an external id belongs to another file, or to another tool. */
const isFree = ({ body }: ExportedResource): boolean => textIn(body, 'external_id') === undefined;

/** Writes down a tenant that was made by hand. The plan of the file only adopts everything. */
export function exportTenant(exported: ExportedTenant): ExportedFiles {
  const { tenant, now } = exported;
  const all = {
    applications: named(exported.applications.filter(isFree), 'applications'),
    proxies: named(exported.proxies.filter(isFree), 'proxies'),
    reactors: named(exported.reactors.filter(isFree), 'reactors'),
  };
  const names = new Map(
    KINDS.flatMap((kind) => all[kind].map(({ id, name }) => [`${kind} ${id}`, name] as const)),
  );
  const refer: Refer = (kind, id) => names.get(`${kind} ${id}`) ?? id;
  const entryOf = (kind: Kind, resource: Named): Json => {
    if (kind === 'applications') return applicationOf(resource, refer, now);
    // An empty `pass_headers` is another one than none.
    if (kind === 'proxies')
      return { ...proxyOf(resource, refer, now), ...picked(resource.body, ['pass_headers']) };
    return reactorOf(resource, refer);
  };
  const entries = KINDS.filter((kind) => all[kind].length > 0).map(
    (kind) => [kind, jsonObject(all[kind].map((each) => [each.name, entryOf(kind, each)] as const))] as const,
  );
  return {
    content: {
      namespace: slugOf(textIn(tenant, 'name') ?? '', 'tenant'),
      tenant: picked(tenant, ['name', 'settings']),
      ...jsonObject(entries),
    },
    comments: new Map(all.reactors.map((each) => [addressOf('reactors', each.name), commentsOf(each)])),
    code: new Map(
      all.reactors.flatMap(({ name, code }) => (code === undefined ? [] : [[codePath(name), code]])),
    ),
  };
}
