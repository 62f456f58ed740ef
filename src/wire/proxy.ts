import * as z from 'zod/mini';
import { NETWORKS_MAX } from '../core/access/source-networks.ts';
import type { NewProxy, ProxyChange } from '../core/proxies/change-proxy.ts';
import type { ProxyDraft } from '../core/proxies/check-proxy.ts';
import {
  MATCHERS,
  PROXY_METHODS,
  STORED_PROXY_LIMITS,
  TRANSFORM_TYPES,
  type ConfigurationValue,
  type Proxy,
  type ProxyDefinition,
  type ProxyVersion,
  type Transform,
} from '../core/proxies/stored-proxy.ts';
import { SIGNATURE_SCHEMES } from '../core/proxies/verify-signature.ts';
import { LOCATION_MAX_LENGTH } from '../core/proxies/json-location.ts';
import { DESTINATION_MAX_LENGTH } from '../core/egress/destination.ts';
import { checkUnchanged } from '../core/shared/check-unchanged.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined, type Undefinable } from '../core/shared/defined.ts';
import { FieldReporter } from '../core/shared/field-reporter.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/shared/json.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { memberPath } from '../core/shared/member-path.ts';
import { Secret } from '../core/shared/secret.ts';
import { invalid } from '../core/shared/service-error.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import { networks } from './application-key.ts';
import { nameWords } from './application.ts';
import { idsOf, idsParameter, PAGE_PARAMETERS, pageParameters, pageRequestOf, queryOf } from './page.ts';
import {
  anyJson,
  body,
  boolean,
  described,
  json,
  lengthTo,
  list,
  name,
  oneOf,
  optional,
  RECORD_MEMBERS,
  text,
  time,
  unchangeable,
  unchangedOf,
  undocumented,
  uuid,
  wellFormed,
  type Response,
} from './parts.ts';
import { PATTERN_MAX_LENGTH } from './reactor.ts';
import { counted, type Members } from './words.ts';

const LIMITS = STORED_PROXY_LIMITS;

const CONFIGURATION_NAME = /^[A-Za-z_]\w*$/;

/** A value with its mark, as an entry has them; a problem, in words, for any other entry. */
function entryOf(input: unknown): { readonly value: unknown; readonly isPublic: unknown } | string {
  if (!isJsonObject(input)) return { value: input, isPublic: false };
  if (Object.keys(input).some((member) => member !== 'value' && member !== 'public'))
    return 'must have no members other than `value` and `public`';
  return { value: input['value'], isPublic: input['public'] ?? false };
}

/** The value of an entry; a problem, in words that follow its name, for any other entry. */
function valueOf(input: unknown): ConfigurationValue | string {
  const entry = entryOf(input);
  if (typeof entry === 'string') return entry;
  const { value, isPublic } = entry;
  if (typeof value !== 'string') return 'must be a string, or an object with `value` and `public`';
  if (typeof isPublic !== 'boolean') return 'must have `public` as true or false';
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  if (value.length < 1 || value.length > LIMITS.configurationValue)
    return `must be 1 to ${String(LIMITS.configurationValue)} characters`;
  if (!isPublic && value.trim().length < LIMITS.secretMin)
    return `must have at least ${String(LIMITS.secretMin)} characters, or be marked: { "value": ..., "public": true }`;
  return { value, isPublic };
}

function nameProblem(entry: string): string | undefined {
  return entry.length <= LIMITS.configurationName && CONFIGURATION_NAME.test(entry)
    ? undefined
    : `must have a name of 1 to ${String(LIMITS.configurationName)} letters, digits and _, not starting with a digit`;
}

/** Describes an object of entries in JSON Schema. */
const configurationSchema = (canRemove: boolean) => ({
  type: 'object' as const,
  additionalProperties: {
    anyOf: [
      { type: 'string' as const },
      {
        type: 'object' as const,
        properties: {
          value: { type: 'string' as const },
          public: {
            type: 'boolean' as const,
            description: 'It may come back.',
          },
        },
        required: ['value'],
        additionalProperties: false,
      },
      ...(canRemove ? [{ type: 'null' as const }] : []),
    ],
  },
});

