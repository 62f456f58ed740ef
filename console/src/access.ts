import type { AccessRule, Application, PermissionName, Transform } from './sdk.ts';
import { counted } from './counted.ts';

/** The permissions whose answer depends on the container of a token. */
export type TokenPermission = Extract<PermissionName, `token:${string}`>;

/** A new permission over tokens does not compile without its place here. */
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

export type Through = NonNullable<AccessRule['through']>;

export type Grants = Pick<Application, 'permissions' | 'rules'>;

/** A rule, the top-level permissions or nothing decides in a container. */
export interface Decision {
  readonly transform: Transform | 'nothing';
  readonly by: AccessRule | 'permissions' | undefined;
}

/** `/pci/` covers `/pci/high/`, not `/pcix/`. */
export const covers = (container: string, other: string): boolean => other.startsWith(container);

const ordered = new WeakMap<readonly AccessRule[], readonly AccessRule[]>();

/** The rules in ascending order of their priority. A matrix asks thousands of times. */
function inOrder(rules: readonly AccessRule[]): readonly AccessRule[] {
  const known = ordered.get(rules);
  if (known !== undefined) return known;
  const sorted = rules.toSorted((one, other) => one.priority - other.priority);
  ordered.set(rules, sorted);
  return sorted;
}

/**
 * Draws what a request meets in a container, as docs/contract.md#how-access-is-decided states it.
 * The service itself decides; `explain` asks it. A test compares the two for generated rules.
 */
export function decide(grants: Grants, permission: TokenPermission, container: string): Decision {
  const rule = inOrder(grants.rules).find(
    (candidate) =>
      candidate.container !== undefined &&
      candidate.permissions.includes(permission) &&
      covers(candidate.container.toLowerCase(), container),
  );
  // The plaintext is filled in whatever the transform of a rule is.
  const isUse = permission === 'token:use';
  if (rule !== undefined) return { transform: isUse ? 'reveal' : rule.transform, by: rule };
  if (!grants.permissions.includes(permission)) return { transform: 'nothing', by: undefined };
  return { transform: isUse ? 'reveal' : 'mask', by: 'permissions' };
}

/** The containers of the token types (docs/contract.md#token-types). */
export const DEFAULT_CONTAINERS = [
  '/bank/high/',
  '/bank/low/',
  '/general/high/',
  '/pci/high/',
  '/pii/high/',
] as const;

/** `/a/b/` and everything above it, the root first. */
export function lineOf(container: string): readonly string[] {
  const parts = container.split('/').filter((part) => part !== '');
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}/`)];
}

const CONTAINER = /^\/(?:[a-z0-9_-]{1,64}\/){0,8}$/;

/** The containers where rules begin or the types of tokens are, as a tree in depth-first order. */
export function containersOf(all: readonly Grants[]): readonly string[] {
  const named = all.flatMap(({ rules }) =>
    rules.flatMap(({ container }) => (container === undefined ? [] : [container.toLowerCase()])),
  );
  const valid = [...named, ...DEFAULT_CONTAINERS].filter((container) => CONTAINER.test(container));
  // The order of the text would put `/a-b/` between `/a/` and `/a/c/`.
  const order = (container: string) => container.replaceAll('/', '\u0000');
  return [...new Set(valid.flatMap(lineOf))].toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** One place where an edit changes what a caller may do. */
export interface Effect {
  readonly container: string;
  readonly permission: TokenPermission;
  readonly before: Decision;
  readonly after: Decision;
}

/** The limit that a decision sets to `token:use`; `undefined` for any destination. */
export function throughOf({ by }: Decision, permission: TokenPermission): Through | undefined {
  return permission === 'token:use' && typeof by === 'object' ? by.through : undefined;
}

/**
 * Describes how `token:use` is limited. The callbacks of reactors are no destinations of their own.
 */
export function wordsOfUse(through: Through | undefined): string {
  if (through === undefined) return 'use, anywhere';
  const { proxies = [], reactors = [], callbacks = [] } = through;
  const results =
    callbacks.length === 0 ? '' : `, results to ${counted(callbacks.length, 'address', 'addresses')}`;
  return `use, through ${counted(proxies.length + reactors.length, 'destination')}${results}`;
}

/** Every id and address of a limit, in order, to compare two of them; `undefined` for any. */
function namedBy(decision: Decision, permission: TokenPermission): readonly string[] | undefined {
  const through = throughOf(decision, permission);
  if (through === undefined) return undefined;
  const { proxies = [], reactors = [], callbacks = [] } = through;
  return [...proxies, ...reactors, ...callbacks].toSorted();
}

/** Everything that an edit changes, container by container. */
export function effectsOf(before: Grants, after: Grants): readonly Effect[] {
  return containersOf([before, after]).flatMap((container) =>
    TOKEN_PERMISSIONS.flatMap((permission) => {
      const [old, next] = [before, after].map((grants) => decide(grants, permission, container));
      if (old === undefined || next === undefined) return [];
      const from = namedBy(old, permission);
      const to = namedBy(next, permission);
      const isSame = old.transform === next.transform && String(from) === String(to);
      return isSame ? [] : [{ container, permission, before: old, after: next }];
    }),
  );
}

const WEIGHT = { nothing: 0, redact: 1, mask: 2, reveal: 3 } as const;

/** Whether an effect gives more than there was: what a second person should look at. */
export function givesMore({ before, after, permission }: Effect): boolean {
  if (WEIGHT[after.transform] !== WEIGHT[before.transform])
    return WEIGHT[after.transform] > WEIGHT[before.transform];
  const from = namedBy(before, permission);
  const to = namedBy(after, permission);
  if (from === undefined) return false;
  return to === undefined || to.some((id) => !from.includes(id));
}
