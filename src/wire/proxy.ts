import * as z from 'zod/mini';
import { NETWORKS_MAX } from '../core/access/source-networks.ts';
import type { NewProxy } from '../core/stored-proxies/create-proxy.ts';
import type { ProxyChange } from '../core/stored-proxies/proxy-change.ts';
import type { ProxyDraft } from '../core/stored-proxies/check-proxy.ts';
import {
  PROXY_METHODS,
  STORED_PROXY_LIMITS,
  type Proxy,
  type ProxyDefinition,
  type ProxyVersion,
} from '../core/stored-proxies/stored-proxy.ts';
import { DESTINATION_MAX_LENGTH } from '../core/egress/destination.ts';
import { checkUnchanged } from '../core/shared/check-unchanged.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined, type Undefinable } from '../core/shared/defined.ts';
import { FieldReporter } from '../core/shared/field-reporter.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import type { Secret } from '../core/shared/secret.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import { networks } from './application-key.ts';
import { labels, labelsMember, labelsPatch, labelsWords, presentLabels } from './configuration-labels.ts';
import {
  changedExternalId,
  changedExternalIdWords,
  externalIdMember,
  newExternalIdWords,
} from './external-id.ts';
import { nameWords } from './application.ts';
import {
  body,
  boolean,
  described,
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
  uuid,
  type Response,
} from './parts.ts';
import { configuration, configurationPatch, configurationWords, valuesOf } from './proxy-configuration.ts';
import { presentTransform, transforms, transformsOf } from './proxy-transform.ts';
import { transformResponse } from './proxy-transform-response.ts';
import { headerNames } from './proxy-transform-schemas.ts';
import type { Members } from './words.ts';

const LIMITS = STORED_PROXY_LIMITS;

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
const version = /* @__PURE__ */ z.number({
  error: ({ input }) => (input === undefined ? 'is required' : 'must be a number'),
});
const destination = /* @__PURE__ */ text.check(/* @__PURE__ */ z.minLength(1, 'must not be empty'));

const wholeMembers = () => ({
  name,
  external_id: changedExternalId(),
  destination_url: destination,
  methods: optional(methods),
  paths: optional(paths),
  configuration: optional(configuration),
  configuration_labels: optional(labels(LIMITS.configuration)),
  request_transforms: optional(transforms),
  response_transforms: optional(transforms),
  pass_headers: optional(headerNames),
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
  body({ ...wholeMembers(), keep: optional(boolean), ...unchangeable(UNCHANGEABLE) }),
);

/** Body of "patch proxy" (docs/contract.md#stored-proxies), which is a merge patch. */
export const patchProxyBody = /* @__PURE__ */ z.lazy(() =>
  body({
    name: z.optional(name),
    external_id: changedExternalId(),
    destination_url: z.optional(destination),
    methods: z.optional(z.nullable(methods)),
    paths: z.optional(z.nullable(paths)),
    configuration: z.optional(configurationPatch),
    configuration_labels: z.optional(z.nullable(labelsPatch(LIMITS.configuration))),
    request_transforms: z.optional(z.nullable(transforms)),
    response_transforms: z.optional(z.nullable(transforms)),
    pass_headers: z.optional(z.nullable(headerNames)),
    require_auth: z.optional(z.nullable(boolean)),
    application: z.optional(z.nullable(application)),
    source_addresses: z.optional(z.nullable(networks)),
    client_certificate: z.optional(z.nullable(text)),
    timeout: z.optional(z.nullable(timeout)),
    keep: optional(boolean),
    free_versions: optional(list(version, LIMITS.retainedVersions)),
    ...unchangeable(UNCHANGEABLE),
  }),
);

/** Body of "revert proxy" (docs/contract.md#stored-proxies). */
export const revertProxyBody = /* @__PURE__ */ z.lazy(() =>
  body({
    version,
    configuration: optional(configuration),
    configuration_labels: optional(labels(LIMITS.configuration)),
    keep: optional(boolean),
  }),
);

type WholeBody = z.output<typeof createProxyBody>;
type Setting = { readonly clientCompatibility: ClientCompatibility };

/** The definition in a body that has all of it. */
function draftOf(input: WholeBody, { clientCompatibility: compatibility }: Setting): ProxyDraft {
  const fields = new FieldReporter();
  const { requestTransforms = [], responseTransforms = [] } = transformsOf(input, { compatibility, fields });
  const draft = defined({
    name: input.name,
    destinationUrl: input.destination_url,
    methods: input.methods && [...new Set(input.methods)],
    paths: input.paths && [...new Set(input.paths)],
    requestTransforms,
    responseTransforms,
    passHeaders: input.pass_headers,
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
export const newProxyOf = (input: WholeBody, setting: Setting): NewProxy =>
  defined({
    externalId: input.external_id ?? undefined,
    labels: input.configuration_labels,
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
    externalId: input.external_id,
    labels: input.configuration_labels,
    configuration: input.configuration && valuesOf(input.configuration),
    replacesConfiguration: true,
    keep: input.keep,
    check: checkOf(input),
  });
}

/** The members of a patch. `null` resets a member to its default. */
export function patchOf(
  input: z.output<typeof patchProxyBody>,
  { clientCompatibility: compatibility }: Setting,
): ProxyChange {
  const fields = new FieldReporter();
  const { requestTransforms, responseTransforms } = transformsOf(input, { compatibility, fields });
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
        requestTransforms: requestTransforms ?? previous.requestTransforms,
        responseTransforms: responseTransforms ?? previous.responseTransforms,
        passHeaders: pick(input.pass_headers, previous.passHeaders),
        requireAuth: pick(input.require_auth, previous.requireAuth, true) ?? true,
        applicationId: input.application === undefined ? previous.applicationId : input.application?.id,
        sourceAddresses: pick(input.source_addresses, previous.sourceAddresses, []) ?? [],
        clientCertificate: pick(input.client_certificate, previous.clientCertificate),
        timeoutSeconds:
          pick(input.timeout, previous.timeoutSeconds, LIMITS.timeoutSeconds) ?? LIMITS.timeoutSeconds,
      }),
    externalId: input.external_id,
    labels: input.configuration_labels,
    configuration: input.configuration && valuesOf(input.configuration),
    replacesConfiguration: false,
    keep: input.keep,
    freeVersions: input.free_versions,
    check: checkOf(input),
  });
}

