import { decideAccess, containersGranted } from '../../../src/core/access/access-decision.ts';
import { TRANSFORMS, type AccessRule, type Grants } from '../../../src/core/access/access-rule.ts';
import { PERMISSION_NAMES } from '../../../src/core/access/permission.ts';
import { cases, fc } from '../../../packages/local-aws/test/properties.ts';
import { referenceDecision } from '../applications/reference-decision.ts';

const segment = fc.constantFrom('pci', 'pcix', 'high', 'low', 'a');
const container = fc
  .array(segment, { maxLength: 3 })
  .map((parts) => `/${parts.map((part) => `${part}/`).join('')}`);
const permission = fc.constantFrom(...PERMISSION_NAMES.slice(0, 6));
const condition = fc.record({
  attribute: fc.constantFrom('id' as const, 'container' as const),
  operator: fc.constantFrom('equals' as const, 'starts_with' as const),
  value: fc.oneof(container, fc.constantFrom('tok', 'token-1', '')),
});
const scope = fc.oneof(
  fc.record({ container }),
  fc.record({ conditions: fc.array(condition, { maxLength: 3 }) }),
);
const rule = fc
  .tuple(scope, fc.constantFrom(...TRANSFORMS), fc.array(permission, { maxLength: 3 }))
  .map(([where, transform, permissions]) => ({ ...where, transform, permissions }));
const grants = fc
  .tuple(
    fc.array(permission, { maxLength: 2 }),
    fc.array(rule, { maxLength: 6 }),
    fc.infiniteStream(fc.nat(1000)),
  )
  .map(([permissions, rules, random]): Grants => {
    const priorities = rules.map((_, index) => index + 1).sort(() => (random.next().value as number) - 500);
    return {
      permissions,
      rules: rules.map((each, index) => ({ ...each, priority: priorities[index] ?? 1 })),
    };
  });

describe('the access decision', () => {
  it('agrees with a naive evaluator on thousands of cases', () => {
    fc.assert(
      fc.property(
        grants,
        permission,
        fc.option(fc.constantFrom('token-1', 'other'), { nil: undefined }),
        fc.array(container, { maxLength: 3 }),
        (input, wanted, id, containers) => {
          const token = { containers, ...(id === undefined ? {} : { id }) };
          return decideAccess(input, wanted, token) === referenceDecision(input, wanted, id, containers);
        },
      ),
      { numRuns: cases(10_000) },
    );
  });

  it('covers whole segments only', () => {
    const input: Grants = {
      permissions: [],
      rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] }],
    };
    expect(decideAccess(input, 'token:read', { containers: ['/pci/high/'] })).toBe('reveal');
    expect(decideAccess(input, 'token:read', { containers: ['/pcix/'] })).toBeUndefined();
  });

  it('lets a top-level permission mask, and token:use reveal', () => {
    const input: Grants = { permissions: ['token:read', 'token:use'], rules: [] };
    expect(decideAccess(input, 'token:read', { containers: ['/any/'] })).toBe('mask');
    expect(decideAccess(input, 'token:use', { containers: ['/any/'] })).toBe('reveal');
  });

  it('requires a rule for every container, and uses the most restrictive transform', () => {
    const rules: AccessRule[] = [
      { priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:read'] },
      { priority: 2, container: '/b/', transform: 'redact', permissions: ['token:read'] },
    ];
    const input: Grants = { permissions: [], rules };
    expect(decideAccess(input, 'token:read', { containers: ['/a/', '/b/'] })).toBe('redact');
    expect(decideAccess(input, 'token:read', { containers: ['/a/', '/c/'] })).toBeUndefined();
  });

  it('lists exactly the containers for which the decision is positive', () => {
    fc.assert(
      fc.property(grants, permission, container, (input, wanted, where) => {
        const containerRules = {
          ...input,
          rules: input.rules.filter((each) => each.container !== undefined),
        };
        const granted = containersGranted(containerRules, wanted).some((outer) => where.startsWith(outer));
        return granted === (decideAccess(containerRules, wanted, { containers: [where] }) !== undefined);
      }),
      { numRuns: cases(1_500) },
    );
  });
});
