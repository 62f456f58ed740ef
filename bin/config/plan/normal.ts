import type * as z from 'zod/mini';
import type { Grants } from '../../../src/core/access/access-rule.ts';
import { validateGrants } from '../../../src/core/access/validate-grants.ts';
import { FieldReporter } from '../../../src/core/shared/field-reporter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { memberPath } from '../../../src/core/shared/member-path.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import type { NewApplication } from '../../../src/core/applications/create-application.ts';
import type { Proxy, ProxyDefinition } from '../../../src/core/stored-proxies/stored-proxy.ts';
import { reportUnknownMembers } from '../../../src/http/report-unknown-members.ts';
import { createKeyBody, presentKey } from '../../../src/wire/application-key.ts';
import { createApplicationBody, presentApplication } from '../../../src/wire/application.ts';
import { createProxyBody, newProxyOf, presentProxy } from '../../../src/wire/proxy.ts';
import { createReactorBody } from '../../../src/wire/reactor.ts';
import { listOf, objectsIn, picked, textIn } from './bodies.ts';
import { canonical } from './compare.ts';

/*
 * The normal form of what a file wants and of what the service has: both go through the parsers
 * and presenters of the service, so that a spelling is no difference if it is none there.
 */

/** Gets one problem in words. They have no value. */
export type Report = (words: string) => void;

/** The result of a parser of the service; `undefined` if it reported problems. */
function parsed<Schema extends z.ZodMiniType>(
  schema: Schema,
  body: JsonObject,
  report: Report,
): z.output<Schema> | undefined {
  const fields = new FieldReporter();
  reportUnknownMembers(schema, body, '', fields);
  const result = schema.safeParse(body);
  for (const { path, message } of result.error?.issues ?? [])
    fields.report(path.reduce<string>(memberPath, ''), message);
  reportAll(fields, report);
  return fields.failed ? undefined : result.data;
}

function reportAll(fields: FieldReporter, report: Report): void {
  for (const [path, messages] of Object.entries(fields.error().errors ?? {}))
    for (const message of messages) report(`${path} ${message}`);
}

const sorted = (list: Json): readonly Json[] =>
  listOf(list).toSorted((one, other) => (canonical(one) < canonical(other) ? -1 : 1));

/** Replaces a member that is there. */
const withMember = (body: JsonObject, name: string, change: (value: Json) => Json): JsonObject =>
  body[name] === undefined ? body : { ...body, [name]: change(body[name]) };

const sortedIn = (body: JsonObject, names: readonly string[]): JsonObject =>
  names.reduce((changed, name) => withMember(changed, name, sorted), body);

const ID = '00000000-0000-4000-8000-000000000000';

/** An application in its normal form, with its grants as they are decided. */
export interface NormalApplication {
  readonly body: JsonObject;
  readonly grants: Grants;
}

export const APPLICATION_MEMBERS = ['name', 'type', 'permissions', 'rules', 'expires_at'] as const;

function presentedApplication(application: NewApplication): JsonObject {
  const presented = presentApplication({
    ...application,
    id: ID,
    tenantId: ID,
    createdAt: 0,
    revision: 0,
    keys: [],
    version: 0,
  });
  const rules = objectsIn(presented.rules).toSorted(
    (one, other) => Number(one['priority']) - Number(other['priority']),
  );
  return {
    ...picked(sortedIn(presented, ['permissions']), APPLICATION_MEMBERS),
    rules: rules.map((rule) =>
      withMember(sortedIn(rule, ['permissions']), 'through', (through) =>
        isJsonObject(through) ? sortedIn(through, ['proxies', 'reactors', 'callbacks']) : through,
      ),
    ),
  };
}

/** Every address is admitted here. The deployment decides when the plan is applied. */
const originsIn = ({ rules }: Grants): readonly string[] =>
  rules.flatMap(({ through }) =>
    (through?.callbacks ?? []).flatMap((address) => (URL.canParse(address) ? [new URL(address).origin] : [])),
  );

/** `body` has the members of a request that creates an application. */
export function normalApplication(body: JsonObject, report: Report): NormalApplication | undefined {
  const application = parsed(createApplicationBody, body, report);
  if (application === undefined) return undefined;
  const grants = { permissions: application.permissions, rules: application.rules };
  const errors = Object.entries(validateGrants(application.type, grants, originsIn(grants)));
  for (const [path, messages] of errors) for (const message of messages) report(`${path} ${message}`);
  return errors.length > 0 ? undefined : { body: presentedApplication(application), grants };
}

