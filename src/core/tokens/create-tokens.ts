import type { Transform } from '../access/access-rule.ts';
import type { Caller } from '../access/caller.ts';
import { requireAccess } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { createBudget, type Budget } from '../expressions/budget.ts';
import type { ClientCompatibility } from '../shared/client-compatibility.ts';
import { defined } from '../shared/defined.ts';
import type { Json } from '../shared/json.ts';
import { joinedPath } from '../shared/member-path.ts';
import { newPosition } from '../shared/position.ts';
import { FieldReporter } from '../shared/field-reporter.ts';
import { retryConflict } from '../shared/retry-conflict.ts';
import type { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { chooseTokenIds } from './choose-token-ids.ts';
import { findDuplicate, lastsAsLong, lockHolder, type Wanted } from './find-duplicate.ts';
import { openToken, viewOf, type OpenTokenDeps } from './open-token.ts';
import { writesAsItself } from './ownership.ts';
import { prepareContent, wholeData, type PreparedContent } from './prepare-content.ts';
import { deriveParts, matchesOf, sealContent, type DerivedParts } from './seal-content.ts';
import { storeMatchedCvc } from './store-matched-cvc.ts';
import type { StoredToken } from './token.ts';
import type { TokenInput } from './token-input.ts';
import {
  changedResult,
  CVC_NOT_STORED,
  duplicateResult,
  writtenResult,
  type TokenResult,
} from './token-result.ts';
import type { TokenStore, TokenWrite, WriteConflict } from './token-store.ts';
import { tokenType } from './token-type.ts';

export interface CreateTokenDeps extends OpenTokenDeps {
  readonly tokenStore: TokenStore;
  readonly tenantKeys: TenantKeys;
  /** Lifetime of a cvc, in ms. */
  readonly cvcLifetimeMs: number;
  readonly clientCompatibility: ClientCompatibility;
}

/** A token of the request before it is stored. */
interface Draft {
  readonly input: TokenInput;
  readonly content: PreparedContent;
  readonly derived: DerivedParts;
  readonly transform: Transform;
  readonly deduplicate: boolean;
  readonly ids: Iterator<string>;
  id: string;
  /** Id of the token that holds the lock, if it no longer matches. */
  lockOf?: string;
  /** The existing token that is returned instead. */
  duplicate?: StoredToken;
  /** The existing token did not take over the cvc. */
  isCvcDropped?: boolean;
  /** The draft of the same request that is returned instead. */
  sameAs?: Draft;
  /** At least one other draft has this one as its `sameAs`. */
  isMatched?: true;
}

/**
 * An input with the path of its token in the request: empty, or `a[0]` inside a tokenize request.
 */
export interface PlacedInput {
  readonly path: string;
  readonly input: TokenInput;
}

/** Checks the content of all tokens; errors carry the path of their token. */
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
      fields.add(prefixed(path, error.errors));
      return [];
    }
  });
  fields.throwIfFailed();
  checkDetails(contents);
  return contents;
}

/**
 * Most bytes of JSON in the metadata, masks and expressions of one request: one transaction of at
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

function prefixed(path: string, errors: Readonly<Record<string, readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(errors).map(([member, messages]) => [joinedPath(path, member), messages]),
  );
}

function nextId(draft: Pick<Draft, 'ids'>): string {
  const next = draft.ids.next();
  if (next.done === true) throw new ServiceError('conflict', 'A token with this id exists or existed.');
  return next.value;
}

async function draftAll(
  deps: CreateTokenDeps,
  caller: Caller,
  placed: readonly PlacedInput[],
  writes: WriteIdentity,
  budget: Budget,
): Promise<Draft[]> {
  const contents = prepareAll(deps, placed, budget);
  const transforms = contents.map(({ containers }) => requireAccess(caller, 'token:create', { containers }));
  const derived = await deriveParts(deps.tenantKeys, caller.tenantId, contents);
  const drafts = placed.map(({ input }, index): Draft => {
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
    return { input, content, derived: parts, transform, deduplicate, ids, id: '' };
  });
  matchWithin(drafts);
  for (const draft of drafts) if (draft.sameAs === undefined) draft.id = nextId(draft);
  return drafts;
}

/**
 * Drafts that want deduplication and have the same match hash become one token: that of the draft
 * that expires last (the first one, if several do).
 */
