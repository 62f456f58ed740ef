import {
  decideAccess,
  containersGranted,
  type Right,
  type Way,
} from '../../../src/core/access/access-decision.ts';
import {
  TRANSFORMS,
  type AccessRule,
  type Grants,
  type Transform,
} from '../../../src/core/access/access-rule.ts';
import { PERMISSION_NAMES } from '../../../src/core/access/permission.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { referenceDecision } from '../applications/reference-decision.ts';

const segment = fc.constantFrom('pci', 'pcix', 'high', 'low', 'a');
const container = fc
  .array(segment, { maxLength: 3 })
  .map((parts) => `/${parts.map((part) => `${part}/`).join('')}`);
const permission = fc.constantFrom(...PERMISSION_NAMES.slice(0, 6));
/** Places where results may go, below and beside those that rules name. */
const CALLBACKS = [
  'https://a.example/',
  'https://a.example/hooks',
  'https://a.example/hooks/',
  'https://a.example/hooks/7',
  'https://a.example/hooksx',
  'https://a.example/hooks/..%2Fadmin',
  'https://a.example/hooks/..;/admin',
  'https://a.example//hooks',
  'https://b.example/hooks',
  '',
];
/** Ways of a use: some that rules name, one that none names, and the one that callers name. */
const way = fc.constantFrom<Way>(
  ...CALLBACKS.map((callback) => ({ reactor: 'x', callback })),
  { proxy: 'x' },
  { proxy: 'y' },
  { reactor: 'x' },
  { reactor: 'z' },
  'named_by_caller',
);
const through = fc.record({
  proxies: fc.subarray(['x', 'y']),
  reactors: fc.subarray(['x', 'y'], { minLength: 1 }),
  callbacks: fc.subarray(['https://a.example/', 'https://a.example/hooks', 'https://a.example/hooks/']),
});
const right = fc.tuple(permission, way).map(([name, use]): Right => (name === 'token:use' ? { use } : name));
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
  .tuple(
    scope,
    fc.constantFrom(...TRANSFORMS),
    fc.array(permission, { maxLength: 3 }),
    fc.option(through, { nil: undefined }),
  )
  .map(([where, transform, permissions, destinations]) => ({
    ...where,
    transform,
    permissions,
    ...(destinations !== undefined && permissions.includes('token:use') && { through: destinations }),
  }));
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
        right,
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
    expect(decideAccess(input, { use: 'named_by_caller' }, { containers: ['/any/'] })).toBe('reveal');
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

  it('refuses another way than the deciding rule names, and asks no later rule', () => {
    const rules: AccessRule[] = [
      {
        priority: 1,
        container: '/a/',
        transform: 'reveal',
        permissions: ['token:read', 'token:use'],
        through: { proxies: [], reactors: ['x'] },
      },
      { priority: 2, container: '/', transform: 'reveal', permissions: ['token:use'] },
    ];
    const input: Grants = { permissions: ['token:use'], rules };
    const use = (use: Way, containers: string[]) => decideAccess(input, { use }, { containers });
    expect(use({ reactor: 'x' }, ['/a/'])).toBe('reveal');
    expect(use({ reactor: 'y' }, ['/a/'])).toBeUndefined();
    expect(use({ proxy: 'x' }, ['/a/'])).toBeUndefined();
    expect(use('named_by_caller', ['/a/'])).toBeUndefined();
    expect(use('named_by_caller', ['/b/'])).toBe('reveal');
    expect(use({ reactor: 'y' }, ['/a/', '/b/'])).toBeUndefined();
    expect(decideAccess(input, 'token:read', { containers: ['/a/'] })).toBe('reveal');
  });

  it('shows no more than the request asks for', () => {
    const input = {
      permissions: [],
      rules: [
        { priority: 1, container: '/', transform: 'mask' as const, permissions: ['token:read' as const] },
      ],
    };
    const shown = (atMost: Transform) =>
      decideAccess({ ...input, atMost }, 'token:read', { containers: ['/a/'] });
    expect(TRANSFORMS.map(shown)).toEqual(['redact', 'mask', 'mask']);
  });

  it('lists exactly the containers for which the decision is positive', () => {
    fc.assert(
      fc.property(grants, permission, container, (input, wanted, where) => {
        if (wanted === 'token:use') return true;
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
