import type { Change } from '../audit/audit-record.ts';
import type { Grants } from './access-rule.ts';
import { widenedPermissions } from './delegation.ts';

export const NO_GRANTS: Grants = { permissions: [], rules: [] };

/** Names of the permissions that a change widens, and of those that it narrows. */
export function changedGrants(previous: Grants, next: Grants): Pick<Change, 'granted' | 'withdrawn'> {
  const granted = widenedPermissions(previous, next);
  const withdrawn = widenedPermissions(next, previous);
  return { ...(granted.length > 0 && { granted }), ...(withdrawn.length > 0 && { withdrawn }) };
}
