import * as z from 'zod/mini';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { defined } from '../core/shared/defined.ts';
import { madeOnce } from '../core/shared/made-once.ts';
import { SERVICE_VERSION } from '../core/shared/service-version.ts';
import { invalid } from '../core/shared/service-error.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';
import type { TenantProfile } from '../core/tenants/tenant-profile.ts';
import type { TenantSettings } from '../core/access/tenant-basics.ts';
import { nameWords } from './application.ts';
import {
  body,
  boolean,
  described,
  lengthTo,
  name,
  optional,
  text,
  time,
  unchangeable,
  unchangedOf,
  uuid,
  wellFormed,
  type Response,
} from './parts.ts';
import { counted, type Members } from './words.ts';

/** A boolean, which clients in the field send as a string (docs/lenient.md). */
const flag = /* @__PURE__ */ z
  .union([boolean, z.enum(['true', 'false'])], { error: 'must be true or false' })
  .check(z.meta({ override: { type: 'boolean' } }));

const UNCHANGEABLE = ['id', 'recovered_at'] as const;

/** A revision of a configuration has at most so many characters (docs/contract.md#limits). */
export const REVISION_MAX_LENGTH = 200;

const revision = /* @__PURE__ */ text.check(...lengthTo(REVISION_MAX_LENGTH), wellFormed);

/** Reads the body of "update tenant" (docs/contract.md#tenants). */
export const updateTenantBody = /* @__PURE__ */ z.lazy(() =>
  z.pipe(
    body({
      name,
      settings: optional(
        z.object(
          { deduplicate_tokens: optional(flag), ephemeral_proxy: optional(flag) },
          { error: 'must be an object' },
        ),
      ),
      configuration_revision: z.optional(z.nullable(revision)),
      ...unchangeable(UNCHANGEABLE),
      service_version: z.optional(
        z.unknown().check(z.meta({ override: { description: 'Ignored.', readOnly: true } })),
      ),
    }),
    z.transform((raw) => ({
      name: raw.name,
      settings: raw.settings ?? {},
      configurationRevision: raw.configuration_revision,
      unchanged: unchangedOf(raw, UNCHANGEABLE),
    })),
  ),
);

/** The settings in a body. Throws `validation_failed` for a string, unless clients may send it. */
export function settingsOf(
  raw: z.output<typeof updateTenantBody>['settings'],
  compatibility: ClientCompatibility,
): Partial<TenantSettings> {
  const read = (name: keyof typeof raw) => {
    const value = raw[name];
    if (typeof value === 'string' && compatibility === 'strict')
      throw invalid(`settings.${name}`, 'must be true or false');
    return value === undefined ? undefined : String(value) === 'true';
  };
  return defined({ deduplicateTokens: read('deduplicate_tokens'), ephemeralProxy: read('ephemeral_proxy') });
}

/** The tenant to which the caller's key belongs (docs/contract.md#tenants). */
export const tenantResponse = /* @__PURE__ */ madeOnce(() =>
  z
    .object({
      id: uuid(),
      name: z.string(),
      settings: z.object({ deduplicate_tokens: z.boolean(), ephemeral_proxy: z.boolean() }),
      configuration_revision: described(
        z.nullable(z.string()),
        'What the last change of the configuration as a whole was.',
      ),
      recovered_at: z.nullable(time()),
      service_version: described(z.string(), 'The version of the service.'),
    })
    .check(
      z.meta({
        id: 'Tenant',
        examples: [
          {
            id: '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11',
            name: 'Shop',
            settings: { deduplicate_tokens: false, ephemeral_proxy: true },
            configuration_revision: null,
            recovered_at: null,
            service_version: SERVICE_VERSION,
          },
        ],
      }),
    ),
);

/** The members that clients in the field read of a tenant (docs/lenient.md#http). */
type LenientTenant = {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly settings: { readonly deduplicate_tokens: string; readonly ephemeral_proxy: string };
  readonly configuration_revision: string | null;
  readonly created_at: string;
  readonly recovered_at: string | null;
  readonly service_version: string;
};

/** Shows the time at which an operator last made a management key of the tenant. */
export const presentRecovery = (recoveredAt: number | undefined): string | null =>
  recoveredAt === undefined ? null : formatTimestamp(recoveredAt);

/**
 * The caller's tenant. Clients in the field read settings as strings, an owner and the time of
 * creation. There are no users, so a tenant is its own owner.
 */
export function presentTenant(
  { id, name: tenantName, settings, configurationRevision, createdAt, recoveredAt }: TenantProfile,
  compatibility: ClientCompatibility,
): Response<typeof tenantResponse> | LenientTenant {
  const { deduplicateTokens, ephemeralProxy } = settings;
  const state = {
    configuration_revision: configurationRevision ?? null,
    recovered_at: presentRecovery(recoveredAt),
    service_version: SERVICE_VERSION,
  };
  if (compatibility === 'strict')
    return {
      id,
      name: tenantName,
      settings: { deduplicate_tokens: deduplicateTokens, ephemeral_proxy: ephemeralProxy },
      ...state,
    };
  return {
    id,
    owner_id: id,
    name: tenantName,
    settings: { deduplicate_tokens: String(deduplicateTokens), ephemeral_proxy: String(ephemeralProxy) },
    created_at: formatTimestamp(createdAt),
    ...state,
  };
}

export const updateTenantWords = (): Members => ({
  name: nameWords(),
  settings: 'An omitted setting is unchanged.',
  'settings.deduplicate_tokens': 'Whether tokens are deduplicated by default.',
  'settings.ephemeral_proxy': 'Whether the ephemeral proxy is on; `true` by default.',
  configuration_revision: `What the change of the configuration is, up to ${counted(REVISION_MAX_LENGTH)} characters that are no secret. Without it the current one stays; \`null\` takes it away.`,
});
