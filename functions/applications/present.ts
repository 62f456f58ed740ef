import type { PermissionInfo } from '../../src/core/access/list-permissions.ts';
import type { CreatedSession } from '../../src/core/access/session.ts';
import type { TenantProfile } from '../../src/core/tenants/tenant-profile.ts';
import type { ClientCompatibility } from '../../src/core/shared/client-compatibility.ts';
import type { JsonObject } from '../../src/core/shared/json.ts';
import { formatTimestamp } from '../../src/core/shared/timestamp.ts';

/** A permission, with the application types that may have it. */
export function presentPermission(permission: PermissionInfo): JsonObject {
  return {
    type: permission.type,
    description: permission.description,
    application_types: permission.applicationTypes,
  };
}

/**
 * The caller's tenant. Clients in the field read settings as strings, an owner and the time of
 * creation (docs/lenient.md#http). There are no users, so a tenant is its own owner.
 */
export function presentTenant(tenant: TenantProfile, compatibility: ClientCompatibility): JsonObject {
  const { id, name, settings, createdAt } = tenant;
  const { deduplicateTokens } = settings;
  if (compatibility === 'strict') return { id, name, settings: { deduplicate_tokens: deduplicateTokens } };
  return {
    id,
    owner_id: id,
    name,
    settings: { deduplicate_tokens: String(deduplicateTokens) },
    created_at: formatTimestamp(createdAt),
  };
}

/** A new session: the only response with its key and nonce. */
export function presentSession(session: CreatedSession): JsonObject {
  return {
    session_key: session.key.reveal(),
    nonce: session.nonce.reveal(),
    expires_at: formatTimestamp(session.expiresAtMs),
  };
}
