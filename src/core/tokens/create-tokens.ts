import type { Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { createBudget, type Budget } from '../expressions/budget.ts';
import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import { defined } from '../shared/defined.ts';
import { errorsBelow } from '../shared/member-path.ts';
import { newPosition } from '../shared/position.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { chooseTokenIds } from './choose-token-ids.ts';
import { createdResult, type CreatedResult } from './created-result.ts';
import { hasExpired } from './expiration.ts';
import { findDuplicate, lockHolder, type Wanted } from './find-duplicate.ts';
import { noSuchToken } from './get-token.ts';
import type { OpenTokenDeps } from './open-token.ts';
import { createWriteIdOf, writesAsItself } from './ownership.ts';
import { prepareContent, type PreparedContent } from './prepare-content.ts';
import { deriveParts, matchesOf, encryptContent } from './encrypt-content.ts';
import { storeMatchedCvc } from './store-matched-cvc.ts';
import type { TokenInput } from './token-input.ts';
import {
  asDuplicate,
  asGone,
  asWritten,
  separateIds,
  startDrafts,
  wantsDuplicate,
  withNextId,
  type CheckedToken,
  type Draft,
  type FreshDraft,
} from './token-draft.ts';
import type { TokenResult } from './token-result.ts';
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

/** Checks the content of all tokens. Errors have the path of their token. */
function prepareAll(
  { clock, clientCompatibility }: CreateTokenDeps,
  placed: readonly PlacedInput[],
  budget: Budget,
): readonly PreparedContent[] {
  const preparation = { now: clock(), budget, clientCompatibility };
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

/** What every step of one request needs. */
interface Creation {
  readonly deps: CreateTokenDeps;
  readonly caller: Caller;
  readonly writes: WriteIdentity;
  readonly writeId: Buffer;
  readonly budget: Budget;
}

/** Checks all tokens and the rights of the caller. */
async function checkAll(
  { deps, caller, writes, budget }: Creation,
  placed: readonly PlacedInput[],
): Promise<readonly CheckedToken[]> {
  const contents = prepareAll(deps, placed, budget);
  const transforms = contents.map(({ containers }) => requireAccess(caller, 'token:create', { containers }));
  const derived = await deriveParts(deps.tenantKeys, caller.tenantId, contents);
  return placed.map(({ input }, index) => {
    const [content, parts, transform] = [contents[index], derived[index], transforms[index]];
    if (content === undefined || parts === undefined || transform === undefined)
      throw new Error('create tokens: a token was lost');
    const deduplicate = input.deduplicateToken ?? caller.tenantSettings?.deduplicateTokens ?? false;
    const ids = chooseTokenIds(input.id, content.data, {
      tenantId: caller.tenantId,
      type: tokenType(input.type),
      writes,
      budget,
    });
    return { input, content, derived: parts, transform, deduplicate, ids };
  });
}

async function assemble({ deps, caller, writeId }: Creation, draft: FreshDraft): Promise<TokenWrite> {
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
    ...draft.derived,
    cvcUntil: draft.content.cvc && until,
    expiration,
    createdAt: now,
    position: newPosition(deps.random, now),
    holdsLock: draft.deduplicate,
    version: 1,
    writeId,
  });
  const { encryptedCvc, ...encrypted } = await encryptContent(deps.vault, plain, draft.content);
  const cvc = encryptedCvc && { encryptedCvc, until };
  return defined({ token: { ...plain, ...encrypted }, cvc, lockOf: draft.lockOf });
}

const wantedBy = ({ caller, writeId }: Creation, { derived, content }: CheckedToken): Wanted =>
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
 * Finds the tokens that an earlier attempt of this request has written. All attempts draw the same
 * ids in the same order, so a draft whose token is not found here draws its next id, or is new: it
 * had a duplicate in the earlier attempt.
 */
async function findOwn({ deps, caller, writeId }: Creation, drafts: readonly Draft[]) {
  const ids = drafts.flatMap((draft) => (draft.state === 'fresh' ? [draft.id] : []));
  const found = await deps.tokenStore.findMany(caller.tenantId, ids);
  const own = new Map(
    found.filter((token) => createWriteIdOf(token).equals(writeId)).map((token) => [token.id, token]),
  );
  const others = ids.filter((id) => !own.has(id));
  const gone = new Set(await deps.tokenStore.findDeleted(caller.tenantId, others, writeId));
  return drafts.map((draft) => {
    if (draft.state !== 'fresh') return draft;
    const token = own.get(draft.id);
    if (token === undefined) return gone.has(draft.id) ? asGone(draft) : draft;
    return hasExpired(token, deps.clock()) ? asGone(draft) : asWritten(draft, token);
  });
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
  if (writeId?.equals(creation.writeId) === true) return findOwn(creation, drafts);
  return drafts.map((draft) => (draft.state === 'fresh' && draft.id === taken ? withNextId(draft) : draft));
}

/** Writes the drafts that have no token yet, and finds their tokens after conflicts. */
async function writeAll(creation: Creation, found: readonly Draft[]): Promise<readonly Draft[]> {
  let drafts = found;
  return retryConflict(creation.deps, async () => {
    drafts = separateIds(drafts);
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
      return draft.state === 'fresh' && token !== undefined ? asWritten(draft, token) : draft;
    });
  });
}

/**
 * Stores the cvcs of drafts on the tokens that matched. This runs after every draft has its match.
 */
async function storeCvcs(
  { deps, caller, writes }: Creation,
  drafts: readonly Draft[],
): Promise<readonly Draft[]> {
  const stored: Draft[] = [];
  for (const draft of drafts) {
    if (draft.state !== 'duplicate' || draft.content.cvc === undefined) {
      stored.push(draft);
      continue;
    }
    const token = await storeMatchedCvc(deps, caller, draft.token, draft.content.cvc, writes.newWriteId());
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
): Promise<readonly CreatedResult[]> {
  const budget = createBudget(deps.random.integer);
  const creation = { deps, caller, writes, writeId: writes.newWriteId(), budget };
  const started = startDrafts(await checkAll(creation, placed));
  const drafts = await writeAll(creation, await findDuplicates(creation, started));
  const created = { ...creation, drafts: await storeCvcs(creation, drafts) };
  return Promise.all(created.drafts.map((draft) => createdResult(deps, created, draft)));
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