/** Returns the input of a request to revert. */
export const revertOf = (input: z.output<typeof revertProxyBody>) =>
  defined({
    version: input.version,
    labels: input.configuration_labels,
    configuration: input.configuration && valuesOf(input.configuration),
    replacesConfiguration: true,
    keep: input.keep,
  });

const definitionMembers = () => ({
  name: z.string(),
  destination_url: z.string(),
  methods: z.optional(z.array(z.enum(PROXY_METHODS))),
  paths: z.optional(z.array(z.string())),
  request_transforms: z.array(transformResponse()),
  response_transforms: z.array(transformResponse()),
  pass_headers: z.optional(z.array(z.string())),
  require_auth: z.boolean(),
  application: z.optional(z.object({ id: uuid() })),
  source_addresses: z.array(z.string()),
  client_certificate: z.optional(z.string()),
  timeout: z.int(),
});

const proxyMembers = () => ({
  id: uuid(),
  tenant_id: uuid(),
  external_id: externalIdMember(),
  version: described(z.int(), 'Counts the changes of the proxy without its configuration, from 1.'),
  ...definitionMembers(),
  configuration_names: described(
    z.array(z.string()),
    'Names of the configuration; its values are never shown.',
  ),
  configuration_labels: labelsMember(),
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
    .object({
      version: z.int(),
      ...definitionMembers(),
      keep: described(z.optional(z.literal(true)), 'Later changes do not delete this version.'),
      created_by: uuid(),
      created_at: time(),
    })
    .check(z.meta({ id: 'ProxyVersion' })),
);

function presentDefinition(definition: ProxyDefinition) {
  const { applicationId } = definition;
  return defined({
    name: definition.name,
    destination_url: definition.destinationUrl,
    methods: definition.methods,
    paths: definition.paths,
    request_transforms: definition.requestTransforms.map(presentTransform),
    response_transforms: definition.responseTransforms.map(presentTransform),
    pass_headers: definition.passHeaders,
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
    external_id: stored.externalId,
    version: stored.definitionVersion,
    key: key?.reveal(),
    ...presentDefinition(definition),
    configuration_names: stored.configurationNames,
    ...presentLabels(stored),
    created_by: stored.createdBy,
    created_at: formatTimestamp(stored.createdAt),
    modified_by: stored.modifiedBy,
    modified_at: stored.modifiedAt === undefined ? undefined : formatTimestamp(stored.modifiedAt),
  } satisfies Undefinable<Response<typeof createdProxyResponse>>);
}

export const presentProxyVersion = ({
  version,
  definition,
  isRetained,
  createdBy,
  createdAt,
}: ProxyVersion): Response<typeof proxyVersionResponse> =>
  defined({
    version,
    ...presentDefinition(definition),
    keep: isRetained ? (true as const) : undefined,
    created_by: createdBy,
    created_at: formatTimestamp(createdAt),
  });

export const proxyWords = (): Members => ({
  name: nameWords(),
  external_id: newExternalIdWords(),
  configuration_labels: labelsWords(LIMITS.configuration),
  destination_url: {
    words: 'An https address without expressions, query and fragment, as of the ephemeral proxy.',
    limits: { maxLength: DESTINATION_MAX_LENGTH },
  },
  methods: 'What callers may ask for; by default all methods of the proxy.',
  paths:
    'Paths below the destination that callers may ask for: `/charges`, and with `/*` at the end everything below; `/` is the destination itself. By default all. Upper and lower case differ.',
  configuration: configurationWords(''),
  request_transforms: `Up to ${String(LIMITS.transforms)}, in order.`,
  response_transforms: `Up to ${String(LIMITS.transforms)}, in order.`,
  pass_headers: `Up to ${String(LIMITS.headers)} names. Where the proxy hides, that is has a \`mask\`, \`tokenize\` or \`reactor\` for answers, these headers of answers pass beside those that always do. No validators and digests, such as \`ETag\`.`,
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

const keepWords = () =>
  `Whether later changes leave the version that is the newest one after this change, beside the last ${String(LIMITS.versions)}. Absent, a new version is not retained, and the mark of the current one stays.`;

export const updateProxyWords = (): Members => ({
  ...proxyWords(),
  external_id: changedExternalIdWords(),
  configuration: configurationWords(
    ' It replaces all values; without it they stay. Needed again when the origin or a reactor changes.',
  ),
  keep: keepWords(),
});

export const patchProxyWords = (): Members => ({
  ...proxyWords(),
  external_id: changedExternalIdWords(),
  configuration: configurationWords(
    ' Merged; `null` removes a value. A new secret needs all other secrets again, and another origin or reactor all values.',
  ),
  keep: keepWords(),
  free_versions: 'Numbers of versions that are retained no longer.',
});

export const revertProxyWords = (): Members => ({
  configuration_labels: labelsWords(LIMITS.configuration),
  version: { words: 'One of the last versions, or a retained one.', limits: { minimum: 1 } },
  configuration: configurationWords(' Needed if the version has another origin or other reactors.'),
  keep: keepWords(),
});
