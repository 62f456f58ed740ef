import { defined } from '../../core/shared/defined.ts';
import type { AccessRule } from '../../core/applications/access-rule.ts';
import type { PermissionInfo } from '../../core/applications/list-permissions.ts';
import type { CreatedSession } from '../../core/applications/session.ts';
import type { TenantProfile } from '../../core/applications/tenant.ts';
import type { Application } from '../../core/applications/application.ts';
import type { JsonObject } from '../../core/shared/json.ts';
import type { Secret } from '../../core/shared/secret.ts';
import { formatTimestamp } from '../../core/shared/timestamp.ts';

const time = (at: number | undefined) => (at === undefined ? undefined : formatTimestamp(at));

function presentRule(rule: AccessRule): JsonObject {
  return defined({
    description: rule.description,
    priority: rule.priority,
    container: rule.container,
    conditions: rule.conditions?.map((condition) => ({ ...condition })),
    transform: rule.transform,
    permissions: rule.permissions,
  });
}

/** The Application object (spec.md). The key is there only when it has just been made. */
export function presentApplication(application: Application, key?: Secret<string>): JsonObject {
  return defined({
    id: application.id,
    tenant_id: application.tenantId,
    name: application.name,
    key: key?.reveal(),
    type: application.type,
    permissions: application.permissions,
    rules: application.rules.map(presentRule),
    created_by: application.createdBy,
    created_at: time(application.createdAt),
    modified_by: application.modifiedBy,
    modified_at: time(application.modifiedAt),
    expires_at: time(application.expiresAt),
  });
}

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