function matchWithin(drafts: readonly Draft[]): void {
  const longest = new Map<string, Draft>();
  const wanting = drafts.filter(({ deduplicate }) => deduplicate);
  for (const draft of wanting) {
    const known = longest.get(draft.derived.matchHash);
    if (known === undefined || !lastsAsLong(known.content, draft.content))
      longest.set(draft.derived.matchHash, draft);
  }
  for (const draft of wanting) {
    const other = longest.get(draft.derived.matchHash);
    if (other === undefined || other === draft) continue;
    draft.sameAs = other;
    other.isMatched = true;
  }
}

async function assemble(
  deps: CreateTokenDeps,
  caller: Caller,
  draft: Draft,
  writeId: Buffer,
): Promise<TokenWrite> {
  const now = deps.clock();
  const until = now + deps.cvcLifetimeMs;
  const { containers, expiration } = draft.content;
  const unsealed = defined({
    tenantId: caller.tenantId,
    id: draft.id,
    type: draft.input.type,
    containers,
    createdBy: caller.applicationId,
    isSolelyOwn: writesAsItself(caller),
    isShared: draft.isMatched === true && !writesAsItself(caller),
    ...draft.derived,
    cvcUntil: draft.content.cvc && until,
    expiration,
    createdAt: now,
    position: newPosition(now),
    holdsLock: draft.deduplicate,
    version: 1,
    writeId,
  });
  const { sealedCvc, ...sealed } = await sealContent(deps.vault, unsealed, draft.content);
  const cvc = sealedCvc && { sealedCvc, until };
  return defined({ token: { ...unsealed, ...sealed }, cvc, lockOf: draft.lockOf });
}

const wantedBy = (caller: Caller, { derived, content }: Draft, writeId: Buffer): Wanted =>
  defined({
    tenantId: caller.tenantId,
    fingerprint: derived.fingerprint,
    matchHash: derived.matchHash,
    writeId,
    expiration: content.expiration,
  });

/** Looks for existing tokens for the drafts that want deduplication. */
async function findDuplicates(
  deps: CreateTokenDeps,
  caller: Caller,
  drafts: readonly Draft[],
  writeId: Buffer,
): Promise<void> {
  const wanting = drafts.filter(
    (draft) => draft.deduplicate && draft.sameAs === undefined && draft.duplicate === undefined,
  );
  await Promise.all(
    wanting.map(async (draft) => {
      const matches = await matchesOf(deps.tenantKeys, caller.tenantId, draft.content);
      const duplicate = await findDuplicate(deps, caller, wantedBy(caller, draft, writeId), matches);
      if (duplicate !== undefined) draft.duplicate = duplicate;
    }),
  );
}

/**
 * Prepares the drafts for the next attempt after a conflict. Throws `conflict` if a literal id is
 * taken.
 */
async function resolveConflict(
  deps: CreateTokenDeps,
  caller: Caller,
  drafts: readonly Draft[],
  writeId: Buffer,
  conflict: WriteConflict,
): Promise<void> {
  if (conflict === 'changed') return;
  if ('idTakenBy' in conflict) {
    const draft = drafts.find(
      ({ id, duplicate, sameAs }) => id === conflict.idTakenBy.id && !duplicate && !sameAs,
    );
    if (draft !== undefined) draft.id = nextId(draft);
    return;
  }
  for (const draft of drafts.filter(
    ({ deduplicate, duplicate, sameAs }) => deduplicate && !duplicate && !sameAs,
  )) {
    const holder = await lockHolder(deps, caller, wantedBy(caller, draft, writeId), conflict.lockedBy);
    if (holder !== undefined) draft.duplicate = holder;
    else draft.lockOf = conflict.lockedBy;
  }
}

/** Two tokens of one request cannot share an id: the later one gets its next id. */
function separateIds(drafts: readonly Draft[]): void {
  const used = new Set<string>();
  for (const draft of drafts) {
    while (used.has(draft.id)) draft.id = nextId(draft);
    used.add(draft.id);
  }
}

type Written = readonly StoredToken[] | 'conflict';

/**
 * Makes one attempt to write the drafts that have no duplicate. Returns their tokens as stored, in
 * the order of these drafts.
 */
async function attempt(
  deps: CreateTokenDeps,
  caller: Caller,
  drafts: readonly Draft[],
  writeId: Buffer,
): Promise<Written> {
  const fresh = drafts.filter(({ duplicate, sameAs }) => duplicate === undefined && sameAs === undefined);
  if (fresh.length === 0) return [];
  separateIds(fresh);
  const writes = await Promise.all(fresh.map((draft) => assemble(deps, caller, draft, writeId)));
  const outcome = await deps.tokenStore.create(writes);
  if (outcome === 'written') return writes.map(({ token }) => token);
  // An earlier attempt of this request had written everything, but its response was lost.
  if (
    outcome !== 'changed' &&
    'idTakenBy' in outcome &&
    outcome.idTakenBy.writeId?.equals(writeId) === true
  ) {
    return deps.tokenStore.findMany(
      caller.tenantId,
      writes.map(({ token }) => token.id),
    );
  }
  await resolveConflict(deps, caller, drafts, writeId, outcome);
  return 'conflict';
}

