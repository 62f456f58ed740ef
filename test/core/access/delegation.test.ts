import { decideAccess } from '../../../src/core/access/access-decision.ts';
import { TRANSFORMS, type Grants } from '../../../src/core/access/access-rule.ts';
import { widenedPermissions } from '../../../src/core/access/delegation.ts';
import type { Container } from '../../../src/core/shared/container.ts';
import { cases, fc } from '../../../packages/local-aws/test/properties.ts';

const SEGMENTS = ['pci', 'pcix', 'low'];
const inside = (container: Container) => SEGMENTS.map((segment): Container => `${container}${segment}/`);
const CONTAINERS: readonly Container[] = ['/', ...inside('/'), ...inside('/').flatMap(inside)];
const PERMISSIONS = ['token:read', 'token:use', 'token:create'] as const;

const rule = fc.record({
  container: fc.constantFrom(...CONTAINERS),
  transform: fc.constantFrom(...TRANSFORMS),
  permissions: fc.subarray([...PERMISSIONS], { minLength: 1 }),
});
const grants = fc
  .record({
    permissions: fc.subarray([...PERMISSIONS], { maxLength: 1 }),
    rules: fc.array(rule, { maxLength: 4 }),
  })
  .map(({ permissions, rules }): Grants => ({
    permissions,
    rules: rules.map((each, index) => ({ ...each, priority: index + 1 })),
  }));

const amount = (of: Grants, permission: (typeof PERMISSIONS)[number], containers: readonly Container[]) => {
  const transform = decideAccess(of, permission, { containers });
  return transform === undefined ? -1 : TRANSFORMS.indexOf(transform);
};

describe('the permissions that a change of grants widens', () => {
  it('are those that let a caller do more with some token', () => {
    fc.assert(
      fc.property(grants, grants, (previous, next) => {
        const more = PERMISSIONS.filter((permission) =>
          CONTAINERS.some((each) => amount(next, permission, [each]) > amount(previous, permission, [each])),
        );
        // A permission that was nowhere is new even if another rule takes its effect.
        const named = ({ permissions, rules }: Grants) => [
          ...permissions,
          ...rules.flatMap((each) => each.permissions),
        ];
        const first = named(next).filter((each) => !named(previous).includes(each));
        expect(new Set(widenedPermissions(previous, next))).toEqual(new Set([...more, ...first]));
      }),
      { numRuns: cases(3_000) },
    );
  });

  it('include every permission that shows a token in several containers as more', () => {
    fc.assert(
      fc.property(
        grants,
        grants,
        fc.subarray([...CONTAINERS], { minLength: 1, maxLength: 3 }),
        (previous, next, containers) => {
          const widened = widenedPermissions(previous, next);
          for (const permission of PERMISSIONS)
            if (amount(next, permission, containers) > amount(previous, permission, containers))
              expect(widened).toContain(permission);
        },
      ),
      { numRuns: cases(3_000) },
    );
  });

  it('are none if nothing changes', () => {
    fc.assert(
      fc.property(grants, (same) => {
        expect(widenedPermissions(same, same)).toEqual([]);
      }),
      { numRuns: cases(300) },
    );
  });
});
