import { isEqualJson, type Json } from '../shared/json.ts';
import type { ProxyDefinition } from './stored-proxy.ts';

/** Names in the API of the members of a definition. */
const MEMBERS = {
  name: 'name',
  destinationUrl: 'destination_url',
  methods: 'methods',
  paths: 'paths',
  requestTransforms: 'request_transforms',
  responseTransforms: 'response_transforms',
  passHeaders: 'pass_headers',
  requireAuth: 'require_auth',
  applicationId: 'application',
  sourceAddresses: 'source_addresses',
  clientCertificate: 'client_certificate',
  timeoutSeconds: 'timeout',
} as const satisfies Record<keyof ProxyDefinition, string>;

const jsonOf = (value: unknown): Json => (value ?? null) as Json;

/** Names the members of a definition that differ from those before, as the API has them. */
export const changedMembers = (
  previous: Partial<ProxyDefinition>,
  next: ProxyDefinition,
): readonly string[] =>
  (Object.keys(MEMBERS) as (keyof ProxyDefinition)[])
    .filter((member) => !isEqualJson(jsonOf(previous[member]), jsonOf(next[member])))
    .map((member) => MEMBERS[member]);
