import * as z from 'zod/mini';
import { NETWORKS_MAX, networkProblem, normalizedNetwork } from '../core/access/source-networks.ts';
import type { ApplicationKey, KeyChoice } from '../core/applications/application-key.ts';
import type { KeyPatch, KeyView } from '../core/applications/manage-keys.ts';
import { defined, type Undefinable } from '../core/shared/defined.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import type { Secret } from '../core/shared/secret.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import { expiresAtMs, nameWords } from './application.ts';
import {
  body,
  described,
  list,
  name,
  optional,
  text,
  time,
  unchangeable,
  unchangedOf,
  uuid,
  type Response,
} from './parts.ts';
import type { JsonObject } from '../core/shared/json.ts';
import type { Members } from './words.ts';

const network = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    text,
    z.transform((raw, context) => {
      const problem = networkProblem(raw);
      if (problem === undefined) return normalizedNetwork(raw);
      context.issues.push({ code: 'custom', input: '', message: problem });
      return '';
    }),
  ),
);

/** Drops repeated networks. The others stay in the order of the request. */
export const networks = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    list(network, NETWORKS_MAX),
    z.transform((raw) => [...new Set(raw)]),
  ),
);

/** Body of "create key" (docs/contract.md#keys-of-an-application). */
export const createKeyBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      name: optional(name),
      expires_at: optional(expiresAtMs),
      source_addresses: optional(networks),
    }),
    z.transform((raw): KeyChoice =>
      defined({
        name: raw.name,
        expiresAtMs: raw.expires_at,
        sourceAddresses: raw.source_addresses ?? [],
      }),
    ),
  ),
);

/**
 * Members of a key that no update changes. The service itself changes `last_used_on`, so a body may
 * have any.
 */
const UNCHANGEABLE = ['id', 'hint', 'created_at', 'created_by'] as const;

/** Body of "update key" (docs/contract.md#keys-of-an-application), which is a merge patch. */
export const updateKeyBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      name: z.optional(z.nullable(name)),
      expires_at: z.optional(z.nullable(expiresAtMs)),
      source_addresses: z.optional(z.nullable(networks)),
      ...unchangeable([...UNCHANGEABLE, 'last_used_on']),
    }),
    z.transform((raw): { readonly patch: KeyPatch; readonly unchanged: JsonObject } => ({
      patch: defined({
        name: raw.name,
        expiresAtMs: raw.expires_at,
        sourceAddresses: raw.source_addresses,
      }),
      unchanged: unchangedOf(raw, UNCHANGEABLE),
    })),
  ),
);

const keyMembers = () => ({
  id: uuid(),
  name: z.optional(z.string()),
  hint: described(z.string(), 'The last four characters of the key.'),
  created_at: time(),
  created_by: z.optional(uuid()),
  expires_at: z.optional(time()),
  last_used_on: described(
    z.optional(z.iso.date()),
    'The latest day (UTC) on which an instance of the service first accepted it.',
  ),
  source_addresses: described(z.array(z.string()), 'Networks in CIDR notation; empty for all.'),
});

const KEY_EXAMPLE = {
  id: '019ab4c2-8f7a-7d10-9c55-2b1f0e7a6d42',
  name: 'Billing, from December on',
  hint: 'x7Qp',
  created_at: '2026-11-26T10:15:30.123+00:00',
  created_by: '9d1e7c7b-1b59-4f0b-b0b5-6d8c1f7ad0aa',
  last_used_on: '2026-11-26',
  source_addresses: ['203.0.113.0/24'],
};

/** The Key object (docs/contract.md#the-key-object), as reads return it. */
export const keyResponse = /* @__PURE__ */ madeOnce(() =>
  z.object(keyMembers()).check(z.meta({ id: 'ApplicationKey', examples: [KEY_EXAMPLE] })),
);

/** The Key object with the key itself, which only its creation returns. */
export const createdKeyResponse = /* @__PURE__ */ madeOnce(() =>
  z.object({ ...keyMembers(), key: z.string() }).check(
    z.meta({
      id: 'CreatedApplicationKey',
      description: 'Only this response contains the key.',
      examples: [{ ...KEY_EXAMPLE, key: 'key_private_...' }],
    }),
  ),
);

/** The Key object. It includes the key itself only if it is new. */
export function presentKey(
  key: ApplicationKey & Pick<KeyView, 'lastUsedOn'>,
  text?: Secret<string>,
): Response<typeof keyResponse> & Partial<Response<typeof createdKeyResponse>> {
  return defined({
    id: key.id,
    name: key.name,
    hint: key.hint,
    key: text?.reveal(),
    created_at: formatTimestamp(key.createdAt),
    created_by: key.createdBy,
    expires_at: key.expiresAtMs === undefined ? undefined : formatTimestamp(key.expiresAtMs),
    last_used_on: key.lastUsedOn,
    source_addresses: key.sourceAddresses,
  } satisfies Undefinable<Response<typeof createdKeyResponse>>);
}

const keyWords = (): Members => ({
  name: `${nameWords()} A note for people.`,
  expires_at: 'ISO 8601; from that time on the key is rejected.',
  source_addresses:
    'IPv4 and IPv6 addresses and networks from which requests may present the key: `203.0.113.7`, `2001:db8::/48`. An IPv6 network contains no IPv4 address.',
});

export const createKeyWords = keyWords;

export const updateKeyWords = (): Members => ({
  name: `${nameWords()} \`null\` removes it.`,
  expires_at: 'ISO 8601, in the future; `null` removes it.',
  source_addresses: 'Replaces all of them; `null` accepts the key from everywhere.',
});
