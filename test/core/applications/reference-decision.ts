import {
  TRANSFORMS,
  type AccessRule,
  type Grants,
  type Transform,
} from '../../../src/core/access/access-rule.ts';
import { permissionOf, type Right, type Way } from '../../../src/core/access/access-decision.ts';

/** docs/contract.md#where-plaintext-may-go: whether a rule lets plaintext take this way. */
function leadsTo({ through }: AccessRule, way: Way): boolean {
  if (through === undefined) return true;
  if (way === 'named_by_caller') return false;
  if ('proxy' in way) return through.proxies.includes(way.proxy);
  if (!through.reactors.includes(way.reactor)) return false;
  const { callback } = way;
  return callback === undefined || (through.callbacks ?? []).some((address) => isPartOf(address, callback));
}

/** Compares segment by segment: an address permits itself and everything below it. */
function isPartOf(address: string, callback: string): boolean {
  if (address === callback) return true;
  const above = address.replace(/\/$/, '').split('/');
  const below = callback.split('/');
  return (
    below.length > above.length &&
    above.every((part, index) => below[index] === part) &&
    below
      .slice(above.length)
      .every((part, index, all) =>
        part === '' ? index === all.length - 1 : /^[A-Za-z0-9_~-]/.test(part) && !/[^\w.~-]/.test(part),
      )
  );
}

/** docs/contract.md#how-access-is-decided, word by word and without regard to speed. */
export function referenceDecision(
  grants: Grants,
  right: Right,
  id: string | undefined,
  containers: readonly string[],
): Transform | undefined {
  const permission = permissionOf(right);
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
      if (covered && rule.permissions.includes(permission))
        return typeof right === 'object' && !leadsTo(rule, right.use) ? undefined : rule.transform;
    }
    return undefined;
  });
  if (decided.length === 0 || decided.includes(undefined)) return undefined;
  return TRANSFORMS.find((transform) => decided.includes(transform));
}
