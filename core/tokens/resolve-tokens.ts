import { decideAccess } from '../applications/access-decision.ts';
import type { Caller } from '../applications/application.ts';
import type { TokenReference } from '../expressions/token-expression.ts';
import type { Json } from '../shared/json.ts';
import { ServiceError } from '../shared/service-error.ts';
import { openTokens, type OpenTokenDeps } from './open-token.ts';
import { hasExpired } from './expiration.ts';
import type { StoredToken, TokenView } from './token.ts';
import { enrichedTokenObject } from './token-object.ts';
import type { TokenStore } from './token-store.ts';

export interface ResolveTokensDeps extends OpenTokenDeps {
  readonly tokenStore: TokenStore;
}

/** Most distinct tokens that one request may detokenize (spec.md, Limits). */
const TOKENS_MAX = 100;

/** The tokens of a request, opened. */
export interface ResolvedTokens {
  /** What a reference stands for: the data, or the whole Token object. `null` for data that the caller may not see. */
  valueOf(reference: Pick<TokenReference, 'id' | 'isWhole'>): Json;
}

function failed(ids: readonly string[]): ServiceError {
  return new ServiceError('validation_failed', `Failed to detokenize some tokens: ${ids.join(', ')}`);
}

async function findAll(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock'>,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly StoredToken[]> {
  const now = deps.clock();
  const found = (await deps.tokenStore.findMany(tenantId, ids)).filter((token) => !hasExpired(token, now));
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) throw failed(missing);
  return found;
}

async function permittedTokens(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock'>,
  caller: Caller,
  permission: 'token:use' | 'token:read',
  references: readonly TokenReference[],
) {
  const ids = [...new Set(references.map(({ id }) => id))];
  if (ids.length > TOKENS_MAX)
    throw new ServiceError(
      'validation_failed',
      `A request detokenizes at most ${String(TOKENS_MAX)} tokens.`,
    );
  const found = ids.length === 0 ? [] : await findAll(deps, caller.tenantId, ids);
  return found.map((token) => {
    const transform = decideAccess(caller, permission, token);
    if (transform === undefined)
      throw new ServiceError('forbidden', `The permission ${permission} is required for all tokens.`);
    return { token, transform: permission === 'token:use' ? 'reveal' : transform } as const;
  });
}

/** Checks what {@link resolveTokens} checks, and opens nothing. */
export async function checkTokens(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock'>,
  caller: Caller,
  permission: 'token:use' | 'token:read',
  references: readonly TokenReference[],
): Promise<void> {
  await permittedTokens(deps, caller, permission, references);
}

/**
 * Reads and opens the tokens that references name, together. `token:use` always gives the raw data; `token:read` what the deciding rule
 * shows. Throws `validation_failed` for unknown or expired ids and for more than 100 tokens, `forbidden` for one that no rule grants.
 */
export async function resolveTokens(
  deps: ResolveTokensDeps,
  caller: Caller,
  permission: 'token:use' | 'token:read',
  references: readonly TokenReference[],
): Promise<ResolvedTokens> {
  const permitted = await permittedTokens(deps, caller, permission, references);
  const views = new Map(
    (await openTokens(deps, permitted)).map((view): [string, TokenView] => [view.id, view]),
  );
  return {
    valueOf({ id, isWhole }) {
      const view = views.get(id);
      if (view === undefined) throw new Error('resolve tokens: a reference that was not announced');
      return isWhole ? enrichedTokenObject(view) : (view.data?.reveal() ?? null);
    },
  };
}
