import type { AccessRule } from '../core/access/access-rule.ts';
import type { Application } from '../core/applications/application.ts';
import { defined } from '../core/shared/defined.ts';
import type { JsonObject } from '../core/shared/json.ts';
import type { Secret } from '../core/shared/secret.ts';
import { formatTimestamp } from '../core/shared/timestamp.ts';

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

/**
 * The Application object (docs/contract.md#the-application-object). It includes the key only when
 * the key is new.
 */
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
    expires_at: time(application.expiresAtMs),
  });
}
