import { decideAccess, moreRestrictive } from '../access/access-decision.ts';
import type { Caller } from '../access/caller.ts';
import type { Transform } from '../access/access-rule.ts';
import type { Container } from '../shared/container.ts';
import type { Budget } from '../expressions/budget.ts';
import { CVC_MEMBER } from './without-cvc.ts';
import { openToken, shownAs, type OpenTokenDeps } from './open-token.ts';
import type { StoredToken, TokenView } from './token.ts';

/**
 * How much of a token its writer sees: a view, the members that are stored in the clear, or its
 * identity (docs/contract.md#idempotency, docs/contract.md#update-a-token).
 */
export type VisibleToken =
  | { readonly shows: 'view'; readonly view: TokenView }
  | { readonly shows: 'clear' | 'identity' | 'identity_without_fingerprint' };

/** The result of a write: the written token, or the duplicate that existed already. */
export type TokenResult = VisibleToken & {
  readonly token: StoredToken;
  readonly deduplicated: boolean;
  /** Members of the request that the existing token did not take over, such as `data.cvc`. */
  readonly notStored?: readonly string[];
  /** The containers on which the write needed its permission. */
  readonly neededOn: readonly Container[];
};

/** The operation that a result belongs to. An update shows no more than `token:read` does. */
export type WritePermission = 'token:create' | 'token:update';

/** A request that asks for redacted tokens gets nothing that can be compared with another one. */
const showsFingerprint = ({ atMost }: Caller): boolean => atMost !== 'redact';

const identityFor = (caller: Caller, permission: WritePermission): VisibleToken => ({
  shows:
    permission === 'token:create' && showsFingerprint(caller) ? 'identity' : 'identity_without_fingerprint',
});

const resultOf = (token: StoredToken, shown: VisibleToken, deduplicated = false): TokenResult => ({
  ...shown,
  token,
  deduplicated,
  neededOn: token.containers,
});

/**
 * The result of a create. It shows the fingerprint under the transform of any rule, because the
 * data is the caller's own.
 */
export function writtenResult(caller: Caller, token: StoredToken, view: TokenView): TokenResult {
  const shown = showsFingerprint(caller) ? { ...view, fingerprint: token.fingerprint } : view;
  return resultOf(token, { shows: 'view', view: shown });
}

async function seenThrough(
  deps: OpenTokenDeps,
  token: StoredToken,
  transform: Transform | undefined,
  otherwise: VisibleToken,
  budget: Budget,
): Promise<VisibleToken> {
  if (transform === undefined) {
    if (otherwise.shows !== 'clear') deps.audit.saw(token, 'identity');
    return otherwise;
  }
  return { shows: 'view', view: await openToken(deps, token, transform, budget) };
}

/** An existing token that is returned in place of a new one. */
export type Match = Pick<TokenResult, 'token' | 'notStored'>;

/** The member that a matching token does not take over without `token:update`. */
export const CVC_NOT_STORED: readonly string[] = [`data.${CVC_MEMBER}`];

/**
 * The result of a write that found a duplicate. It shows the existing token under the caller's own
 * rule for `token:read`.
 */
export async function duplicateResult(
  deps: OpenTokenDeps,
  caller: Caller,
  { token, notStored }: Match,
  permission: WritePermission,
  budget: Budget,
): Promise<TokenResult> {
  const transform = decideAccess(caller, 'token:read', token);
  // Even if the result shows nothing else, the caller learns that this token exists.
  deps.audit.saw(token, 'identity');
  const shown = await seenThrough(deps, token, transform, identityFor(caller, permission), budget);
  return { ...resultOf(token, shown, true), ...(notStored && { notStored }) };
}

/**
 * The more restrictive of a transform and the one of the caller's `token:read` rule; `undefined`
 * without such a rule.
 */
function narrowedByRead(caller: Caller, token: StoredToken, transform: Transform): Transform | undefined {
  const read = decideAccess(caller, 'token:read', token);
  return read && moreRestrictive(transform, read);
}

/**
 * Reports in advance what {@link updatedResult} will show, so that one audit record covers both.
 */
export function foreseeUpdate(
  deps: Pick<OpenTokenDeps, 'audit'>,
  caller: Caller,
  token: StoredToken,
  transform: Transform,
): void {
  const narrowed = narrowedByRead(caller, token, transform);
  if (narrowed !== undefined) deps.audit.saw(token, shownAs(token, narrowed));
}

/** The result of an update. `transform` is that of the rule that permits the update. */
export async function updatedResult(
  deps: OpenTokenDeps,
  caller: Caller,
  token: StoredToken,
  transform: Transform,
  budget: Budget,
): Promise<TokenResult> {
  const narrowed = narrowedByRead(caller, token, transform);
  return resultOf(token, await seenThrough(deps, token, narrowed, { shows: 'clear' }, budget));
}

/**
 * The result of a write whose token another caller has changed since. The writer sees no more of it
 * than a reader.
 */
export async function changedResult(
  deps: OpenTokenDeps,
  caller: Caller,
  token: StoredToken,
  permission: WritePermission,
  transform: Transform,
  budget: Budget,
): Promise<TokenResult> {
  const narrowed = narrowedByRead(caller, token, transform);
  return resultOf(token, await seenThrough(deps, token, narrowed, identityFor(caller, permission), budget));
}