/** An object of configuration values; `null` removes one, where `canRemove`. */
function configurationMap(canRemove: boolean) {
  return z.custom<JsonObject>(isJsonObject, { error: 'must be an object' }).check(
    z.meta({ override: configurationSchema(canRemove) }),
    z.superRefine((input: unknown, context) => {
      const entries = Object.entries(isJsonObject(input) ? input : {});
      if (entries.length > LIMITS.configuration) {
        context.addIssue({
          code: 'custom',
          message: `must be at most ${String(LIMITS.configuration)} entries`,
        });
        return;
      }
      for (const [entry, value] of entries) {
        const checked = value === null && canRemove ? undefined : valueOf(value);
        const message = nameProblem(entry) ?? (typeof checked === 'string' ? checked : undefined);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [entry], message });
      }
    }),
  );
}

const configuration = /* @__PURE__ */ configurationMap(false);
const configurationPatch = /* @__PURE__ */ configurationMap(true);

/** The values of a configuration that was checked above. */
function valuesOf(input: JsonObject): Secret<Readonly<Record<string, ConfigurationValue | null>>> {
  const values = Object.entries(input).map(([entry, value]) => {
    const checked = value === null ? null : valueOf(value);
    return [entry, typeof checked === 'string' ? null : checked] as const;
  });
  return new Secret(Object.fromEntries(values));
}

const headerName = /* @__PURE__ */ text.check(/* @__PURE__ */ z.maxLength(LIMITS.headerName, 'is too long'));

const jsonMap = /* @__PURE__ */ z
  .custom<JsonObject>(isJsonObject, { error: 'must be an object' })
  .check(/* @__PURE__ */ z.meta({ override: { type: 'object', additionalProperties: {} } }));

/** The members that some type of transform has. */
const transformMembers = () => ({
  name: z.optional(headerName),
  value: z.optional(json),
  location: z.optional(text.check(...lengthTo(LOCATION_MAX_LENGTH))),
  names: z.optional(list(headerName, LIMITS.headers)),
  token: z.optional(jsonMap),
  matcher: z.optional(oneOf(MATCHERS)),
  expression: z.optional(text.check(...lengthTo(1_000))),
  replacement: z.optional(
    text.check(
      z.maxLength(LIMITS.replacement, `must be at most ${String(LIMITS.replacement)} characters`),
      wellFormed,
    ),
  ),
  reactor_id: z.optional(text),
  code_hash: z.optional(text),
  scheme: z.optional(oneOf(SIGNATURE_SCHEMES)),
  configuration: z.optional(text),
});

const transformBody = /* @__PURE__ */ z.lazy(() =>
  body({
    type: oneOf(TRANSFORM_TYPES),
    ...transformMembers(),
    // Other services have the members below this one (docs/lenient.md#http).
    options: undocumented(optional(body(transformMembers()))),
  }),
);

type TransformBody = z.output<typeof transformBody>;

/** The members of each type, of which those of `needs` are required. */
const SHAPES: Readonly<
  Record<
    Transform['type'],
    {
      readonly side: 'both' | 'request' | 'response';
      readonly needs: readonly string[];
      readonly may?: readonly string[];
    }
  >
> = {
  append_header: { side: 'both', needs: ['name', 'value'] },
  append_json: { side: 'both', needs: ['location', 'value'] },
  remove_header: { side: 'both', needs: ['name'] },
  allow_headers: { side: 'both', needs: ['names'] },
  tokenize: { side: 'both', needs: ['location', 'token'] },
  mask: { side: 'response', needs: ['replacement'], may: ['location', 'matcher', 'expression'] },
  reactor: { side: 'both', needs: ['reactor_id'], may: ['code_hash'] },
  verify_signature: { side: 'request', needs: ['scheme', 'configuration'] },
};

/** The members of a transform, whose names core spells in another way. */
const RENAMED: Readonly<Record<string, string>> = { reactor_id: 'reactorId', code_hash: 'codeHash' };

interface Reading {
  readonly side: 'request' | 'response';
  readonly compatibility: ClientCompatibility;
  readonly fields: FieldReporter;
}

