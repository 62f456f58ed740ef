import * as z from 'zod/mini';
import { madeOnce } from '../../core/shared/made-once.ts';
import { sortableTime } from '../../core/shared/position.ts';
import { isServiceId } from '../../core/tokens/service-id.ts';
import type { UnprovenToken, UnprovenSummary } from '../../core/tokens/token.ts';
import type { TokenCandidate } from '../../core/tokens/token-store.ts';
import { TOKEN_TYPE_NAMES } from '../../core/tokens/token-type.ts';
import {
  duePartition,
  listPartition,
  tombstonePartition,
  matchHashIn,
  matchSort,
  parseTokenPartition,
  shardOf,
  tokenKey,
} from './keys.ts';
import { binary, compiled, membersOf, type Item } from './table-client.ts';

/** The attributes that a token has in every index. */
const shownShape = madeOnce(() => ({
  type: z.enum(TOKEN_TYPE_NAMES as readonly [UnprovenToken['type'], ...UnprovenToken['type'][]]),
  containers: z.array(z.string()),
  expiration: z.exactOptional(z.object({ at: z.number(), offsetMinutes: z.number() })),
}));

/** The attributes of a token's item, under the names of the record. Its keys contain the rest. */
const tokenShape = madeOnce(() => ({
  ...shownShape(),
  fingerprint: z.string(),
  isSolelyOwn: z.boolean(),
  isShared: z.boolean(),
  isUnmatched: z.exactOptional(z.literal(true)),
  encryptedData: z.exactOptional(binary),
  dataBytes: z.number(),
  encryptedDetails: z.exactOptional(binary),
  clearMac: binary,
  isApart: z.exactOptional(z.literal(true)),
  cvcUntil: z.exactOptional(z.number()),
  createdBy: z.string(),
  createdAt: z.number(),
  position: z.string(),
  modifiedBy: z.exactOptional(z.string()),
  modifiedAt: z.exactOptional(z.number()),
  terms: z.array(z.string()),
  hasMask: z.boolean(),
  derivedSince: z.number(),
  termsSince: z.number(),
  holdsLock: z.boolean(),
  version: z.number(),
  writeId: binary,
  createWriteId: z.exactOptional(binary),
}));

const tokenItem = z.lazy(() =>
  compiled(
    z.object({
      pk: z.string(),
      matchSk: z.string(),
      ...tokenShape(),
      pending: z._default(z.boolean(), false),
      isLeaving: z._default(z.boolean(), false),
      staleTerms: z.exactOptional(z.array(z.string())),
      changeId: z.exactOptional(binary),
      oldParts: z._default(z.number(), 0),
      dueSk: z.exactOptional(z.string()),
    }),
  ),
);

/** A token item, with the leftovers of an interrupted multi-step write. */
export interface ReadToken {
  readonly token: UnprovenSummary;
  /** True if the token is stored but not visible, because it is being created or deleted. */
  readonly pending: boolean;
  /** True if the token is pending because it is being deleted. Callers have seen its id. */
  readonly isLeaving: boolean;
  /** Terms that may have an entry which is not, or no longer, the token's. */
  readonly staleTerms?: readonly string[] | undefined;
  /** Names the writer that settles the stale terms, unless it wrote this version. */
  readonly changeId?: Buffer | undefined;
  /** Number of parts that may still contain the data of the previous version. */
  readonly oldParts: number;
  /** Its due time, as the index sorts it. */
  readonly dueSk?: string | undefined;
}

/**
 * Parses a token item. Throws for another kind of item, since only the service writes to its
 * tables.
 */
export function readTokenItem(item: Item): ReadToken {
  const { pk, matchSk, pending, isLeaving, staleTerms, changeId, oldParts, dueSk, ...token } =
    tokenItem.parse(item);
  return {
    token: { ...parseTokenPartition(pk), matchHash: matchHashIn(matchSk), ...token },
    pending,
    isLeaving,
    staleTerms,
    changeId,
    oldParts,
    dueSk,
  };
}

/** How long a brief tombstone lasts, in ms: longer than an idempotency key repeats a request. */
const BRIEF_MS = 25 * 60 * 60 * 1000;

/**
 * The attributes of the tombstone of a token whose id a caller chose, besides its keys. It does not
 * expire, so that the id names no other token.
 */
function lastingMark(tenantId: string, id: string, listShards: number): Item {
  const listPk = tombstonePartition(tenantId, shardOf(id, listShards));
  return { isGone: true, listPk, listSk: 'tombstone' };
}

/**
 * The attributes of the tombstone of a token whose id the service made. No caller can choose that
 * id, but a call that belongs to the token may still arrive.
 */
const briefMark = (now: number): Item => ({ isGone: true, ttl: timeToLive(now + BRIEF_MS) });

/** The tombstone of a token whose create is not known, and whose id a caller chose. */
export function tombstoneOf(tenantId: string, id: string, listShards: number): Item {
  return { ...tokenKey(tenantId, id), ...lastingMark(tenantId, id, listShards) };
}