/** The service refuses to create an application whose end has passed. */
export function checkNewEnd({ body }: NormalApplication, readAt: string, report: Report): void {
  const end = textIn(body, 'expires_at');
  if (end !== undefined && Date.parse(end) <= Date.parse(readAt)) report('expires_at has passed');
}

export const PROXY_MEMBERS = [
  'name',
  'destination_url',
  'methods',
  'paths',
  'request_transforms',
  'response_transforms',
  'pass_headers',
  'require_auth',
  'application',
  'source_addresses',
  'client_certificate',
  'timeout',
] as const;

/** Values that mean the same as an absent member, by type of transform. */
const TRANSFORM_DEFAULTS: Readonly<Record<string, JsonObject>> = {
  append_header: { statuses: 'any' },
  append_json: { statuses: '2xx' },
  remove_header: { statuses: 'any' },
  allow_headers: { statuses: 'any' },
  tokenize: { statuses: '2xx', optional: false },
  mask: { statuses: 'any', required: false },
  reactor: { statuses: 'any', as: 'json' },
  verify_signature: { key_encoding: 'utf8', signed: '{body}', delivery: 'body' },
};

function normalTransform(transform: JsonObject): JsonObject {
  const defaults = TRANSFORM_DEFAULTS[textIn(transform, 'type') ?? ''] ?? {};
  const members = Object.entries(transform).filter(([name, value]) => defaults[name] !== value);
  const stated: JsonObject = Object.fromEntries(members);
  return withMember(sortedIn(stated, ['names']), 'timestamp', (timestamp) =>
    isJsonObject(timestamp) ? { tolerance_seconds: 300, ...timestamp } : timestamp,
  );
}

const TRANSFORMS_MEMBERS = ['request_transforms', 'response_transforms'] as const;

/** `body` has the members of a request that creates a proxy, without its configuration. */
export function normalProxy(body: JsonObject, report: Report): JsonObject | undefined {
  const input = parsed(createProxyBody, body, report);
  if (input === undefined) return undefined;
  try {
    const { draft } = newProxyOf(input, { clientCompatibility: 'strict' });
    if (!draft.requireAuth && draft.applicationId === undefined) {
      report('application is required where `require_auth` is false');
      return undefined;
    }
    const stored = {
      id: ID,
      tenantId: ID,
      definitionVersion: 1,
      configurationNames: [],
      createdBy: ID,
      createdAt: 0,
    };
    // Only these members are read, and a draft differs by a `code_hash` that may be absent.
    const presented = presentProxy({
      stored: stored as unknown as Proxy['stored'],
      definition: draft as ProxyDefinition,
    }) as unknown as JsonObject;
    const members = picked(
      sortedIn(presented, ['methods', 'paths', 'pass_headers', 'source_addresses']),
      PROXY_MEMBERS,
    );
    const { pass_headers: passHeaders, ...others } = TRANSFORMS_MEMBERS.reduce(
      (changed, side) => withMember(changed, side, (list) => objectsIn(list).map(normalTransform)),
      members,
    );
    // An empty list passes as much as none.
    return Array.isArray(passHeaders) && passHeaders.length > 0
      ? { ...others, pass_headers: passHeaders }
      : others;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    for (const [path, messages] of Object.entries(error.errors ?? {}))
      for (const message of messages) report(`${path} ${message}`);
    return undefined;
  }
}

/** Checks a reactor of a file. Its normal form has a digest of the code alone. */
export const checkReactor = (body: JsonObject, report: Report): boolean =>
  parsed(createReactorBody, body, report) !== undefined;

/** Checks the names of a proxy's configuration, whose values are read when it is applied. */
export const checkProxyConfiguration = (names: readonly string[], report: Report): void => {
  const configuration = Object.fromEntries(names.map((name) => [name, 'x'.repeat(16)]));
  parsed(createProxyBody, { name: 'x', destination_url: 'x', configuration }, report);
};

/** `body` has the members of a request that creates a key. */
export function normalKey(body: JsonObject, report: Report): JsonObject | undefined {
  const choice = parsed(createKeyBody, body, report);
  if (choice === undefined) return undefined;
  const key = { ...choice, id: ID, hash: Buffer.alloc(0), hint: '', createdAt: 0, revision: 0 };
  const presented = presentKey(key) as unknown as JsonObject;
  return picked(sortedIn(presented, ['source_addresses']), ['name', 'expires_at', 'source_addresses']);
}