/** The members of a transform, also those in `options`. Reports those that are in both. */
function membersOf(
  { type: _, options, ...own }: TransformBody,
  path: string,
  { compatibility, fields }: Reading,
): Readonly<Record<string, unknown>> {
  const [outer, inner]: readonly Readonly<Record<string, unknown>>[] = [defined(own), defined(options ?? {})];
  if (options !== undefined && compatibility === 'strict')
    fields.report(`${path}.options`, 'is not known; its members belong into the transform itself');
  for (const member of Object.keys(inner ?? {}))
    if (Object.hasOwn(outer ?? {}, member))
      fields.report(memberPath(path, member), 'is sent twice, also in `options`');
  return { ...inner, ...outer };
}

/** A transform as core has it; reports what does not belong to its type. */
function transformOf(input: TransformBody, path: string, reading: Reading) {
  const { type } = input;
  const { side, fields } = reading;
  const members = membersOf(input, path, reading);
  const { side: allowed, needs, may = [] } = SHAPES[type];
  if (allowed !== 'both' && allowed !== side)
    fields.report(`${path}.type`, `must be in ${allowed}_transforms: ${type} works there alone`);
  for (const member of needs)
    if (members[member] === undefined) fields.report(memberPath(path, member), 'is required');
  for (const member of Object.keys(members))
    if (![...needs, ...may].includes(member))
      fields.report(memberPath(path, member), `is no member of a transform of type ${type}`);
  if (type === 'append_header') checkText(members['value'], `${path}.value`, fields);
  const renamed = Object.entries(members).map(
    ([member, value]) => [RENAMED[member] ?? member, value] as const,
  );
  // The loops above have checked that it has the members of its type, and no others.
  return { type, ...Object.fromEntries(renamed) } as unknown as Transform;
}

function checkText(value: unknown, path: string, fields: FieldReporter): void {
  if (typeof value !== 'string') fields.report(path, 'must be a string');
  else if (value.length > LIMITS.headerValue || !value.isWellFormed())
    fields.report(path, `must be well-formed Unicode of at most ${String(LIMITS.headerValue)} characters`);
}

function transformsOf(all: readonly TransformBody[], member: string, reading: Reading): readonly Transform[] {
  return all.map((each, at) => transformOf(each, memberPath(member, at), reading));
}

const transforms = /* @__PURE__ */ z.lazy(() => list(transformBody, LIMITS.transforms));
const methods = /* @__PURE__ */ z.lazy(() =>
  list(oneOf(PROXY_METHODS), LIMITS.methods).check(z.minLength(1, 'must not be empty')),
);
const paths = /* @__PURE__ */ z.lazy(() =>
  list(text.check(...lengthTo(LIMITS.path)), LIMITS.paths).check(z.minLength(1, 'must not be empty')),
);
const application = /* @__PURE__ */ z.lazy(() => body({ id: text }));
const timeout = /* @__PURE__ */ z
  .number({ error: 'must be a number of seconds' })
  .check(
    /* @__PURE__ */ z.refine(
      (seconds) => Number.isInteger(seconds) && seconds >= 1 && seconds <= LIMITS.timeoutSeconds,
      `must be a whole number from 1 to ${String(LIMITS.timeoutSeconds)}`,
    ),
  );
const destination = /* @__PURE__ */ text.check(/* @__PURE__ */ z.minLength(1, 'must not be empty'));

const wholeMembers = () => ({
  name,
  destination_url: destination,
  methods: optional(methods),
  paths: optional(paths),
  configuration: optional(configuration),
  request_transforms: optional(transforms),
  response_transforms: optional(transforms),
  require_auth: optional(boolean),
  application: optional(application),
  source_addresses: optional(networks),
  client_certificate: optional(text),
  timeout: optional(timeout),
});

/** Members of a proxy that no update changes. */
const UNCHANGEABLE = [...RECORD_MEMBERS, 'version', 'configuration_names'] as const;

/** Body of "create proxy" (docs/contract.md#stored-proxies). */
export const createProxyBody = /* @__PURE__ */ z.lazy(() => body(wholeMembers()));

