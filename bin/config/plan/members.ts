/*
 * The closed table of every member that applications, keys, proxies, reactors and the tenant have
 * in requests or responses, and how a plan treats each. A plan stops at a member that is not here,
 * and a test compares the table with the OpenAPI document.
 */

/**
 * - `computed`: the service sets it.
 * - `identity`: it names the resource for the file.
 * - `fixed`: it cannot change after the creation.
 * - `harmless`: people read it, and nothing else does.
 * - `decided`: the effects of the grants say whether it gives more.
 * - `sent`: it is only in requests, and another member shows what it made.
 * - `digest`: its text is never shown. Every difference gives more.
 * - `hidden`: a value could be in it, so its text is never shown. Every difference gives more.
 * - `shown`: every difference gives more.
 * - The others are names of a judge, which proves that some differences give less or the same.
 */
export type Treatment =
  | 'computed'
  | 'identity'
  | 'fixed'
  | 'harmless'
  | 'decided'
  | 'sent'
  | 'digest'
  | 'hidden'
  | 'shown'
  | JudgeName;

/**
 * - `networks`: narrower networks give less.
 * - `end`: an earlier end gives less.
 * - `choices`: fewer choices give less, and an absent list has all.
 * - `additions`: fewer entries give less, and an absent list has none.
 * - `amount`: a smaller number gives less.
 * - `guard`: `true` gives less than `false`.
 * - `power`: `false` gives less than `true`.
 */
export type JudgeName = 'networks' | 'end' | 'choices' | 'additions' | 'amount' | 'guard' | 'power';

export type Members = Readonly<Record<string, Treatment>>;

const RECORD = {
  id: 'computed',
  tenant_id: 'computed',
  created_by: 'computed',
  created_at: 'computed',
  modified_by: 'computed',
  modified_at: 'computed',
} as const satisfies Members;

export const APPLICATION: Members = {
  ...RECORD,
  external_id: 'identity',
  name: 'harmless',
  key: 'computed',
  type: 'fixed',
  permissions: 'decided',
  rules: 'decided',
  'rules[].description': 'decided',
  'rules[].priority': 'decided',
  'rules[].container': 'decided',
  'rules[].conditions': 'decided',
  'rules[].conditions[].attribute': 'decided',
  'rules[].conditions[].operator': 'decided',
  'rules[].conditions[].value': 'decided',
  'rules[].transform': 'decided',
  'rules[].permissions': 'decided',
  'rules[].through': 'decided',
  'rules[].through.proxies': 'decided',
  'rules[].through.reactors': 'decided',
  'rules[].through.callbacks': 'decided',
  expires_at: 'fixed',
};

export const KEY: Members = {
  id: 'computed',
  name: 'harmless',
  hint: 'computed',
  key: 'computed',
  created_at: 'computed',
  created_by: 'computed',
  expires_at: 'end',
  last_used_on: 'computed',
  source_addresses: 'networks',
};

export const PROXY: Members = {
  ...RECORD,
  external_id: 'identity',
  version: 'computed',
  key: 'computed',
  name: 'harmless',
  destination_url: 'shown',
  methods: 'choices',
  paths: 'choices',
  configuration: 'sent',
  configuration_names: 'shown',
  configuration_labels: 'shown',
  request_transforms: 'shown',
  response_transforms: 'shown',
  pass_headers: 'additions',
  require_auth: 'guard',
  application: 'shown',
  'application.id': 'shown',
  source_addresses: 'networks',
  client_certificate: 'shown',
  timeout: 'amount',
  keep: 'sent',
  free_versions: 'sent',
};

/** Every type of transform. A difference of a transform always gives more. */
export const TRANSFORMS: Readonly<Record<string, Members>> = {
  append_header: { type: 'shown', name: 'shown', value: 'hidden', statuses: 'shown' },
  append_json: { type: 'shown', location: 'shown', value: 'hidden', statuses: 'shown' },
  remove_header: { type: 'shown', name: 'shown', statuses: 'shown' },
  allow_headers: { type: 'shown', names: 'shown', statuses: 'shown' },
  tokenize: {
    type: 'shown',
    location: 'shown',
    token: 'hidden',
    optional: 'shown',
    otherwise: 'shown',
    statuses: 'shown',
  },
  mask: {
    type: 'shown',
    replacement: 'hidden',
    location: 'shown',
    matcher: 'shown',
    expression: 'shown',
    required: 'shown',
    statuses: 'shown',
  },
  reactor: {
    type: 'shown',
    reactor_id: 'shown',
    code_hash: 'digest',
    as: 'shown',
    statuses: 'shown',
  },
  verify_signature: {
    type: 'shown',
    scheme: 'shown',
    configuration: 'shown',
    header: 'shown',
    algorithm: 'shown',
    encoding: 'shown',
    key_encoding: 'shown',
    prefix: 'shown',
    signed: 'shown',
    timestamp: 'shown',
    'timestamp.header': 'shown',
    'timestamp.tolerance_seconds': 'shown',
    delivery: 'shown',
    'delivery.header': 'shown',
  },
};

const RUNTIME = {
  runtime: 'shown',
  'runtime.image': 'shown',
  'runtime.warm_concurrency': 'amount',
  'runtime.dependencies': 'shown',
  'runtime.bundle': 'sent',
  'runtime.bundle_digest': 'digest',
  'runtime.node_version': 'computed',
  'runtime.status': 'computed',
  'runtime.closes_at': 'computed',
  'runtime.outdated': 'computed',
} as const satisfies Members;

/** A reactor shows its whole application, of which only the id belongs to the reactor. */
const OF_APPLICATION: Members = Object.fromEntries(
  Object.keys(APPLICATION).map((path) => [`application.${path}`, 'computed' as const]),
);

export const REACTOR: Members = {
  ...RECORD,
  ...OF_APPLICATION,
  external_id: 'identity',
  name: 'harmless',
  code: 'sent',
  code_digest: 'digest',
  configuration: 'sent',
  configuration_names: 'shown',
  configuration_labels: 'shown',
  application: 'shown',
  'application.id': 'shown',
  ...RUNTIME,
};

export const TENANT: Members = {
  id: 'computed',
  owner_id: 'computed',
  created_at: 'computed',
  name: 'harmless',
  settings: 'shown',
  // Deduplication shows a caller that a token exists; without it, copies are not found.
  'settings.deduplicate_tokens': 'shown',
  'settings.ephemeral_proxy': 'power',
  recovered_at: 'computed',
  // It is the lease of `apply`, and no part of a file.
  configuration_revision: 'computed',
  service_version: 'computed',
};
