import type { Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { createBudget, type Budget } from '../expressions/budget.ts';
import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import { defined } from '../shared/defined.ts';
import { errorsBelow, memberPath } from '../shared/member-path.ts';
import { newPosition } from '../shared/position.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { ServiceError } from '../shared/service-error.ts';
import { isOfSameRequest, writeIdOfPart, type WriteIdentity } from '../shared/write-identity.ts';
import { chooseTokenIds, literalId } from './choose-token-ids.ts';
import { createdResult, type CreatedResult } from './created-result.ts';
import { hasExpired } from './expiration.ts';
import { findDuplicate, isUnmatched, lockHolder, type WantedToken } from './find-duplicate.ts';
import { noSuchToken } from './get-token.ts';
import type { OpenTokenDeps } from './open-token.ts';
import { createWriteIdOf, writesAsItself } from './ownership.ts';
import { prepareContent, type PreparedContent } from './prepare-content.ts';
import { deriveParts, matchesOf, encryptContent } from './encrypt-content.ts';
import { isServiceId } from './service-id.ts';
import { storeMatchedCvc } from './store-matched-cvc.ts';
import type { TokenInput } from './token-input.ts';
import {
  asDuplicate,
  asGone,
  asStored,
  createTokenIds,
  startDrafts,
  wantsDuplicate,
  withNextId,
  type CheckedToken,
  type Draft,
  type FreshDraft,
} from './token-draft.ts';
import type { TokenResult } from './token-result.ts';
import type { StoredToken } from './token.ts';
import type { TokenStore, TokenWrite, WriteConflict } from './token-store.ts';
import { tokenType } from './token-type.ts';

export interface CreateTokenDeps extends OpenTokenDeps {
  readonly tokenStore: TokenStore;
  readonly tenantKeys: TenantKeys;
  /** How long a cvc is stored, in ms. */
  readonly cvcLifetimeMs: number;
  readonly clientCompatibility: ClientCompatibility;
}

/**
 * An input with the path that its token has in the request: empty, or `a[0]` inside a tokenize
 * request.
 */
export interface PlacedInput {
  readonly path: string;
  readonly input: TokenInput;
}

interface Creation {
  readonly deps: CreateTokenDeps;
  readonly caller: Caller;
  readonly placed: readonly PlacedInput[];
  readonly writes: WriteIdentity;
  /** The write ids of its tokens, and of the cvcs on matching tokens, are parts of these. */
  readonly writeId: Buffer;
  readonly cvcWriteId: Buffer;
  readonly budget: Budget;
}

/** Checks the content of all tokens. Errors have the path of their token. */
function prepareAll({
  deps: { clock, clientCompatibility },
  placed,
  writes,
  budget,
}: Creation): readonly PreparedContent[] {
  // A repeat is checked as its first attempt was.
  const preparation = { now: writes.startedAt ?? clock(), budget, clientCompatibility };
  const fields = new FieldReporter();
  const contents = placed.flatMap(({ path, input }) => {
    try {
      return [prepareContent(tokenType(input.type), input, preparation)];
    } catch (error) {
      if (!(error instanceof ServiceError) || error.errors === undefined) throw error;
      fields.add(errorsBelow(path, error.errors));
      return [];
    }
  });
  fields.throwIfFailed();
  checkDetails(contents);
  return contents;
}

/**
 * Most bytes of JSON in the metadata, masks and expressions of one request. One transaction of at
 * most 4 MB makes them visible.
 */
const DETAILS_MAX_BYTES = 3_000_000;

function checkDetails(contents: readonly PreparedContent[]): void {
  const bytesOf = ({ details }: PreparedContent) => Buffer.byteLength(JSON.stringify(details));
  const bytes = contents.length === 1 ? 0 : contents.reduce((sum, content) => sum + bytesOf(content), 0);
  if (bytes > DETAILS_MAX_BYTES)
    throw new ServiceError(
      'payload_too_large',
      `Metadata, masks and expressions of a request are at most ${String(DETAILS_MAX_BYTES)} bytes of JSON.`,
    );
}

/** Checks all tokens and the rights of the caller. */
async function checkAll(creation: Creation): Promise<readonly CheckedToken[]> {
  const { deps, caller, placed, writes, writeId, budget } = creation;
  const contents = prepareAll(creation);
  const transforms = contents.map(({ containers }) => requireAccess(caller, 'token:create', { containers }));
  const derived = await deriveParts(deps.tenantKeys, caller.tenantId, contents);
  const tried = new Set<string>();
  return placed.map(({ input }, index) => {
    const content = contents[index];
    const parts = derived[index];
    const transform = transforms[index];
    if (content === undefined || parts === undefined || transform === undefined)
      throw new Error('create tokens: a token was lost');
    const deduplicate = input.deduplicateToken ?? caller.tenantSettings?.deduplicateTokens ?? false;
    const ids = chooseTokenIds(input.id, content.data, {
      tenantId: caller.tenantId,
      type: tokenType(input.type),
      writes: writes.part(index),
      budget,
    });
    return {
      input,
      content,
      derived: parts,
      transform,
      deduplicate,
      writeId: writeIdOfPart(writeId, index),
      ids: createTokenIds(ids, tried),
    };
  });
}

async function assemble({ deps, caller }: Creation, draft: FreshDraft): Promise<TokenWrite> {
  const now = deps.clock();
  const until = now + deps.cvcLifetimeMs;
  const { containers, expiration } = draft.content;
  const plain = defined({
    tenantId: caller.tenantId,
    id: draft.id,
    type: draft.input.type,
    containers,
    createdBy: caller.applicationId,
    isSolelyOwn: writesAsItself(caller),
    isShared: draft.isMatched && !writesAsItself(caller),
    isUnmatched: isUnmatched(draft.input.deduplicateToken),
    ...draft.derived,
    cvcUntil: draft.content.cvc && until,
    expiration,
    createdAt: now,
    position: newPosition(deps.random, now),
    holdsLock: draft.deduplicate,
    version: 1,
    writeId: draft.writeId,
  });
  const { encryptedCvc, ...encrypted } = await encryptContent(deps.vault, plain, draft.content);
  const cvc = encryptedCvc && { encryptedCvc, until };
  return defined({ token: { ...plain, ...encrypted }, cvc, lockOf: draft.lockOf });
}

const wantedBy = ({ caller }: Creation, { derived, content, writeId }: CheckedToken): WantedToken =>
  defined({
    tenantId: caller.tenantId,
    fingerprint: derived.fingerprint,
    matchHash: derived.matchHash,
    writeId,
    expiration: content.expiration,
  });

/** Looks for existing tokens for the drafts that want deduplication. */
async function findDuplicates(creation: Creation, drafts: readonly Draft[]): Promise<readonly Draft[]> {
  const { deps, caller } = creation;
  return Promise.all(
    drafts.map(async (draft) => {
      if (!wantsDuplicate(draft)) return draft;
      const matches = await matchesOf(deps.tenantKeys, caller.tenantId, draft.content);
      const duplicate = await findDuplicate(deps, caller, wantedBy(creation, draft), matches);
      return duplicate === undefined ? draft : asDuplicate(draft, duplicate);
    }),
  );
}

/**
 * Decides what becomes of the drafts after another token was found to hold the lock of one of them.
 */
async function resolveLock(
  creation: Creation,
  drafts: readonly Draft[],
  lockedBy: string,
): Promise<readonly Draft[]> {
  const { deps, caller } = creation;
  const resolved: Draft[] = [];
  for (const draft of drafts) {
    if (!wantsDuplicate(draft)) {
      resolved.push(draft);
      continue;
    }
    const holder = await lockHolder(deps, caller, wantedBy(creation, draft), lockedBy);
    resolved.push(holder === undefined ? { ...draft, lockOf: lockedBy } : asDuplicate(draft, holder));
  }
  return resolved;
}

/**
 * The error for taken ids. It names all of the request, so that a caller with many tokens can send
 * the others.
 *
 * @param taken - an id that the store refused, which another request may have created only now
 */
async function idsTaken({ deps, caller, placed }: Creation, drafts: readonly Draft[], taken?: string) {
  const { tenantId } = caller;
  const literals = placed.flatMap(({ path, input }, index) => {
    const id = literalId(input.id);
    return id === undefined || drafts[index]?.state !== 'fresh' ? [] : [{ path, id }];
  });
  const found = await deps.tokenStore.findTaken(
    tenantId,
    literals.map(({ id }) => id),
  );
  const isTaken = (id: string) => id === taken || found.has(id) || isServiceId(tenantId, id);
  const errors = literals.filter(({ id }) => isTaken(id)).map(({ path }) => memberPath(path, 'id'));
  return new ServiceError('conflict', 'A token with this id exists or existed.', {
    errors: Object.fromEntries(errors.map((path) => [path, ['exists or existed']])),
  });
}

/** Throws `validation_failed` for all refused ids, and otherwise `conflict` for all taken ones. */
async function start(creation: Creation): Promise<readonly Draft[]> {
  const checked = await checkAll(creation);
  const { drafts, hasReservedId } = startDrafts(
    checked,
    creation.placed.map(({ path }) => path),
  );
  if (hasReservedId) throw await idsTaken(creation, drafts);
  return drafts;
}

/** Moves drafts on whose id another request took. Throws `conflict` if a literal one is taken. */
async function withOtherIds(
  creation: Creation,
  drafts: readonly Draft[],
  isTaken: (draft: FreshDraft) => boolean,
): Promise<readonly Draft[]> {
  const moved: Draft[] = [];
  for (const draft of drafts) {
    const next = draft.state === 'fresh' && isTaken(draft) ? withNextId(draft) : draft;
    if (next === undefined) throw await idsTaken(creation, drafts, draft.state === 'fresh' ? draft.id : '');
    moved.push(next);
  }
  return moved;
}

/**
 * Finds the tokens that an earlier attempt of this request has written. Each is under one of the
 * ids of its draft, and has the draft's write id. A draft without one had a duplicate then.
 */
async function findOwn(creation: Creation, drafts: readonly Draft[]): Promise<readonly Draft[]> {
  const { deps, caller } = creation;
  const fresh = drafts.filter((draft) => draft.state === 'fresh');
  const tokens = new Map<string, StoredToken>();
  const madeBy = new Map<string, Buffer>();
  const ownId = ({ ids, writeId }: FreshDraft) =>
    ids.drawn.find((id) => madeBy.get(id)?.equals(writeId) === true);
  let unknown = fresh.flatMap(({ ids }) => ids.drawn);
  while (unknown.length > 0) {
    for (const token of await deps.tokenStore.findMany(caller.tenantId, unknown)) {
      tokens.set(token.id, token);
      madeBy.set(token.id, createWriteIdOf(token));
    }
    const others = unknown.filter((id) => !tokens.has(id));
    for (const [id, writeId] of await deps.tokenStore.findDeleted(caller.tenantId, others))
      madeBy.set(id, writeId);
    unknown = fresh.flatMap((draft) =>
      ownId(draft) === undefined && draft.ids.draw() ? draft.ids.drawn.slice(-1) : [],
    );
  }
  const isForeign = (draft: FreshDraft) => ownId(draft) === undefined && madeBy.has(draft.id);
  return (await withOtherIds(creation, drafts, isForeign)).map((draft) => {
    if (draft.state !== 'fresh') return draft;
    const id = ownId(draft);
    if (id === undefined) return draft;
    const token = tokens.get(id);
    return token === undefined || hasExpired(token, deps.clock())
      ? asGone(draft, id)
      : asStored(draft, 'found', token);
  });
}

/**
 * Resolves drafts that have expired since the first attempt, which may have written them. Throws
 * `validation_failed` if it has not.
 */
async function resolveExpired(creation: Creation, drafts: readonly Draft[]): Promise<readonly Draft[]> {
  const now = creation.deps.clock();
  const isLate = (draft: Draft) => draft.state === 'fresh' && hasExpired(draft.content, now);
  if (!drafts.some(isLate)) return drafts;
  const found = await findOwn(creation, drafts);
  const fields = new FieldReporter();
  for (const [index, { path }] of creation.placed.entries()) {
    const draft = found[index];
    if (draft !== undefined && isLate(draft))
      fields.add(errorsBelow(path, { expires_at: ['must be in the future'] }));
  }
  fields.throwIfFailed();
  return found;
}

/**
 * Prepares the drafts for the next attempt after a conflict. Throws `conflict` if a literal id is
 * taken.
 */
async function resolveConflict(
  creation: Creation,
  drafts: readonly Draft[],
  conflict: WriteConflict,
): Promise<readonly Draft[]> {
  if (conflict === 'changed') return drafts;
  if ('lockedBy' in conflict) return resolveLock(creation, drafts, conflict.lockedBy);
  const { id: taken, writeId } = conflict.idTakenBy;
  if (writeId !== undefined && isOfSameRequest(writeId, creation.writeId)) return findOwn(creation, drafts);
  return withOtherIds(creation, drafts, ({ id }) => id === taken);
}

/** Writes the drafts that have no token yet, and finds their tokens after conflicts. */
async function writeAll(creation: Creation, found: readonly Draft[]): Promise<readonly Draft[]> {
  let drafts = found;
  return retryConflict(creation.deps, async () => {
    const fresh = drafts.filter((draft) => draft.state === 'fresh');
    if (fresh.length === 0) return drafts;
    const writes = await Promise.all(fresh.map((draft) => assemble(creation, draft)));
    const outcome = await creation.deps.tokenStore.create(writes);
    if (outcome !== 'written') {
      drafts = await resolveConflict(creation, drafts, outcome);
      return 'conflict';
    }
    const written = new Map(writes.map(({ token }) => [token.id, token]));
    return drafts.map((draft) => {
      const token = draft.state === 'fresh' ? written.get(draft.id) : undefined;
      return draft.state === 'fresh' && token !== undefined ? asStored(draft, 'written', token) : draft;
    });
  });
}

/**
 * Stores the cvcs of drafts on the tokens that matched. This runs after every draft has its match.
 */
async function storeCvcs(
  { deps, caller, cvcWriteId }: Creation,
  drafts: readonly Draft[],
): Promise<readonly Draft[]> {
  const stored: Draft[] = [];
  for (const [index, draft] of drafts.entries()) {
    if (draft.state !== 'duplicate' || draft.content.cvc === undefined) {
      stored.push(draft);
      continue;
    }
    const writeId = writeIdOfPart(cvcWriteId, index);
    const token = await storeMatchedCvc(deps, caller, draft.token, draft.content.cvc, writeId);
    stored.push(token === undefined ? { ...draft, isCvcDropped: true } : { ...draft, token });
  }
  return stored;
}

/**
 * Creates all tokens or none. Throws `validation_failed` with all problems, `payload_too_large`,
 * `forbidden` unless `token:create` covers all containers, and `conflict` for a taken literal id. A
 * token that an earlier attempt of the request created, and that is gone since, is not created
 * again.
 */
export async function createTokens(
  deps: CreateTokenDeps,
  caller: Caller,
  placed: readonly PlacedInput[],
  writes: WriteIdentity,
  budget: Budget = createBudget(deps.random.integer),
): Promise<readonly CreatedResult[]> {
  const writeId = writes.newWriteId();
  const cvcWriteId = writes.newWriteId();
  const creation = { deps, caller, placed, writes, writeId, cvcWriteId, budget };
  const started = await resolveExpired(creation, await start(creation));
  const written = await writeAll(creation, await findDuplicates(creation, started));
  const drafts = await storeCvcs(creation, written);
  return Promise.all(drafts.map((draft) => createdResult(deps, { caller, budget, drafts }, draft)));
}

/** Does the same as {@link createTokens} for one token. Throws `not_found` if it is gone. */
export async function createToken(
  deps: CreateTokenDeps,
  caller: Caller,
  input: TokenInput,
  writes: WriteIdentity,
): Promise<TokenResult> {
  const [result] = await createTokens(deps, caller, [{ path: '', input }], writes);
  if (result === undefined) throw new Error('create token: nothing was created');
  if (result.shows === 'gone') throw noSuchToken();
  return result;
}
