// Random callers of one tenant. A naive reading of docs/contract.md, without the code under test,
// computes what each may see and change: the first line where the two disagree shows the hole.
import { TRANSFORMS, type Grants, type Transform } from '../../src/core/access/access-rule.ts';
import type { Viewer } from '../../src/core/access/access-decision.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import { isLegalFor, PERMISSION_NAMES, type Permission } from '../../src/core/access/permission.ts';
import { createProvenTokenStore } from '../../src/core/tokens/proven-token-store.ts';
import type { TokenStore } from '../../src/core/tokens/token-store.ts';
import { createVault } from '../../src/core/crypto/vault.ts';
import type { Json } from '../../src/core/shared/json.ts';
import { TENANT } from '../support/builders/a-stored-token.ts';
import { someTenantKeys } from '../support/tenant-keys.ts';
import { referenceDecision } from '../core/applications/reference-decision.ts';
import { tablesInMemory, tokenItemsOf, tokenStoreOver } from '../support/stores-in-memory.ts';
import { fc } from '../../packages/test-kit/src/properties.ts';
import { anAudit } from '../support/fakes/an-audit.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

/** Containers that cover one another, and others that do not. */
export const CONTAINERS = ['/', '/a/', '/a/b/', '/c/'] as const;
const TOKEN_PERMISSIONS = PERMISSION_NAMES.filter((name) => isLegalFor(name, 'private'));

const rules = fc
  .array(
    fc.record({
      container: fc.constantFrom(...CONTAINERS),
      transform: fc.constantFrom(...TRANSFORMS),
      permissions: fc.subarray([...TOKEN_PERMISSIONS], { minLength: 1 }),
    }),
    { maxLength: 3 },
  )
  .map((all) => all.map((rule, index) => ({ ...rule, priority: index + 1 })));

/** Grants of token permissions, at the top level and by rules. */
export const grants: fc.Arbitrary<Grants> = fc.record({
  permissions: fc.oneof(fc.subarray([...TOKEN_PERMISSIONS]), fc.constant([...TOKEN_PERMISSIONS])),
  rules,
});

const acting = fc.constantFrom<Pick<Caller, 'type' | 'actsBy'>>(
  { type: 'private', actsBy: 'own_key' },
  { type: 'private', actsBy: 'own_key' },
  { type: 'private', actsBy: 'invocation' },
  { type: 'private', actsBy: 'reactor' },
  { type: 'public', actsBy: 'own_key' },
  { type: 'session', actsBy: 'session' },
);

/** The callers belong to one tenant. Some act for the same application. */
export const callers: fc.Arbitrary<readonly Caller[]> = fc
  .array(fc.record({ grants, acting, application: fc.constantFrom('app-1', 'app-2', 'app-3') }), {
    minLength: 3,
    maxLength: 4,
  })
  .map((all) =>
    all.map(({ grants: granted, acting: by, application }, index) => ({
      tenantId: TENANT,
      applicationId: application,
      credentialId: `credential-${String(index)}`,
      ...by,
      ...granted,
    })),
  );

/**
 * Leaves out no candidate because of `isVisible`: a {@link TokenStore} may do that, but a caller
 * that relied on it would show too much.
 */
const showingAll = (store: TokenStore): TokenStore => ({
  ...store,
  candidates: (tenantId, { isVisible: _, ...wanted }) => store.candidates(tenantId, wanted),
});

/** The real parts of the service under the test, with a clock that the test moves. */
export function aWallWorld() {
  let now = Date.UTC(2026, 0, 1);
  const tables = tablesInMemory(() => now);
  const storedTokens = tokenStoreOver(tables);
  const tenantKeys = someTenantKeys();
  const vault = createVault(tenantKeys, machinePlatform.random);
  const deps = {
    tokenStore: showingAll(createProvenTokenStore(storedTokens, vault)),
    tenantKeys,
    vault,
    audit: anAudit(),
    ...machinePlatform,
    clock: () => now,
    cvcLifetimeMs: 3_600_000,
    clientCompatibility: 'strict' as const,
  };
  return {
    deps,
    storedTokens,
    tokenItems: tokenItemsOf(tables),
    pass: (ms: number) => (now += ms),
    now: () => now,
  };
}

/**
 * Masks that a caller may write, each with its result for `{ s: <secret>, n: <number> }`. At most
 * one is an object, since a patch would merge two.
 */
export const MASKS: readonly { readonly mask: Json; readonly of: (secret: string) => Json | undefined }[] = [
  { mask: null, of: () => undefined },
  { mask: '{{ data.s | last4 }}', of: (secret) => secret.slice(-4) },
  { mask: { s: "{{ data.s | reveal_first: 2, 'X' }}" }, of: (secret) => ({ s: masked(secret) }) },
  { mask: '***', of: () => '***' },
  { mask: '{{ data.s }}', of: (secret) => secret },
];

function masked(secret: string): string {
  return secret.slice(0, 2) + secret.slice(2).replace(/[^-]/g, 'X');
}

/** A token in the model, which is a naive reading of docs/contract.md. */
export interface ModelToken {
  readonly id: string;
  readonly secret: string;
  readonly number: number;
  /** Index into {@link MASKS}. */
  readonly mask: number;
  readonly containers: readonly string[];
  readonly createdBy: string;
  readonly isSolelyOwn: boolean;
  readonly isShared: boolean;
  readonly expiresAtMs: number | undefined;
  readonly isIndexed: boolean;
  readonly hasOwnExpression: boolean;
  /** Increases with each change of the content. */
  readonly revision: number;
}

export const dataOf = ({ secret, number }: Pick<ModelToken, 'secret' | 'number'>): Json => ({
  s: secret,
  n: number,
});

/**
 * The transform that the rules of a caller select for a token, or for containers, and no more than
 * the request asks for.
 */
export function transformOf(
  caller: Viewer,
  permission: Exclude<Permission, 'token:use'>,
  containers: readonly string[],
  id?: string,
): Transform | undefined {
  const decided = referenceDecision(caller, permission, id, containers);
  return caller.atMost === undefined ? decided : least(decided, caller.atMost);
}

/** Returns what a transform shows of a token. */
export function shownBy(transform: Transform | undefined, token: ModelToken): Json | undefined {
  if (transform === 'reveal') return dataOf(token);
  return transform === 'mask' ? MASKS[token.mask]?.of(token.secret) : undefined;
}

/** The more restrictive of two transforms, `undefined` being the most. */
export function least(a: Transform | undefined, b: Transform | undefined): Transform | undefined {
  return TRANSFORMS.find((transform) =>
    a === undefined || b === undefined ? false : transform === a || transform === b,
  );
}

/** Whether the caller is the private application that alone wrote the token, by its own key. */
export function isSoleWriter(caller: Caller, token: ModelToken): boolean {
  const isItself = caller.type === 'private' && caller.actsBy === 'own_key';
  return isItself && token.isSolelyOwn && token.createdBy === caller.applicationId;
}
