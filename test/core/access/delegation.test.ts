import { decideAccess, permissionOf, type Right } from '../../../src/core/access/access-decision.ts';
import {
  RULE_LIMITS,
  TRANSFORMS,
  type AccessRule,
  type Grants,
} from '../../../src/core/access/access-rule.ts';
import { narrowGrants, permissionsBeyond, widenedPermissions } from '../../../src/core/access/delegation.ts';
import type { Container } from '../../../src/core/shared/container.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const SEGMENTS = ['pci', 'pcix', 'low'];
const inside = (container: Container) => SEGMENTS.map((segment): Container => `${container}${segment}/`);
const CONTAINERS: readonly Container[] = ['/', ...inside('/'), ...inside('/').flatMap(inside)];
const PERMISSIONS = ['token:read', 'token:use', 'token:create'] as const;
const CALLBACKS = [
  'https://a.example/',
  'https://a.example/hooks',
  'https://a.example/hooks/',
  'https://a.example/hooks/7',
  'https://a.example/x%2Fy',
];
/** Destinations that rules name, one that none names, and the one that callers name. */
const RIGHTS: readonly Right[] = [
  'token:read',
  'token:create',
  { use: { proxy: 'x' } },
  { use: { reactor: 'x' } },
  { use: { reactor: 'y' } },
  { use: { reactor: 'z' } },
  ...['x', 'y'].flatMap((reactor) => CALLBACKS.map((callback) => ({ use: { reactor, callback } }))),
  { use: 'named_by_caller' },
];

const through = fc.record({
  proxies: fc.subarray(['x']),
  reactors: fc.subarray(['x', 'y'], { minLength: 1 }),
  callbacks: fc.subarray(['https://a.example/', 'https://a.example/hooks', 'https://a.example/hooks/']),
});
const withThrough = <T extends { permissions: readonly string[] }>(
  each: T,
  destinations: AccessRule['through'],
) => ({
  ...each,
  ...(destinations !== undefined && each.permissions.includes('token:use') && { through: destinations }),
});
const extent = {
  transform: fc.constantFrom(...TRANSFORMS),
  permissions: fc.subarray([...PERMISSIONS], { minLength: 1 }),
};
const someThrough = fc.option(through, { nil: undefined });
const rule = fc
  .tuple(fc.record({ container: fc.constantFrom(...CONTAINERS), ...extent }), someThrough)
  .map(([each, destinations]) => withThrough(each, destinations));
const grants = fc
  .record({
    permissions: fc.subarray([...PERMISSIONS], { maxLength: 1 }),
    rules: fc.array(rule, { maxLength: 4 }),
  })
  .map(({ permissions, rules }): Grants => ({
    permissions,
    rules: rules.map((each, index) => ({ ...each, priority: index + 1 })),
  }));

const amount = (of: Grants, right: Right, containers: readonly Container[], id?: string) => {
  const transform = decideAccess(of, right, { containers, ...(id !== undefined && { id }) });
  return transform === undefined ? -1 : TRANSFORMS.indexOf(transform);
};

