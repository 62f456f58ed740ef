import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import type { DesiredApplication, DesiredProxy, DesiredReactor, Kind, Reference } from '../model.ts';
import { listOf, objectsIn } from './bodies.ts';
import { type Report } from './normal.ts';
import type { Names } from './identify.ts';

/*
 * The requests that entries of the file ask for, with ids in place of references.
 */

/** Finds ids, and reports references that mean nothing. */
export interface Resolver {
  readonly names: Names;
  readonly exists: (kind: Kind, id: string) => boolean;
  readonly report: Report;
}

/** Takes the place of an id that a problem was reported about. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

function idOf({ names, report }: Resolver, kind: Kind, reference: Reference, path: string): string {
  const id = names.idOf(kind, reference);
  if (id === undefined) report(`${path} names ${reference}, which is none of the ${kind}`);
  return id ?? NO_ID;
}

/** The same for a place where the service wants a resource that exists. */
function existingId(resolver: Resolver, kind: Kind, reference: Reference, path: string): string {
  const id = idOf(resolver, kind, reference, path);
  if (isUuid(reference) && !resolver.exists(kind, reference))
    resolver.report(`${path} names ${reference}, which is none of the ${kind}`);
  return id;
}

const present = (members: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value as Json]])),
  );

function wantedRule(rule: JsonObject, at: number, resolver: Resolver): JsonObject {
  const { through } = rule;
  if (through === undefined || !isJsonObject(through)) return rule;
  const idsOf = (kind: 'proxies' | 'reactors') => {
    const list = through[kind];
    return Array.isArray(list)
      ? listOf(list).map((each) =>
          typeof each === 'string'
            ? idOf(resolver, kind, each, `rules[${String(at)}].through.${kind}`)
            : each,
        )
      : list;
  };
  return {
    ...rule,
    through: present({ ...through, proxies: idsOf('proxies'), reactors: idsOf('reactors') }),
  };
}

export const wantedApplication = (entry: DesiredApplication, resolver: Resolver): JsonObject =>
  present({
    name: entry.name,
    type: entry.type,
    permissions: entry.permissions,
    rules: entry.rules.map((rule, at) => wantedRule(rule, at, resolver)),
    expires_at: entry.expires_at,
  });

function wantedTransform(transform: JsonObject, path: string, resolver: Resolver): JsonObject {
  const { reactor, ...members } = transform;
  if (members['reactor_id'] !== undefined) resolver.report(`${path}.reactor_id is not known: use reactor`);
  return typeof reactor === 'string'
    ? { ...members, reactor_id: existingId(resolver, 'reactors', reactor, `${path}.reactor`) }
    : transform;
}

/** The application whose rights a proxy or a reactor uses. */
const actsAs = (application: Reference | undefined, resolver: Resolver): Json | undefined =>
  application === undefined
    ? undefined
    : { id: existingId(resolver, 'applications', application, 'application') };

export function wantedProxy(entry: DesiredProxy, resolver: Resolver): JsonObject {
  const transforms = (side: 'request_transforms' | 'response_transforms') =>
    objectsIn((entry[side] ?? []) as readonly Json[]).map((each, at) =>
      wantedTransform(each, `${side}[${String(at)}]`, resolver),
    );
  return present({
    name: entry.name,
    destination_url: entry.destination_url,
    methods: entry.methods,
    paths: entry.paths,
    request_transforms: transforms('request_transforms'),
    response_transforms: transforms('response_transforms'),
    pass_headers: entry.pass_headers,
    require_auth: entry.require_auth,
    application: actsAs(entry.application, resolver),
    source_addresses: entry.source_addresses,
    client_certificate: entry.client_certificate,
    timeout: entry.timeout,
  });
}

export const wantedReactor = (entry: DesiredReactor, resolver: Resolver): JsonObject =>
  present({
    name: entry.name,
    code: entry.code,
    configuration: Object.fromEntries([...entry.configuration.keys()].map((name) => [name, ''])),
    application: actsAs(entry.application, resolver),
    runtime: entry.runtime === undefined ? undefined : present({ ...entry.runtime }),
  });