/**
 * The data of a new token under a transform; the mask was evaluated when the content was checked.
 */
function shownOf({ data, cvc, masked }: PreparedContent, transform: Transform): Secret<Json> | undefined {
  if (transform === 'reveal') return wholeData(data, cvc);
  return transform === 'mask' ? masked : undefined;
}

/** Whether another draft of the request is stored in its place, with another cvc or none. */
function dropsCvc({ sameAs, content }: Draft): boolean {
  if (sameAs === undefined || content.cvc === undefined) return false;
  return sameAs.isCvcDropped === true || sameAs.content.cvc?.reveal() !== content.cvc.reveal();
}

/** Stores the cvcs of drafts on the tokens that matched. Runs after every draft has its match. */
async function storeCvcs(
  deps: CreateTokenDeps,
  caller: Caller,
  drafts: readonly Draft[],
  writes: WriteIdentity,
): Promise<void> {
  for (const draft of drafts) {
    const { duplicate, content } = draft;
    if (duplicate === undefined || content.cvc === undefined) continue;
    const stored = await storeMatchedCvc(deps, caller, duplicate, content.cvc, writes.newWriteId());
    if (stored === undefined) draft.isCvcDropped = true;
    else draft.duplicate = stored;
  }
}

async function resultOf(
  deps: CreateTokenDeps,
  caller: Caller,
  draft: Draft,
  written: ReadonlyMap<string, StoredToken>,
  writeId: Buffer,
  budget: Budget,
): Promise<TokenResult> {
  const source = draft.sameAs ?? draft;
  const isCvcDropped = draft.isCvcDropped === true || dropsCvc(draft);
  const notStored = isCvcDropped ? { notStored: CVC_NOT_STORED } : {};
  if (source.duplicate !== undefined)
    return duplicateResult(deps, caller, { token: source.duplicate, ...notStored }, 'token:create', budget);
  const token = written.get(source.id);
  if (token === undefined) throw new ServiceError('conflict', 'A token was changed while it was created.');
  const { content, transform } = draft;
  // An earlier attempt of this request wrote the token; another caller has changed it since.
  if (!token.writeId.equals(writeId)) {
    const changed = await changedResult(deps, caller, token, 'token:create', transform, budget);
    const { fingerprint } = draft.derived;
    return changed.shows === 'identity' ? { ...changed, token: { ...token, fingerprint } } : changed;
  }
  if (source !== draft) return duplicateResult(deps, caller, { token, ...notStored }, 'token:create', budget);
  const isFresh = token.version === 1;
  // Shows the content from memory: there is no need to decrypt what was just sealed.
  const view = isFresh
    ? viewOf(token, content.details, shownOf(content, transform), transform)
    : await openToken(deps, token, transform, budget);
  return writtenResult(token, view);
}

/**
 * Creates all tokens or none. Throws `validation_failed` with all problems, `payload_too_large`,
 * `forbidden` unless `token:create` covers all containers, `conflict` for a taken literal id.
 */
export async function createTokens(
  deps: CreateTokenDeps,
  caller: Caller,
  placed: readonly PlacedInput[],
  writes: WriteIdentity,
): Promise<readonly TokenResult[]> {
  const writeId = writes.newWriteId();
  const budget = createBudget();
  const drafts = await draftAll(deps, caller, placed, writes, budget);
  await findDuplicates(deps, caller, drafts, writeId);
  const written = await retryConflict(() => attempt(deps, caller, drafts, writeId));
  await storeCvcs(deps, caller, drafts, writes);
  const byId = new Map(written.map((token) => [token.id, token]));
  return Promise.all(drafts.map((draft) => resultOf(deps, caller, draft, byId, writeId, budget)));
}

/** {@link createTokens} for one token. */
export async function createToken(
  deps: CreateTokenDeps,
  caller: Caller,
  input: TokenInput,
  writes: WriteIdentity,
): Promise<TokenResult> {
  const [result] = await createTokens(deps, caller, [{ path: '', input }], writes);
  if (result === undefined) throw new Error('create token: nothing was created');
  return result;
}
