import { asWriter, type Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import { createBudget } from '../expressions/budget.ts';
import { defined } from '../shared/defined.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import type { CreateTokenDeps } from './create-tokens.ts';
import { findDuplicate, isUnmatched, lockHolder, isLockValid } from './find-duplicate.ts';
import { noSuchToken } from './get-token.ts';
import { hasExpired } from './expiration.ts';
import { createWriteIdOf, isSoleWriter } from './ownership.ts';
import { prepareChange, type Change } from './prepare-change.ts';
import { deriveParts, matchesOf, encryptContent } from './encrypt-content.ts';
import { storeMatchedCvc } from './store-matched-cvc.ts';
import { findOnce, type PrefetchedToken } from './prefetched-token.ts';
import type { StoredToken } from './token.ts';
import {
  CVC_NOT_STORED,
  duplicateResult,
  foreseeUpdate,
  updatedResult,
  type Match,
  type TokenResult,
} from './token-result.ts';
import type { TokenPatch } from './token-input.ts';
import type { TokenWrite } from './token-store.ts';
import { requireLifetimeRights } from './update-rights.ts';

export interface TokenUpdate {
  readonly id: string;
  readonly patch: TokenPatch;
  /** Only the first attempt uses it. */
  readonly prefetched?: PrefetchedToken | undefined;
}

function cvcUntil(deps: CreateTokenDeps, { previous, cvc }: Change): number | undefined {
  if (cvc === 'set') return deps.clock() + deps.cvcLifetimeMs;
  return cvc === 'unchanged' ? previous.cvcUntil : undefined;
}

function withoutOptional(token: StoredToken): Omit<StoredToken, 'encryptedData' | 'clearMac'> {
  const {
    encryptedData: _data,
    encryptedDetails: _details,
    clearMac: _mac,
    cvcUntil: _cvcUntil,
    expiration: _expiration,
    isApart: _isApart,
    isUnmatched: _isUnmatched,
    ...rest
  } = token;
  return rest;
}

async function assemble(
  deps: CreateTokenDeps,
  caller: Caller,
  change: Change,
  writeId: Buffer,
): Promise<TokenWrite> {
  const { previous, patch, content } = change;
  const [derived] = await deriveParts(deps.tenantKeys, caller.tenantId, [content]);
  if (derived === undefined) throw new Error('update token: nothing was derived');
  const place = {
    ...previous,
    containers: content.containers,
    isSolelyOwn: patch.data === undefined ? previous.isSolelyOwn : isSoleWriter(caller, previous),
  };
  const until = cvcUntil(deps, change);
  const expiration = patch.expiresAtText === undefined ? previous.expiration : content.expiration;
  const plain = defined({
    ...withoutOptional(place),
    ...derived,
    cvcUntil: until,
    expiration,
    holdsLock: patch.deduplicateToken ?? previous.holdsLock,
    isUnmatched:
      patch.deduplicateToken === undefined ? previous.isUnmatched : isUnmatched(patch.deduplicateToken),
    modifiedBy: caller.applicationId,
    modifiedAt: deps.clock(),
    version: previous.version + 1,
    writeId,
    createWriteId: createWriteIdOf(previous),
  });
  const { encryptedCvc, ...encrypted } = await encryptContent(deps.vault, plain, content);
  const token: StoredToken = { ...plain, ...encrypted };
  if (encryptedCvc !== undefined && until !== undefined) return { token, cvc: { encryptedCvc, until } };
  return change.cvc === 'removed' && previous.cvcUntil !== undefined ? { token, cvc: 'removed' } : { token };
}

/** The outcome of a write. `conflict` means that the token has changed since it was read. */
type Outcome =
  | { readonly kind: 'written' | 'duplicate'; readonly token: StoredToken }
  | { readonly kind: 'conflict' };

/**
 * Finds another token with the fingerprint that the patched token will have, if the patch asks for
 * one.
 */
async function duplicateOf(
  deps: CreateTokenDeps,
  caller: Caller,
  { patch, content }: Change,
  { token }: TokenWrite,
): Promise<StoredToken | undefined> {
  if (patch.deduplicateToken !== true) return undefined;
  return findDuplicate(deps, caller, token, await matchesOf(deps.tenantKeys, caller.tenantId, content));
}

/**
 * Decides the next attempt after another token's lock was in the way. It is the duplicate that
 * holds the lock, or a write that takes the lock over. Without deduplication a valid lock stays
 * where it is, and this token gets none.
 */
async function withoutConflict(
  deps: CreateTokenDeps,
  caller: Caller,
  { patch }: Change,
  blocked: TokenWrite,
  lockedBy: string,
): Promise<TokenWrite | { readonly duplicate: StoredToken }> {
  const takeover = { ...blocked, lockOf: lockedBy };
  if (patch.deduplicateToken === true) {
    const duplicate = await lockHolder(deps, caller, blocked.token, lockedBy);
    return duplicate === undefined ? takeover : { duplicate };
  }
  const isValid = await isLockValid(deps, blocked.token, lockedBy);
  return isValid ? { ...blocked, token: { ...blocked.token, holdsLock: false } } : takeover;
}

/** Writes a change, unless the patch asks for deduplication and there is a duplicate. */
async function write(
  deps: CreateTokenDeps,
  caller: Caller,
  change: Change,
  assembled: TokenWrite,
): Promise<Outcome> {
  const duplicate = await duplicateOf(deps, caller, change, assembled);
  if (duplicate !== undefined) return { kind: 'duplicate', token: duplicate };
  let attempt = assembled;
  for (;;) {
    const outcome = await deps.tokenStore.update(change.previous, attempt);
    if (outcome === 'written') return { kind: 'written', token: attempt.token };
    if (outcome === 'changed' || 'idTakenBy' in outcome) return { kind: 'conflict' };
    const next = await withoutConflict(deps, caller, change, attempt, outcome.lockedBy);
    if ('duplicate' in next) return { kind: 'duplicate', token: next.duplicate };
    attempt = next;
  }
}

/** The token that matched, with the cvc of the patch if the caller may store it there. */
async function withCvc(
  deps: CreateTokenDeps,
  caller: Caller,
  { content, cvc }: Change,
  match: StoredToken,
  writes: WriteIdentity,
): Promise<Match> {
  if (cvc !== 'set' || content.cvc === undefined) return { token: match };
  const stored = await storeMatchedCvc(deps, caller, match, content.cvc, writes.newWriteId());
  return stored === undefined ? { token: match, notStored: CVC_NOT_STORED } : { token: stored };
}

/**
 * Applies a merge patch (docs/contract.md#update-a-token), again after a concurrent update. Throws
 * `not_found`, `forbidden`, `validation_failed`, and `conflict` after several lost races.
 */
export async function updateToken(
  deps: CreateTokenDeps,
  caller: Caller,
  { id, patch, prefetched }: TokenUpdate,
  writes: WriteIdentity,
): Promise<TokenResult> {
  const writeId = writes.newWriteId();
  const budget = createBudget(deps.random.integer);
  const writer = asWriter(caller);
  let read = prefetched;
  return retryConflict<TokenResult>(deps, async () => {
    const previous = await findOnce(deps, caller, id, read);
    // This read is for one attempt only. After a lost race, the next one reads what the other
    // writer wrote.
    read = undefined;
    if (previous === undefined || hasExpired(previous, deps.clock())) throw noSuchToken();
    // An earlier attempt of this request was written, but its response was lost.
    if (previous.writeId.equals(writeId))
      return updatedResult(deps, caller, previous, requireAccess(caller, 'token:update', previous), budget);
    const change = await prepareChange(deps, writer, previous, patch, budget);
    const next = await assemble(deps, writer, change, writeId);
    if (patch.expiresAtText !== undefined)
      requireLifetimeRights(writer, previous, next.token.expiration?.at, change.transform);
    foreseeUpdate(deps, caller, next.token, change.transform);
    const outcome = await write(deps, writer, change, next);
    if (outcome.kind === 'conflict') return 'conflict';
    const result =
      outcome.kind === 'duplicate'
        ? await duplicateResult(
            deps,
            caller,
            await withCvc(deps, writer, change, outcome.token, writes),
            'token:update',
            budget,
          )
        : await updatedResult(deps, caller, outcome.token, change.transform, budget);
    return { ...result, neededOn: [...new Set([...previous.containers, ...next.token.containers])] };
  });
}
