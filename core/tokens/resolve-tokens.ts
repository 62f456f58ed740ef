import { decideAccess } from '../applications/access-decision.ts';
import type { Transform } from '../applications/access-rule.ts';
import type { Caller } from '../applications/application.ts';
import type { Budget } from '../expressions/budget.ts';
import type { TokenReference } from '../expressions/token-expression.ts';
import type { Json } from '../shared/json.ts';
import { ServiceError } from '../shared/service-error.ts';
import { openTokens, type OpenTokenDeps } from './open-token.ts';
import { firstEnd, hasExpired } from './expiration.ts';
import type { TokenHead, TokenView } from './token.ts';
import { enrichedTokenObject } from './token-object.ts';
import type { TokenStore } from './token-store.ts';

export interface ResolveTokensDeps extends OpenTokenDeps {
  readonly tokenStore: TokenStore;
}

/** Most distinct tokens that one request may detokenize (spec.md, Limits). */
const TOKENS_MAX = 100;

/** Why and how far a request detokenizes. */
export interface Detokenization {
  readonly permission: 'token:use' | 'token:read';
  /** Most bytes of JSON that the request's tokens may hold, and that may be filled in. */
  readonly maxBytes: number;
}

/** The tokens of a request, opened. */
export interface ResolvedTokens {
  /** What a reference stands for: the data, or the whole Token object. `null` for data that the caller may not see. */
  readonly valueOf: (reference: Pick<TokenReference, 'id' | 'isWhole'>) => Json;
  /** Until when what was filled in may be kept: the first end of a token or of a cvc, in ms since the epoch; absent if there is none. */
  readonly keepUntil?: number;
}

function failed(ids: readonly string[]): ServiceError {
  return new ServiceError('validation_failed', `Failed to detokenize some tokens: ${ids.join(', ')}`);
}

async function findAll(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock'>,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly TokenHead[]> {
  const now = deps.clock();
  const found = (await deps.tokenStore.findHeads(tenantId, ids)).filter((token) => !hasExpired(token, now));
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) throw failed(missing);
  return found;
}

async function permittedTokens(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock'>,
  caller: Caller,
  { permission, maxBytes }: Detokenization,
  references: readonly TokenReference[],
) {
  const ids = [...new Set(references.map(({ id }) => id))];
  if (ids.length > TOKENS_MAX)
    throw new ServiceError(
      'validation_failed',
      `A request detokenizes at most ${String(TOKENS_MAX)} tokens.`,
    );
  const found = ids.length === 0 ? [] : await findAll(deps, caller.tenantId, ids);
  for (const token of found) transformOf(caller, permission, token);
  checkSize(found, references, maxBytes);
  return found;
}

/** The transform under which a token is filled in: `token:use` always inserts the raw data. Throws `forbidden`. */
function transformOf(
  caller: Caller,
  permission: Detokenization['permission'],
  token: Pick<TokenHead, 'id' | 'containers'>,
): Transform {
  const transform = decideAccess(caller, permission, token);
  if (transform === undefined)
    throw new ServiceError('forbidden', `The permission ${permission} is required for all tokens.`);
  return permission === 'token:use' ? 'reveal' : transform;
}

/** Throws `payload_too_large` before data is read, for more than a request may read or fill in. */
function checkSize(
  tokens: readonly TokenHead[],
  references: readonly TokenReference[],
  maxBytes: number,
): void {
  const bytesOf = new Map(tokens.map(({ id, dataBytes }) => [id, dataBytes]));
  const sum = (ids: Iterable<string>) => [...ids].reduce((bytes, id) => bytes + (bytesOf.get(id) ?? 0), 0);
  // What filters leave of a value is not known before it is read.
  const filledIn = references.filter(({ filters }) => filters === undefined).map(({ id }) => id);
  if (Math.max(sum(bytesOf.keys()), sum(filledIn)) > maxBytes)
    throw new ServiceError(
      'payload_too_large',
      `The tokens of a request may hold, and fill in, at most ${String(maxBytes / 1_000_000)} MB.`,
    );
}

/** Checks what {@link resolveTokens} checks, and opens nothing. */
export async function checkTokens(
  deps: Pick<ResolveTokensDeps, 'tokenStore' | 'clock'>,
  caller: Caller,
  what: Detokenization,
  references: readonly TokenReference[],
): Promise<void> {
  await permittedTokens(deps, caller, what, references);
}

/**
 * Reads and opens the tokens that references name, together. `token:use` always gives the raw data; `token:read` what the deciding rule
 * shows. Throws `validation_failed` for unknown or expired ids and for more than 100 tokens, `forbidden` for one that no rule grants,
 * and `payload_too_large`.
 */
export async function resolveTokens(
  deps: ResolveTokensDeps,
  caller: Caller,
  what: Detokenization,
  references: readonly TokenReference[],
  budget: Budget,
): Promise<ResolvedTokens> {
  const heads = await permittedTokens(deps, caller, what, references);
  const tokens = heads.length === 0 ? [] : await deps.tokenStore.readData(heads);
  const gone = heads.filter(({ id }) => !tokens.some((token) => token.id === id)).map(({ id }) => id);
  if (gone.length > 0) throw failed(gone);
  // Decided for what was read: a token may have moved since its head was looked at.
  const permitted = tokens.map((token) => ({
    token,
    transform: transformOf(caller, what.permission, token),
  }));
  const views = new Map(
    (await openTokens(deps, permitted, budget)).map((view): [string, TokenView] => [view.id, view]),
  );
  const keepUntil = firstEnd(tokens, deps.clock());
  return {
    ...(keepUntil === undefined ? {} : { keepUntil }),
    valueOf({ id, isWhole }) {
      const view = views.get(id);
      if (view === undefined) throw new Error('resolve tokens: a reference that was not announced');
      return isWhole ? enrichedTokenObject(view) : (view.data?.reveal() ?? null);
    },
  };
}
