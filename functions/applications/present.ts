import type { PermissionInfo } from '../../core/applications/list-permissions.ts';
import type { CreatedSession } from '../../core/applications/session.ts';
import type { TenantProfile } from '../../core/applications/tenant-profile.ts';
import type { JsonObject } from '../../core/shared/json.ts';
import { formatTimestamp } from '../../core/shared/timestamp.ts';

/** A permission, as an application may be granted it. */
export function presentPermission(permission: PermissionInfo): JsonObject {
  return {
    type: permission.type,
    description: permission.description,
    application_types: permission.applicationTypes,
  };
}

/** The tenant as it sees itself. */
export function presentTenant(tenant: TenantProfile): JsonObject {
  return {
    id: tenant.id,
    name: tenant.name,
    settings: { deduplicate_tokens: tenant.settings.deduplicateTokens },
  };
}

/** A new session: the only answer with its key and nonce. */
export function presentSession(session: CreatedSession): JsonObject {
  return {
    session_key: session.key.reveal(),
    nonce: session.nonce.reveal(),
    expires_at: formatTimestamp(session.expiresAt),
  };
}
