import { decideAccess, moreRestrictive } from '../access/access-decision.ts';
import type { Transform } from '../access/access-rule.ts';
import type { Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import { createBudget, type Budget } from '../expressions/budget.ts';
import { defined } from '../shared/defined.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { mergePatch } from './merge-patch.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { Secret } from '../shared/secret.ts';
import { checkUnchanged } from '../shared/check-unchanged.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import type { CreateTokenDeps } from './create-tokens.ts';
import { checkDataMembers } from './check-content.ts';
import { checkNotMasked } from './check-not-masked.ts';
import { checkDataUnderId } from './choose-token-ids.ts';
import { findDuplicate, lockHolder, lockStands } from './find-duplicate.ts';
import { noSuchToken } from './get-token.ts';
import { maskOf, openData, openDetails } from './open-token.ts';
import { hasExpired } from './expiration.ts';
import { isSoleWriter } from './ownership.ts';
import { prepareContent, withinMembers, type PreparedContent } from './prepare-content.ts';
import { deriveParts, matchesOf, sealContent } from './seal-content.ts';
import { storeMatchedCvc } from './store-matched-cvc.ts';
import type { StoredToken, TokenDetails } from './token.ts';
import { clearMembers } from './token-object.ts';
import {
  CVC_NOT_STORED,
  duplicateResult,
  foreseeUpdate,
  updatedResult,
  type Match,
  type TokenResult,
} from './token-result.ts';
import type { TokenPatch } from './token-patch.ts';
import type { TokenWrite } from './token-store.ts';
import { tokenType } from './token-type.ts';
import type { TokenType } from './types/definition.ts';
import { requireLifetimeRights, requirePatchRights } from './update-rights.ts';

/** An update of one token. */
export interface TokenUpdate {
  readonly id: string;
  readonly patch: TokenPatch;
  /** A read of the token that is under way; the first attempt uses it. */
  readonly firstRead?: Promise<StoredToken | undefined>;
}

/** How a patch changes a card's cvc. An unchanged cvc ends at the same time as before. */
type CvcChange = 'unchanged' | 'removed' | 'set';

/** The patched data, and the change of the cvc, which is not part of the stored data. */
function patchData(
  { separateMember }: TokenType,
  data: Json,
  patch: Json | undefined,
): { readonly data: Json; readonly cvc: CvcChange } {
  if (patch === undefined) return { data, cvc: 'unchanged' };
  const merged = withinMembers(() => mergePatch(data, patch));
  if (separateMember === undefined || !isJsonObject(patch) || !Object.hasOwn(patch, separateMember))
    return { data: merged, cvc: 'unchanged' };
  return { data: merged, cvc: patch[separateMember] === null ? 'removed' : 'set' };
}

function patchMetadata(
  current: TokenDetails['metadata'],
  patch: TokenPatch['metadata'],
): TokenDetails['metadata'] {
  if (patch === undefined) return current;
  const entries = new Map(Object.entries(patch === null ? {} : (current ?? {})));
  for (const [key, value] of Object.entries(patch ?? {})) {
    if (value === null) entries.delete(key);
    else entries.set(key, value);
  }
  return Object.fromEntries(entries);
}

/** A replaced member: `null` resets it to `fallback`. */
function replaced<T>(patch: T | null | undefined, current: T | undefined, fallback?: T): T | undefined {
  if (patch === undefined) return current;
  return patch ?? fallback;
}

function patchDetails(type: TokenType, details: TokenDetails, patch: TokenPatch): TokenDetails {
  const { mask } = patch;
  return defined({
    mask: mask === undefined ? details.mask : withinMembers(() => mergePatch(maskOf(type, details), mask)),
    metadata: patchMetadata(details.metadata, patch.metadata),
    searchIndexes: replaced(patch.searchIndexes, details.searchIndexes, []),
    fingerprintExpression: replaced(patch.fingerprintExpression, details.fingerprintExpression),
  });
}

/** The update of one version of a token, after every check of its content. */
interface Change {
  readonly previous: StoredToken;
  readonly patch: TokenPatch;
  readonly content: PreparedContent;
  readonly cvc: CvcChange;
  readonly transform: Transform;
}

/**
 * The unchangeable members that the caller may know. The fingerprint identifies the data, and is
 * only for callers who may read the token.
 */
function shownUnchanged(caller: Caller, token: StoredToken): JsonObject {
  const transform = decideAccess(caller, 'token:read', token);
  const isShown = transform !== undefined && transform !== 'redact';
  return { ...clearMembers(token), ...(isShown && { fingerprint: token.fingerprint }) };
}

/**
 * Checks the patch against the current token, and the caller's access to the old and the new
 * containers.
 */
async function prepareChange(
  deps: CreateTokenDeps,
  caller: Caller,
  previous: StoredToken,
  patch: TokenPatch,
  budget: Budget,
): Promise<Change> {
  const before = requireAccess(caller, 'token:update', previous);
  // Check this before any evaluation: an error that depends on the data reveals something about it.
  requirePatchRights(caller, previous, patch, before);
  checkUnchanged(patch.unchanged ?? {}, shownUnchanged(caller, previous));
  const [details, data] = await Promise.all([
    openDetails(deps.vault, previous),
    openData(deps.vault, previous),
  ]);
  const type = tokenType(previous.type);
  const patched = patchData(type, data.reveal(), patch.data?.reveal());
  const patchedContent = defined({
    ...patchDetails(type, details, patch),
    data: new Secret(patched.data),
    containers: replaced<readonly string[]>(patch.containers, previous.containers, []),
    expiresAtText: patch.expiresAtText ?? undefined,
  });
  const isMaskTried = patch.data === undefined && patch.mask === undefined;
  if (patch.data !== undefined && decideAccess(caller, 'token:read', previous) === 'mask')
    checkNotMasked(maskOf(type, details), data, patch.data, budget);
  const { clientCompatibility } = deps;
  const isMaskOfAnother = patch.mask === undefined;
  const preparation = { now: deps.clock(), budget, clientCompatibility, isMaskTried, isMaskOfAnother };
  if (clientCompatibility === 'strict') checkDataMembers(type, patch.data?.reveal());
  const content = prepareContent(type, patchedContent, preparation);
  if (patch.data !== undefined) checkDataUnderId(previous.id, type, content.data.reveal());
  const after = requireAccess(caller, 'token:update', { id: previous.id, containers: content.containers });
  const transform = moreRestrictive(before, after);
  requirePatchRights(caller, previous, patch, transform);
  return { previous, patch, content, cvc: patched.cvc, transform };
}

function cvcUntil(deps: CreateTokenDeps, { previous, cvc }: Change): number | undefined {
  if (cvc === 'set') return deps.clock() + deps.cvcLifetimeMs;
  return cvc === 'unchanged' ? previous.cvcUntil : undefined;
}

function withoutOptional(token: StoredToken): Omit<StoredToken, 'sealedData' | 'headMac'> {
  const {
    sealedData: _data,
    sealedDetails: _details,
    headMac: _head,
    cvcUntil: _cvcUntil,
    expiration: _expiration,
    isApart: _isApart,
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
  const unsealed = defined({
    ...withoutOptional(place),
    ...derived,
    cvcUntil: until,
    expiration,
    holdsLock: patch.deduplicateToken ?? previous.holdsLock,
    modifiedBy: caller.applicationId,
    modifiedAt: deps.clock(),
    version: previous.version + 1,
    writeId,
  });
  const { sealedCvc, ...sealed } = await sealContent(deps.vault, unsealed, content);
  const token: StoredToken = { ...unsealed, ...sealed };
  if (sealedCvc !== undefined && until !== undefined) return { token, cvc: { sealedCvc, until } };
  return change.cvc === 'removed' && previous.cvcUntil !== undefined ? { token, cvc: 'removed' } : { token };
}

/** The outcome of a write: `conflict` if the token has changed since it was read. */
type Outcome =
  { readonly kind: 'written' | 'duplicate'; readonly token: StoredToken } | { readonly kind: 'conflict' };

/**
 * Another token with the fingerprint that the patched token will have, if the patch asks for one.
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
 * Writes a change, unless the patch asks for deduplication and there is a duplicate. Without
 * deduplication, a lock remains with the token that holds it.
 */
async function write(
  deps: CreateTokenDeps,
  caller: Caller,
  change: Change,
  assembled: TokenWrite,
): Promise<Outcome> {
  const { previous, patch } = change;
  const duplicate = await duplicateOf(deps, caller, change, assembled);
  if (duplicate !== undefined) return { kind: 'duplicate', token: duplicate };
  for (let next = assembled; ;) {
    const obstacle = await deps.tokenStore.update(previous, next);
    if (obstacle === 'written') return { kind: 'written', token: next.token };
    if (obstacle === 'changed' || 'idTakenBy' in obstacle) return { kind: 'conflict' };
    const { lockedBy } = obstacle;
    if (patch.deduplicateToken === true) {
      const holder = await lockHolder(deps, caller, next.token, lockedBy);
      if (holder !== undefined) return { kind: 'duplicate', token: holder };
      next = { ...next, lockOf: lockedBy };
    } else if (await lockStands(deps, next.token, lockedBy))
      next = { ...next, token: { ...next.token, holdsLock: false } };
    else next = { ...next, lockOf: lockedBy };
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
  { id, patch, firstRead }: TokenUpdate,
  writes: WriteIdentity,
): Promise<TokenResult> {
  const writeId = writes.newWriteId();
  const budget = createBudget();
  let read = firstRead;
  return retryConflict<TokenResult>(async () => {
    const previous = await (read ?? deps.tokenStore.find(caller.tenantId, id));
    // Use this read for one attempt only: after a lost race, read what the other writer wrote.
    read = undefined;
    if (previous === undefined || hasExpired(previous, deps.clock())) throw noSuchToken();
    // An earlier attempt of this request was written, but its response was lost.
    if (previous.writeId.equals(writeId))
      return updatedResult(deps, caller, previous, requireAccess(caller, 'token:update', previous), budget);
    const change = await prepareChange(deps, caller, previous, patch, budget);
    const next = await assemble(deps, caller, change, writeId);
    if (patch.expiresAtText !== undefined)
      requireLifetimeRights(caller, previous, next.token.expiration?.at, change.transform);
    foreseeUpdate(deps, caller, next.token, change.transform);
    const outcome = await write(deps, caller, change, next);
    if (outcome.kind === 'conflict') return 'conflict';
    const result =
      outcome.kind === 'duplicate'
        ? await duplicateResult(
            deps,
            caller,
            await withCvc(deps, caller, change, outcome.token, writes),
            'token:update',
            budget,
          )
        : await updatedResult(deps, caller, outcome.token, change.transform, budget);
    return { ...result, neededOn: [...new Set([...previous.containers, ...next.token.containers])] };
  });
}
