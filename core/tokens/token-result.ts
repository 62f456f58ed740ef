import { decideAccess } from '../applications/access-decision.ts';
import type { Caller } from '../applications/application.ts';
import { openToken, type OpenTokenDeps } from './open-token.ts';
import type { StoredToken, TokenView } from './token.ts';

/** What a write answers: the token, or the one that was there already. */
export type TokenResult =
  | { readonly kind: 'token'; readonly view: TokenView; readonly deduplicated: boolean }
  /** A duplicate that the caller may not read: only what identifies it. */
  | {
      readonly kind: 'identity';
      readonly token: Pick<StoredToken, 'id' | 'tenantId' | 'type' | 'fingerprint' | 'containers'>;
    };

/** An existing token as the answer to a write that found it: seen through the caller's own rule for `token:read`. */
export async function duplicateResult(
  deps: OpenTokenDeps,
  caller: Caller,
  token: StoredToken,
): Promise<TokenResult> {
  const transform = decideAccess(caller, 'token:read', token);
  if (transform === undefined) return { kind: 'identity', token };
  return { kind: 'token', view: await openToken(deps, token, transform), deduplicated: true };
}