const condition = fc.oneof(
  fc.record({
    attribute: fc.constant('container' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: fc.constantFrom(...CONTAINERS),
  }),
  fc.record({
    attribute: fc.constant('id' as const),
    operator: fc.constantFrom('equals' as const, 'starts_with' as const),
    value: fc.constantFrom('token-1', 'token'),
  }),
);
const sessionRule = fc.oneof(
  rule,
  fc
    .tuple(
      fc.record({ conditions: fc.array(condition, { minLength: 1, maxLength: 2 }), ...extent }),
      someThrough,
    )
    .map(([each, destinations]) => withThrough(each, destinations)),
);
const sessionGrants = fc
  .record({
    permissions: fc.subarray([...PERMISSIONS], { maxLength: 1 }),
    rules: fc.array(sessionRule, { maxLength: 4 }),
  })
  .map(({ permissions, rules }): Grants => ({
    permissions,
    rules: rules.map((each, index) => ({ ...each, priority: rules.length - index })),
  }));
/** Tokens in one or two containers, with an id that conditions name, and with another. */
const tokens = fc.record({
  containers: fc.subarray([...CONTAINERS], { minLength: 1, maxLength: 2 }),
  id: fc.constantFrom('token-1', 'other'),
});

/** Grants whose rules count how often a decision asks one of them. */
function counted({ permissions, rules }: Grants) {
  const asked = { times: 0 };
  const counting = rules.map((each) => ({
    ...each,
    get permissions() {
      asked.times += 1;
      return each.permissions;
    },
  }));
  return { grants: { permissions, rules: counting }, asked };
}

describe('delegation to a session with as many rules and conditions as it may have', () => {
  const all = [
    'token:create',
    'token:update',
    'token:read',
    'token:search',
    'token:delete',
    'token:use',
  ] as const;
  const rules = (value: (rule: number, condition: number) => string) =>
    Array.from({ length: RULE_LIMITS.rules }, (_, rule) => ({
      priority: rule + 1,
      transform: 'reveal' as const,
      permissions: [...all],
      conditions: Array.from(
        { length: RULE_LIMITS.conditionsInAll / RULE_LIMITS.rules },
        (__, condition) => ({
          attribute: 'container' as const,
          operator: 'starts_with' as const,
          value: value(rule, condition),
        }),
      ),
    }));
  // All of these containers are compared, because the last one has less than the rest.
  const authorizer: Grants = {
    permissions: [],
    rules: Array.from({ length: RULE_LIMITS.rules }, (_, index) => {
      const isLast = index === RULE_LIMITS.rules - 2;
      const isRoot = index === RULE_LIMITS.rules - 1;
      return {
        priority: index + 1,
        container: isRoot ? '/' : `/a${String(index)}/`,
        transform: isLast ? ('redact' as const) : ('reveal' as const),
        permissions: isLast || isRoot ? [...all] : ['token:create' as const],
      };
    }),
  };

  it.each([
    ['equal conditions', () => '/', all],
    [
      'distinct conditions',
      (rule: number, condition: number) => `/${String(rule)}/${String(condition)}/`,
      [],
    ],
  ])(
    'asks each rule of the authorizer at most once for a permission and a container: %s',
    (_title, value, beyond) => {
      const { grants: granter, asked } = counted(authorizer);
      const granted = { permissions: [], rules: rules(value) };
      expect(permissionsBeyond(granter, granted)).toEqual(beyond);
      const containers = RULE_LIMITS.conditionsInAll + RULE_LIMITS.rules;
      const most = all.length * containers * RULE_LIMITS.rules;
      expect(asked.times).toBeLessThanOrEqual(most);
      expect(asked.times).toBeGreaterThan(most / 100);
      asked.times = 0;
      expect(narrowGrants(granter, granted).rules[0]?.permissions).toHaveLength(all.length - beyond.length);
      expect(asked.times).toBeLessThanOrEqual(most);
    },
  );
});

describe('the permissions that a change of grants widens', () => {
  it('are those that let a caller do more with some token', () => {
    fc.assert(
      fc.property(grants, grants, (previous, next) => {
        const more = RIGHTS.filter((right) =>
          CONTAINERS.some((each) => amount(next, right, [each]) > amount(previous, right, [each])),
        ).map(permissionOf);
        // A permission that was nowhere is new even if another rule takes its effect.
        const named = ({ permissions, rules }: Grants) => [
          ...permissions,
          ...rules.flatMap((each) => each.permissions),
        ];
        const first = named(next).filter((each) => !named(previous).includes(each));
        expect(new Set(widenedPermissions(previous, next))).toEqual(new Set([...more, ...first]));
      }),
      { numRuns: cases(1_500) },
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
          for (const right of RIGHTS)
            if (amount(next, right, containers) > amount(previous, right, containers))
              expect(widened).toContain(permissionOf(right));
        },
      ),
      { numRuns: cases(1_500) },
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

describe('what a session gets', () => {
  const isWithin = (
    session: Grants,
    authorizer: Grants,
    { containers, id }: { containers: Container[]; id: string },
  ) =>
    RIGHTS.every(
      (right) => amount(session, right, containers, id) <= amount(authorizer, right, containers, id),
    );

  it('is at most what its application has, for every token, permission and destination', () => {
    let granted = 0;
    fc.assert(
      fc.property(grants, sessionGrants, tokens, (authorizer, session, token) => {
        if (permissionsBeyond(authorizer, session).length > 0) return true;
        granted += 1;
        return isWithin(session, authorizer, token);
      }),
      { numRuns: cases(5_000) },
    );
    expect(granted).toBeGreaterThan(cases(5_000) / 100);
  });

  it('stays so when the application loses rights, and no other rule decides instead', () => {
    fc.assert(
      fc.property(grants, grants, sessionGrants, tokens, (before, after, session, token) => {
        const narrowed = narrowGrants(after, session);
        for (const right of RIGHTS)
          expect(amount(narrowed, right, token.containers, token.id)).toBeLessThanOrEqual(
            amount(session, right, token.containers, token.id),
          );
        return (
          isWithin(narrowed, after, token) &&
          (permissionsBeyond(before, session).length > 0 || isWithin(session, before, token))
        );
      }),
      { numRuns: cases(1_500) },
    );
  });

  it('may have fewer destinations than its application, and no other', () => {
    const using = (reactors?: readonly string[]): Grants => ({
      permissions: [],
      rules: [
        {
          priority: 1,
          container: '/pci/',
          transform: 'reveal',
          permissions: ['token:use'],
          ...(reactors !== undefined && { through: { proxies: [], reactors } }),
        },
      ],
    });
    expect(permissionsBeyond(using(['x', 'y']), using(['x']))).toEqual([]);
    expect(permissionsBeyond(using(), using(['x']))).toEqual([]);
    expect(permissionsBeyond(using(['x']), using(['x', 'y']))).toEqual(['token:use']);
    expect(permissionsBeyond(using(['x']), using())).toEqual(['token:use']);
    expect(permissionsBeyond(using(['x']), { permissions: ['token:use'], rules: [] })).toEqual(['token:use']);
  });
});