/** Body of "update proxy" (docs/contract.md#stored-proxies), which replaces everything. */
export const updateProxyBody = /* @__PURE__ */ z.lazy(() =>
  body({ ...wholeMembers(), ...unchangeable(UNCHANGEABLE) }),
);

/** Body of "patch proxy" (docs/contract.md#stored-proxies), which is a merge patch. */
export const patchProxyBody = /* @__PURE__ */ z.lazy(() =>
  body({
    name: z.optional(name),
    destination_url: z.optional(destination),
    methods: z.optional(z.nullable(methods)),
    paths: z.optional(z.nullable(paths)),
    configuration: z.optional(configurationPatch),
    request_transforms: z.optional(z.nullable(transforms)),
    response_transforms: z.optional(z.nullable(transforms)),
    require_auth: z.optional(z.nullable(boolean)),
    application: z.optional(z.nullable(application)),
    source_addresses: z.optional(z.nullable(networks)),
    client_certificate: z.optional(z.nullable(text)),
    timeout: z.optional(z.nullable(timeout)),
    ...unchangeable(UNCHANGEABLE),
  }),
);

/** Body of "revert proxy" (docs/contract.md#stored-proxies). */
export const revertProxyBody = /* @__PURE__ */ z.lazy(() =>
  body({
    version: z.number({
      error: ({ input }) => (input === undefined ? 'is required' : 'must be a number'),
    }),
    configuration: optional(configuration),
  }),
);

type WholeBody = z.output<typeof createProxyBody>;
type Setting = { readonly clientCompatibility: ClientCompatibility };

/** The definition in a body that has all of it. */
function draftOf(input: WholeBody, { clientCompatibility: compatibility }: Setting): ProxyDraft {
  const fields = new FieldReporter();
  const transformed = (side: 'request' | 'response') =>
    transformsOf(input[`${side}_transforms`] ?? [], `${side}_transforms`, { side, compatibility, fields });
  const draft = defined({
    name: input.name,
    destinationUrl: input.destination_url,
    methods: input.methods && [...new Set(input.methods)],
    paths: input.paths && [...new Set(input.paths)],
    requestTransforms: transformed('request') as ProxyDraft['requestTransforms'],
    responseTransforms: transformed('response') as ProxyDraft['responseTransforms'],
    requireAuth: input.require_auth ?? true,
    applicationId: input.application?.id,
    sourceAddresses: input.source_addresses ?? [],
    clientCertificate: input.client_certificate,
    timeoutSeconds: input.timeout ?? LIMITS.timeoutSeconds,
  });
  fields.throwIfFailed();
  return draft;
}

/** A new proxy. Throws `validation_failed` for transforms that have no such members. */
export const newProxyOf = (input: WholeBody, setting: Setting): NewProxy => ({
  draft: draftOf(input, setting),
  configuration: valuesOf(input.configuration ?? {}) as NewProxy['configuration'],
});

const checkOf =
  (
    sent: Readonly<Partial<Record<(typeof UNCHANGEABLE)[number], unknown>>>,
  ): NonNullable<ProxyChange['check']> =>
  (current) => {
    checkUnchanged(unchangedOf(sent, UNCHANGEABLE), presentProxy(current));
  };

/** The change of an update, which leaves the configuration unless the body has one. */
export function updateOf(input: z.output<typeof updateProxyBody>, setting: Setting): ProxyChange {
  const draft = draftOf(input, setting);
  return defined({
    apply: () => draft,
    configuration: input.configuration && valuesOf(input.configuration),
    replacesConfiguration: true,
    check: checkOf(input),
  });
}

