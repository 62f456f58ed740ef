import {
  accessEffects,
  accessIn,
  TOKEN_PERMISSIONS,
  type AccessEffect,
  type TokenPermission,
} from '../../src/core/access/access-effects.ts';
import type { AccessRule as CoreRule, Grants as CoreGrants } from '../../src/core/access/access-rule.ts';
import { parseContainer } from '../../src/core/shared/container.ts';
import { counted } from './counted.ts';
import type { AccessRule, Application } from './sdk.ts';

export { TOKEN_PERMISSIONS, type TokenPermission };

export type Through = NonNullable<AccessRule['through']>;

export type Grants = Pick<Application, 'permissions' | 'rules'>;

/** The access that a request meets in a container; `undefined` for none. */
export type Access = AccessEffect['before'];

export type Effect = AccessEffect;

function asCore({ priority, container, transform, permissions, through }: AccessRule): readonly CoreRule[] {
  // A rule that is being written may have no container, or half of one.
  const parsed = parseContainer(container ?? '');
  if (parsed === undefined) return [];
  const rule = { priority, container: parsed, transform, permissions };
  if (through === undefined) return [rule];
  const { proxies = [], reactors = [], callbacks = [] } = through;
  return [{ ...rule, through: { proxies, reactors, callbacks } }];
}

const converted = new WeakMap<readonly AccessRule[], readonly CoreRule[]>();

/** The grants as the service has them. A matrix asks for the same thousands of times. */
function coreOf({ permissions, rules }: Grants): CoreGrants {
  let known = converted.get(rules);
  if (known === undefined) converted.set(rules, (known = rules.flatMap(asCore)));
  return { permissions, rules: known };
}

/** Decides as the service does: by its own code. */
export const decide = (grants: Grants, permission: TokenPermission, container: string): Access =>
  accessIn(coreOf(grants), permission, container);

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

/** The containers where rules begin or the types of tokens are, as a tree in depth-first order. */
export function containersOf(all: readonly Grants[]): readonly string[] {
  const named = all.flatMap((grants) => coreOf(grants).rules.flatMap(({ container }) => container ?? []));
  // The order of the text would put `/a-b/` between `/a/` and `/a/c/`.
  const order = (container: string) => container.replaceAll('/', '\u0000');
  return [...new Set([...named, ...DEFAULT_CONTAINERS].flatMap(lineOf))].toSorted((one, other) =>
    order(one) < order(other) ? -1 : 1,
  );
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

/** Everything that an edit changes, container by container. */
export const effectsOf = (before: Grants, after: Grants): readonly Effect[] =>
  accessEffects(coreOf(before), coreOf(after), containersOf([before, after]));
