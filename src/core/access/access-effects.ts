import type { Container } from '../shared/container.ts';
import { mayUseSomewhere, shownFor, throughOf, type Way } from './access-decision.ts';
import type { AccessRule, Grants, Through } from './access-rule.ts';
import { extentIn, isAtLeast, type Extent } from './delegation.ts';
import type { Permission } from './permission.ts';

/*
 * Compares two sets of grants by the functions that decide requests. The console and
 * `cloakroom config plan` show the result before a change, so this module runs in browsers too.
 */

/** The permissions whose decision depends on the container of a token. */
export type TokenPermission = Extract<Permission, `token:${string}`>;

/** Has the order in which people read them. A new permission does not compile without a place. */
const PLACE: Readonly<Record<TokenPermission, number>> = {
  'token:read': 1,
  'token:search': 2,
  'token:use': 3,
  'token:create': 4,
  'token:update': 5,
  'token:delete': 6,
};

export const TOKEN_PERMISSIONS = (Object.keys(PLACE) as TokenPermission[]).toSorted(
  (one, other) => PLACE[one] - PLACE[other],
);

/** One place where a change of grants changes a decision. */
export interface AccessEffect {
  /**
   * A container, which means also everything below it that no rule names. Absent for calls of
   * proxies and reactors without a token, which `token:use` also permits.
   */
  readonly container?: Container;
  readonly permission: TokenPermission;
  readonly before: Extent | undefined;
  readonly after: Extent | undefined;
  /** Whether it permits something that was not permitted, whatever else it takes away. */
  readonly givesMore: boolean;
}

/**
 * The extent to which an application has a permission in a container; `undefined` if it has none.
 * Its rules have containers, because those with conditions are only of sessions.
 */
export function accessIn(
  grants: Grants,
  permission: TokenPermission,
  container: Container,
): Extent | undefined {
  const extent = extentIn(grants, permission, container);
  return extent && { ...extent, transform: shownFor(extent.transform, permission) };
}

/**
 * The root and the containers that the rules name. Access changes only at these, and a container
 * that is none of them is decided as the nearest one above it.
 */
export function decidingContainers(all: readonly Grants[]): readonly Container[] {
  const named = all.flatMap(({ rules }) => rules.flatMap(({ container }) => container ?? []));
  return [...new Set(['/', ...named])];
}

const mayUse = ({ permissions }: Pick<AccessRule, 'permissions'>): boolean =>
  permissions.includes('token:use');

/** Ways of a limit. A caller that may take all of these may take every way of the limit. */
function waysOf(through: Through | undefined): readonly Way[] {
  if (through === undefined) return ['named_by_caller'];
  const { proxies, reactors, callbacks = [] } = through;
  return [
    ...proxies.map((proxy) => ({ proxy })),
    ...reactors.flatMap((reactor) => [{ reactor }, ...callbacks.map((callback) => ({ reactor, callback }))]),
  ];
}

/** The limits under which grants have `token:use`, also of rules that decide nowhere. */
const limitsOf = (grants: Grants): readonly (Through | undefined)[] => [
  ...(mayUse(grants) ? [throughOf('permissions')] : []),
  ...grants.rules.filter(mayUse).map(throughOf),
];

/** Everything that the limits name together, to show it. */
function unionOf(limits: readonly (Through | undefined)[]): Extent | undefined {
  if (limits.length === 0) return undefined;
  const known = limits.filter((limit) => limit !== undefined);
  if (known.length < limits.length) return { transform: 'reveal' };
  const together = (member: keyof Through) => [...new Set(known.flatMap((limit) => limit[member] ?? []))];
  const [proxies, reactors, callbacks] = (['proxies', 'reactors', 'callbacks'] as const).map(together);
  return {
    transform: 'reveal',
    through: { proxies: proxies ?? [], reactors: reactors ?? [], callbacks: callbacks ?? [] },
  };
}

/**
 * The effect on calls without a token, if a way becomes free that none of the other effects shows.
 * A rule that decides about no token still permits such calls.
 */
function effectWithoutToken(
  before: Grants,
  after: Grants,
  others: readonly AccessEffect[],
): readonly AccessEffect[] {
  const shown: Grants = {
    permissions: [],
    rules: others.flatMap(({ permission, after: extent, givesMore }, index) =>
      permission === 'token:use' && givesMore && extent !== undefined
        ? [{ priority: index + 1, permissions: [permission], ...extent } as AccessRule]
        : [],
    ),
  };
  const ways = limitsOf(after).flatMap(waysOf);
  const isNew = ways.some((way) => !mayUseSomewhere(before, way) && !mayUseSomewhere(shown, way));
  if (!isNew) return [];
  const [from, to] = [before, after].map((grants) => unionOf(limitsOf(grants)));
  return [{ permission: 'token:use', before: from, after: to, givesMore: true }];
}

/**
 * Everything that a change of an application's grants changes, container by container: exactly
 * where the decision on a token in that container is another one. `containers` are those to look
 * at, and have all of {@link decidingContainers}.
 */
export function accessEffects(
  before: Grants,
  after: Grants,
  containers: readonly Container[] = decidingContainers([before, after]),
): readonly AccessEffect[] {
  const effects = containers.flatMap((container) =>
    TOKEN_PERMISSIONS.flatMap((permission): readonly AccessEffect[] => {
      const [from, to] = [before, after].map((grants) => accessIn(grants, permission, container));
      const givesMore = to !== undefined && !isAtLeast(from, to);
      const takesAway = from !== undefined && !isAtLeast(to, from);
      return givesMore || takesAway ? [{ container, permission, before: from, after: to, givesMore }] : [];
    }),
  );
  return [...effects, ...effectWithoutToken(before, after, effects)];
}