/** The members of a patch. `null` resets a member to its default. */
export function patchOf(
  input: z.output<typeof patchProxyBody>,
  { clientCompatibility: compatibility }: Setting,
): ProxyChange {
  const fields = new FieldReporter();
  const transformed = (side: 'request' | 'response') => {
    const sent = input[`${side}_transforms`];
    return sent === undefined
      ? undefined
      : transformsOf(sent ?? [], `${side}_transforms`, { side, compatibility, fields });
  };
  const [requests, responses] = [transformed('request'), transformed('response')];
  fields.throwIfFailed();
  const pick = <T>(sent: T | null | undefined, before: T | undefined, fallback?: T): T | undefined =>
    sent === undefined ? before : (sent ?? fallback);
  return defined({
    apply: (previous: ProxyDefinition) =>
      defined({
        name: input.name ?? previous.name,
        destinationUrl: input.destination_url ?? previous.destinationUrl,
        methods: pick(input.methods, previous.methods),
        paths: pick(input.paths, previous.paths),
        requestTransforms: (requests ?? previous.requestTransforms) as ProxyDraft['requestTransforms'],
        responseTransforms: (responses ?? previous.responseTransforms) as ProxyDraft['responseTransforms'],
        requireAuth: pick(input.require_auth, previous.requireAuth, true) ?? true,
        applicationId: input.application === undefined ? previous.applicationId : input.application?.id,
        sourceAddresses: pick(input.source_addresses, previous.sourceAddresses, []) ?? [],
        clientCertificate: pick(input.client_certificate, previous.clientCertificate),
        timeoutSeconds:
          pick(input.timeout, previous.timeoutSeconds, LIMITS.timeoutSeconds) ?? LIMITS.timeoutSeconds,
      }),
    configuration: input.configuration && valuesOf(input.configuration),
    replacesConfiguration: false,
    check: checkOf(input),
  });
}

/** What a request to revert asks for. */
export const revertOf = (input: z.output<typeof revertProxyBody>) =>
  defined({
    version: input.version,
    configuration: input.configuration && valuesOf(input.configuration),
    replacesConfiguration: true,
  });

/** Reads the query of "list proxies" (docs/contract.md#stored-proxies). */
export const listProxiesQuery = /* @__PURE__ */ queryOf(
  { once: [...PAGE_PARAMETERS, 'name'], repeated: ['id'] },
  (query) => {
    const pattern = query.get('name') ?? undefined;
    if (pattern === '') throw invalid('name', 'must not be empty');
    if (pattern !== undefined && pattern.length > PATTERN_MAX_LENGTH)
      throw invalid('name', `must be at most ${String(PATTERN_MAX_LENGTH)} characters`);
    return { filters: defined({ ids: idsOf(query), name: pattern }), page: pageRequestOf(query) };
  },
);

const transformResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      type: z.enum(TRANSFORM_TYPES),
      name: z.optional(z.string()),
      value: z.optional(anyJson()),
      location: z.optional(z.string()),
      names: z.optional(z.array(z.string())),
      token: z.optional(z.record(z.string(), anyJson())),
      matcher: z.optional(z.enum(MATCHERS)),
      expression: z.optional(z.string()),
      replacement: z.optional(z.string()),
      reactor_id: z.optional(uuid()),
      code_hash: described(
        z.optional(z.string()),
        'SHA-256 of the code that the transform runs, in hexadecimal.',
      ),
      scheme: z.optional(z.enum(SIGNATURE_SCHEMES)),
      configuration: z.optional(z.string()),
    })
    .check(z.meta({ id: 'ProxyTransform', description: 'The members depend on `type`.' })),
);

const definitionMembers = () => ({
  name: z.string(),
  destination_url: z.string(),
  methods: z.optional(z.array(z.enum(PROXY_METHODS))),
  paths: z.optional(z.array(z.string())),
  request_transforms: z.array(transformResponse()),
  response_transforms: z.array(transformResponse()),
  require_auth: z.boolean(),
  application: z.optional(z.object({ id: uuid() })),
  source_addresses: z.array(z.string()),
  client_certificate: z.optional(z.string()),
  timeout: z.int(),
});

const proxyMembers = () => ({
  id: uuid(),
  tenant_id: uuid(),
  version: described(z.int(), 'Counts the changes of the proxy without its configuration, from 1.'),
  ...definitionMembers(),
  configuration_names: described(
    z.array(z.string()),
    'Names of the configuration; its values are never shown.',
  ),
  created_by: uuid(),
  created_at: time(),
  modified_by: z.optional(uuid()),
  modified_at: z.optional(time()),
});

