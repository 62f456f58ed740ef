import {
  TRANSFORMS,
  type AccessRule,
  type Grants,
  type Transform,
} from '../../../src/core/access/access-rule.ts';
import type { Permission } from '../../../src/core/access/permission.ts';

/** docs/contract.md#how-access-is-decided, word by word and without regard to speed. */
export function referenceDecision(
  grants: Grants,
  permission: Permission,
  id: string | undefined,
  containers: readonly string[],
) {
  const implied: Transform = permission === 'token:use' ? 'reveal' : 'mask';
  const candidates = [
    ...[...grants.rules].sort((a, b) => a.priority - b.priority),
    {
      priority: Infinity,
      container: '/',
      transform: implied,
      permissions: grants.permissions,
    } satisfies AccessRule,
  ];
  const decided = containers.map((container) => {
    for (const rule of candidates) {
      const path = (text: string) => text.split('/').filter((part) => part !== '');
      const covered =
        rule.container !== undefined
          ? path(rule.container).every((part, index) => path(container)[index] === part)
          : (rule.conditions ?? []).length > 0 &&
            (rule.conditions ?? []).every(({ attribute, operator, value }) => {
              const actual = attribute === 'id' ? id : container;
              if (actual === undefined) return false;
              return operator === 'equals' ? actual === value : actual.slice(0, value.length) === value;
            });
      if (covered && rule.permissions.includes(permission)) return rule.transform;
    }
    return undefined;
  });
  if (decided.length === 0 || decided.includes(undefined)) return undefined;
  return TRANSFORMS.find((transform) => decided.includes(transform));
}