/** The attributes of a tombstone besides its keys and the write id of the create. */
export const tombstoneMark = (tenantId: string, id: string, listShards: number, now: number): Item =>
  isServiceId(tenantId, id) ? briefMark(now) : lastingMark(tenantId, id, listShards);

/**
 * The attributes that a token's item may have and its tombstone has not. The mark of a tombstone
 * replaces some of them.
 */
export const ATTRIBUTES_OF_TOKENS: readonly string[] = [
  ...Object.keys(tokenShape()).filter((name) => name !== 'createWriteId'),
  ...['matchSk', 'listPk', 'listSk', 'duePk', 'dueSk', 'ttl'],
  ...['pending', 'isLeaving', 'isCancelled', 'staleTerms', 'changeId', 'oldParts'],
];

/** The write id of the create that made a token, from its item or its tombstone. */
export function createWriteIdIn(item: Item): Buffer | undefined {
  const { createWriteId, writeId } = createdItem.parse(item);
  return createWriteId ?? writeId;
}

const createdItem = z.lazy(() =>
  z.object({ createWriteId: z.exactOptional(binary), writeId: z.exactOptional(binary) }),
);

export function isTombstone(item: Item): boolean {
  return item['isGone'] === true;
}

/** Whether the time limit of a multi-step write is over at `now` (ms since the epoch). */
export function isAbandoned({ pending, staleTerms, dueSk }: ReadToken, now: number): boolean {
  return (pending || staleTerms !== undefined) && dueSk !== undefined && dueSk <= sortableTime(now);
}

/**
 * The time when DynamoDB itself may delete an item, in seconds, which is the backstop if no sweep
 * runs.
 */
export function timeToLive(at: number): number {
  return Math.ceil(at / 1000);
}

/** The {@link timeToLive} that a token and its other items have. */
export function tokenTimeToLive({ expiration }: Pick<UnprovenToken, 'expiration'>): number | undefined {
  return expiration && timeToLive(expiration.at);
}

/** The attributes that put an item into the due index at a time. Without a time there are none. */
export function dueAt(
  of: string,
  at: number | undefined,
): { readonly duePk?: string; readonly dueSk?: string } {
  return at === undefined ? {} : { duePk: duePartition(of), dueSk: sortableTime(at) };
}

/** An unfinished multi-step write: its time limit, and the leftovers that it may have. */
export interface Unfinished {
  readonly until: number;
  readonly pending?: true;
  readonly staleTerms?: readonly string[];
  readonly oldParts?: number;
}

/** The attributes by which a token is listed. */
export function listAttributes(
  token: Pick<UnprovenToken, 'tenantId' | 'id' | 'position'>,
  listShards: number,
) {
  return { listPk: listPartition(token.tenantId, shardOf(token.id, listShards)), listSk: token.position };
}

/** Builds the item of a token, which is the record with its keys. */
export function tokenItemOf(
  token: UnprovenSummary,
  listShards: number,
  unfinished: Partial<Unfinished> = {},
): Item {
  const { until = token.expiration?.at, ...steps } = unfinished;
  return {
    ...tokenKey(token.tenantId, token.id),
    ...(steps.pending !== true && listAttributes(token, listShards)),
    matchSk: matchSort({ ...token, expiresAtMs: token.expiration?.at }),
    ...membersOf(tokenShape(), token),
    ...steps,
    // DynamoDB's own expiry leaves no tombstone, so only a token whose id the service made may
    // expire that way.
    ttl: isServiceId(token.tenantId, token.id) ? tokenTimeToLive(token) : undefined,
    ...dueAt(token.id, until),
  };
}

const listedItem = z.lazy(() => z.object({ pk: z.string(), listSk: z.string(), ...shownShape() }));

/** Parses a token's entry in the list index. */
export function readListed(item: Item): TokenCandidate {
  const { pk, listSk, ...shown } = listedItem.parse(item);
  return { id: parseTokenPartition(pk).id, position: listSk, ...shown };
}

const entryShape = madeOnce(() => ({ id: z.string(), ...shownShape(), hasMask: z.boolean() }));
const entryItem = z.lazy(() => z.object({ sk: z.string(), ...entryShape() }));

/**
 * The attributes of an entry of a term. A list or a search needs no others before it reads the
 * token.
 */
export const entryMembers = (token: Omit<TokenCandidate, 'position'>) => membersOf(entryShape(), token);

/** Parses an entry that a term has for a token. */
export function readEntry(item: Item): TokenCandidate {
  const { sk, ...shown } = entryItem.parse(item);
  return { position: sk, ...shown };
}

/**
 * An entry that the fingerprint index has for a token: `FINGERPRINT_INDEX_ATTRIBUTES` and the keys.
 */
const matchItem = z.lazy(() =>
  z.object({
    pk: z.string(),
    position: z.string(),
    ...shownShape(),
    hasMask: z.boolean(),
    pending: z._default(z.boolean(), false),
  }),
);

/** Parses an entry of the fingerprint index; `undefined` for a token that is not visible. */
export function readMatch(item: Item) {
  const { pk, pending, ...shown } = matchItem.parse(item);
  return pending ? undefined : { ...parseTokenPartition(pk), ...shown };
}