const PROXY_EXAMPLE = {
  id: '019ab4c2-8f7a-7d10-9c55-2b1f0e7a6d43',
  tenant_id: '5f0cbd31-7c76-4a0f-94ef-6b2a2c0ce1f9',
  version: 1,
  name: 'Payment provider',
  destination_url: 'https://api.provider.example.com/v1',
  methods: ['POST' as const],
  paths: ['/charges', '/charges/*'],
  request_transforms: [
    {
      type: 'append_header' as const,
      name: 'Authorization',
      value: 'Bearer {{ configuration.API_KEY }}',
    },
  ],
  response_transforms: [{ type: 'mask' as const, matcher: 'card_number' as const, replacement: '[card]' }],
  require_auth: true,
  source_addresses: [],
  timeout: 25,
  configuration_names: ['API_KEY'],
  created_by: '9d1e7c7b-1b59-4f0b-b0b5-6d8c1f7ad0aa',
  created_at: '2026-11-27T10:15:30.123+00:00',
};

/** The Proxy object (docs/contract.md#the-proxy-object). */
export const proxyResponse = /* @__PURE__ */ madeOnce(() =>
  z.object(proxyMembers()).check(z.meta({ id: 'Proxy', examples: [PROXY_EXAMPLE] })),
);

/** The Proxy object with its first key, which only its creation returns. */
export const createdProxyResponse = /* @__PURE__ */ madeOnce(() =>
  z.object({ ...proxyMembers(), key: z.string() }).check(
    z.meta({
      id: 'CreatedProxy',
      description: 'Only this response contains the key.',
      examples: [{ ...PROXY_EXAMPLE, key: 'key_proxy_...' }],
    }),
  ),
);

/** The form that a version of a proxy has (docs/contract.md#create-and-change-proxies). */
export const proxyVersionResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({ version: z.int(), ...definitionMembers(), created_by: uuid(), created_at: time() })
    .check(z.meta({ id: 'ProxyVersion' })),
);

const WIRE_NAMES: Readonly<Record<string, string>> = { reactorId: 'reactor_id', codeHash: 'code_hash' };

const presentTransform = (transform: Transform): Response<typeof transformResponse> =>
  Object.fromEntries(
    Object.entries(transform).map(([member, value]) => [WIRE_NAMES[member] ?? member, value as Json]),
  ) as unknown as Response<typeof transformResponse>;

function presentDefinition(definition: ProxyDefinition) {
  const { applicationId } = definition;
  return defined({
    name: definition.name,
    destination_url: definition.destinationUrl,
    methods: definition.methods,
    paths: definition.paths,
    request_transforms: definition.requestTransforms.map(presentTransform),
    response_transforms: definition.responseTransforms.map(presentTransform),
    require_auth: definition.requireAuth,
    application: applicationId === undefined ? undefined : { id: applicationId },
    source_addresses: definition.sourceAddresses,
    client_certificate: definition.clientCertificate,
    timeout: definition.timeoutSeconds,
  });
}

/** The Proxy object. It includes the key only if the proxy is new. */
export function presentProxy(
  { stored, definition }: Proxy,
  key?: Secret<string>,
): Response<typeof proxyResponse> & Partial<Response<typeof createdProxyResponse>> {
  return defined({
    id: stored.id,
    tenant_id: stored.tenantId,
    version: stored.definitionVersion,
    key: key?.reveal(),
    ...presentDefinition(definition),
    configuration_names: stored.configurationNames,
    created_by: stored.createdBy,
    created_at: formatTimestamp(stored.createdAt),
    modified_by: stored.modifiedBy,
    modified_at: stored.modifiedAt === undefined ? undefined : formatTimestamp(stored.modifiedAt),
  } satisfies Undefinable<Response<typeof createdProxyResponse>>);
}

export const presentProxyVersion = ({
  version,
  definition,
  createdBy,
  createdAt,
}: ProxyVersion): Response<typeof proxyVersionResponse> => ({
  version,
  ...presentDefinition(definition),
  created_by: createdBy,
  created_at: formatTimestamp(createdAt),
});

