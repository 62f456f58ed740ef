import { decideAccess, moreRestrictive } from '../access/access-decision.ts';
import type { Transform } from '../access/access-rule.ts';
import type { Caller } from '../applications/application.ts';
import { requireAccess } from '../access/require-permission.ts';
import { createBudget, type Budget } from '../expressions/budget.ts';
import { defined } from '../shared/defined.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { mergePatch } from '../shared/merge-patch.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
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
import { isSoleWriter, writesAsItself } from './ownership.ts';
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
import type { TokenWrite } from './token-store.ts';
import { tokenType } from './token-type.ts';
import type { TokenType } from './types/definition.ts';

/** The changes of an update; absent members are unchanged (docs/contract.md#update-a-token). */
export interface TokenPatch {
  readonly data?: Secret<Json>;
  readonly mask?: Json;
  /** `null` for an entry removes the entry; `null` for metadata removes all. */
  readonly metadata?: Readonly<Record<string, string | null>> | null;
  readonly containers?: readonly string[] | null;
  readonly searchIndexes?: readonly string[] | null;
  readonly fingerprintExpression?: string | null;
  readonly deduplicateToken?: boolean;
  readonly expiresAtText?: string | null;
  /** Members that no update changes, with the values that the caller expects. */
  readonly unchanged?: JsonObject;
}

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

/**
 * The members that describe a token: they decide what other callers see and how expressions name
 * it.
 */
const DESCRIPTION = {
  mask: 'mask',
  fingerprintExpression: 'fingerprint_expression',
  searchIndexes: 'search_indexes',
  containers: 'containers',
} as const satisfies Partial<Record<keyof TokenPatch, string>>;

/**
 * Throws `forbidden` for a patch of the description (docs/contract.md#update-a-token), unless the
 * rule reveals or the caller alone wrote all content of an unshared token.
 */
function requireDescription(
  caller: Caller,
  previous: StoredToken,
  patch: TokenPatch,
  transform: Transform,
): void {
  const names = Object.entries(DESCRIPTION)
    .filter(([member]) => patch[member as keyof typeof DESCRIPTION] !== undefined)
    .map(([, name]) => name);
  if (names.length === 0 || transform === 'reveal') return;
  if (isSoleWriter(caller, previous) && !previous.isShared) return;
  throw new ServiceError(
    'forbidden',
    `To change ${names.join(', ')}, a rule must grant token:update with the transform reveal on the old and the new containers.`,
  );
}

/** The update of one version of a token, after every check of its content. */
interface Change {
  readonly previous: StoredToken;
  readonly patch: TokenPatch;
  readonly content: PreparedContent;
  readonly cvc: CvcChange;
  readonly transform: Transform;
}

/** The members that a patch of the data names; `undefined` if it replaces the data. */
function patchedMembers({ data }: TokenPatch): readonly string[] | undefined {
  const patch = data?.reveal() ?? {};
  return isJsonObject(patch) ? Object.keys(patch) : undefined;
}

/**
 * A caller who received the token as a duplicate relies on its data, which is what matched. Throws
 * `forbidden` for a patch of the data, also for one that changes nothing: otherwise the response
 * would confirm a guess. A cvc is not part of what matched, and the private application that
 * updates a card may renew its month and year.
 */
function requireUnsharedData(
  caller: Caller,
  { isShared, type }: StoredToken,
  patch: TokenPatch,
  transform: Transform,
): void {
  if (!isShared || transform === 'reveal' || patch.data === undefined) return;
  const { renewable = [], separateMember } = tokenType(type);
  const free: readonly (string | undefined)[] = [
    separateMember,
    ...(writesAsItself(caller) ? renewable : []),
  ];
  if (patchedMembers(patch)?.every((name) => free.includes(name)) === true) return;
  throw sharedByDeduplication();
}

const sharedByDeduplication = () =>
  new ServiceError(
    'forbidden',
    'The token is shared by deduplication: to change data or expires_at, a rule must grant token:update with the transform reveal.',
  );

/**
 * A match confirms the whole data. Throws `forbidden` for a patch that asks for one, unless the
 * caller may see the data, or wrote all of it, or sends all of it.
 */
function requireKnownData(
  caller: Caller,
  previous: StoredToken,
  patch: TokenPatch,
  transform: Transform,
): void {
  if (patch.deduplicateToken !== true || transform === 'reveal' || isSoleWriter(caller, previous)) return;
  const { dataMembers, separateMember } = tokenType(previous.type);
  const names = patchedMembers(patch);
  const isComplete =
    names === undefined ||
    dataMembers?.every((name) => name === separateMember || names.includes(name)) === true;
  if (isComplete) return;
  throw new ServiceError(
    'forbidden',
    'To deduplicate by data that is not in the request, a rule must grant token:update with the transform reveal.',
  );
}

/** An earlier end deletes a token, so it needs the right to do so, except for its creator. */
function requireLifetime(caller: Caller, { previous, patch, content }: Change): void {
  if (patch.expiresAtText === undefined || patch.expiresAtText === null) return;
  const endsEarlier = (content.expiration?.at ?? Infinity) < (previous.expiration?.at ?? Infinity);
  if (!endsEarlier) return;
  if (writesAsItself(caller) && previous.createdBy === caller.applicationId) return;
  if (decideAccess(caller, 'token:delete', previous) !== undefined) return;
  throw new ServiceError(
    'forbidden',
    'To make a token expire earlier, a rule must grant token:delete on its containers.',
  );
}

/**
 * A caller who received the token as a duplicate relies on its lifetime. Throws `forbidden` for a
 * change of it.
 */
function requireUnsharedLifetime({ previous, patch, transform }: Change, next: StoredToken): void {
  if (!previous.isShared || transform === 'reveal' || patch.expiresAtText === undefined) return;
  if (previous.expiration?.at !== next.expiration?.at) throw sharedByDeduplication();
}

/** The checks of {@link prepareChange} that depend on the transform. */
function requireRights(caller: Caller, previous: StoredToken, patch: TokenPatch, transform: Transform): void {
  requireDescription(caller, previous, patch, transform);
  requireUnsharedData(caller, previous, patch, transform);
  requireKnownData(caller, previous, patch, transform);
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
  requireRights(caller, previous, patch, before);
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
  const preparation = { now: deps.clock(), budget, clientCompatibility, isMaskTried };
  if (clientCompatibility === 'strict') checkDataMembers(type, patch.data?.reveal());
  const content = prepareContent(type, patchedContent, preparation);
  if (patch.data !== undefined) checkDataUnderId(previous.id, type, content.data.reveal());
  const after = requireAccess(caller, 'token:update', { id: previous.id, containers: content.containers });
  const transform = moreRestrictive(before, after);
  requireRights(caller, previous, patch, transform);
  return { previous, patch, content, cvc: patched.cvc, transform };
}

function cvcUntil(deps: CreateTokenDeps, { previous, cvc }: Change): number | undefined {
  if (cvc === 'set') return deps.clock() + deps.cvcLifetimeMs;
  return cvc === 'unchanged' ? previous.cvcUntil : undefined;
}

function withoutOptional(token: StoredToken): Omit<StoredToken, 'sealedData' | 'sealedHead'> {
  const {
    sealedData: _data,
    sealedDetails: _details,
    sealedHead: _head,
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
    requireLifetime(caller, change);
    requireUnsharedLifetime(change, next.token);
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