/** The query of "list proxies", as the OpenAPI document describes it. */
export const listProxiesParameters = () =>
  z.object({
    id: idsParameter(),
    name: described(
      z.optional(z.string().check(z.maxLength(PATTERN_MAX_LENGTH))),
      'Case-insensitive; `*` matches any characters; without `*` the name must contain the value.',
    ),
    ...pageParameters(),
  });

const configurationWords = (more: string) => ({
  words: `Up to ${counted(LIMITS.configuration)} strings, which are encrypted and never shown again. A value with fewer than ${String(LIMITS.secretMin)} characters must be marked as one that may come back: \`{ "value": "eu", "public": true }\`.${more}`,
  limits: { maxProperties: LIMITS.configuration },
});

/** What the OpenAPI document says about the members of a transform. */
const TRANSFORM_WORDS: Members = {
  type: 'Decides which members the transform has.',
  name: 'Of `append_header` and `remove_header`: the header.',
  value:
    'Of `append_header`: a string, which may contain `{{ configuration.NAME }}`. Of `append_json`: any JSON. In requests both may contain detokenization expressions.',
  location: 'Of `append_json`, `tokenize` and `mask`: a JSONPath to one value, such as `$.card.number`.',
  names: 'Of `allow_headers`: all other headers are removed.',
  token: 'Of `tokenize`: the body of a request to create a token, without `data`.',
  matcher: 'Of `mask`, instead of `location`: what to find in any text.',
  expression: 'Of the matcher `regex`: a regular expression in the syntax of RE2.',
  replacement: 'Of `mask`: the text that takes the place of each match.',
  reactor_id: 'Of `reactor`: the reactor whose code runs.',
  code_hash: 'SHA-256 of the code that the transform runs, in hexadecimal.',
  scheme: 'Of `verify_signature`: how the sender signs.',
  configuration: 'Of `verify_signature`: the name of the secret in `configuration`.',
};

const wordsOfTransforms = (list: 'request_transforms' | 'response_transforms'): Members => ({
  [list]: `Up to ${String(LIMITS.transforms)}, in order.`,
  ...Object.fromEntries(
    Object.entries(TRANSFORM_WORDS).map(([member, words]) => [`${list}[].${member}`, words]),
  ),
});

export const proxyWords = (): Members => ({
  name: nameWords(),
  destination_url: {
    words: 'An https address without expressions, query and fragment, as of the ephemeral proxy.',
    limits: { maxLength: DESTINATION_MAX_LENGTH },
  },
  methods: 'What callers may ask for; by default all methods of the proxy.',
  paths:
    'Paths below the destination that callers may ask for: `/charges`, and with `/*` at the end everything below; `/` is the destination itself. By default all. Upper and lower case differ.',
  configuration: configurationWords(''),
  ...wordsOfTransforms('request_transforms'),
  ...wordsOfTransforms('response_transforms'),
  require_auth:
    'By default true: callers also need an API key with `token:use`. With false the key of the proxy alone admits them, and no expression of theirs is evaluated.',
  application:
    'The application whose rights the transforms use; without it those of the caller. Required where `require_auth` is false.',
  'application.id': 'The id of the application.',
  source_addresses: `Up to ${String(NETWORKS_MAX)} networks from which calls may come; by default all.`,
  client_certificate:
    'A name in `configuration`: a certificate with its private key in PEM, shown to the destination.',
  timeout: {
    words: 'In seconds, for all transforms and the destination together.',
    limits: { minimum: 1, maximum: LIMITS.timeoutSeconds },
  },
});

export const updateProxyWords = (): Members => ({
  ...proxyWords(),
  configuration: configurationWords(
    ' It replaces all values; without it they stay. Needed again when the origin or a reactor changes.',
  ),
});

export const patchProxyWords = (): Members => ({
  ...proxyWords(),
  configuration: configurationWords(
    ' Merged; `null` removes a value. A new secret needs all other secrets again, and another origin or reactor all values.',
  ),
});

export const revertProxyWords = (): Members => ({
  version: { words: 'One of the last versions.', limits: { minimum: 1 } },
  configuration: configurationWords(' Needed if the version has another origin or other reactors.'),
});
