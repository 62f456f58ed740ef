import * as z from 'zod/mini';
import { sortableTime } from '../../core/shared/position.ts';
import { SEAL_OVERHEAD_BYTES } from '../../core/crypto/record-seal.ts';
import type { StoredToken, TokenHead } from '../../core/tokens/token.ts';
import { TOKEN_TYPE_NAMES } from '../../core/tokens/token-type.ts';
import {
  duePartition,
  listPartition,
  matchHashIn,
  matchSort,
  parseTokenPartition,
  shardOf,
  tokenKey,
} from './keys.ts';
import { binary, fromItem, toItem, type Item } from './table-client.ts';

const type = z.enum(TOKEN_TYPE_NAMES as readonly [StoredToken['type'], ...StoredToken['type'][]]);

const tokenItem = z.object({
  pk: z.string(),
  type,
  containers: z.array(z.string()),
  fingerprint: z.string(),
  matchSk: z.string(),
  isSolelyOwn: z._default(z.boolean(), false),
  isShared: z._default(z.boolean(), false),
  hasMask: z._default(z.boolean(), false),
  data: z.optional(binary),
  chunks: z._default(z.number(), 0),
  dataBytes: z.optional(z.number()),
  details: z.optional(binary),
  cvcUntil: z.optional(z.number()),
  expiresAt: z.optional(z.number()),
  expiresOffset: z._default(z.number(), 0),
  createdBy: z.string(),
  createdAt: z.number(),
  position: z.string(),
  modifiedBy: z.optional(z.string()),
  modifiedAt: z.optional(z.number()),
  terms: z._default(z.array(z.string()), []),
  derivedSince: z.number(),
  holdsLock: z._default(z.boolean(), false),
  version: z.number(),
  writeId: binary,
  pending: z._default(z.boolean(), false),
  stale: z.optional(z.array(z.string())),
  oldChunks: z._default(z.number(), 0),
  dueSk: z.optional(z.string()),
});

/** Most sealed bytes that stand in the token's own item, and in a chunk; DynamoDB's limit for an item is 400 KB. */
export const CHUNK_BYTES = 350_000;

/** How many chunks hold sealed data that does not stand in the token's own item. */
export function chunksOf(sealedBytes: number): number {
  return Math.ceil(sealedBytes / CHUNK_BYTES);
}

/** A token item. Its data may stand in `chunks` items beside it. */
export interface ReadToken {
  readonly token: TokenHead;
  readonly chunks: number;
  /** Written, but not visible: either on its way in, or on its way out. */
  readonly pending: boolean;
  /** Terms that may have an entry which is not, or no longer, the token's. */
  readonly stale: readonly string[];
  /** Items that may still hold the data of the version before. */
  readonly oldChunks: number;
  /** Whether the time to finish what was begun is over at `now` (ms since the epoch). */
  readonly isAbandoned: (now: number) => boolean;
}

/** Parses a token item. Throws if it is not one: a store that holds anything else is not ours. */
export function readTokenItem(item: Item): ReadToken {
  const parsed = tokenItem.parse(fromItem(item));
  const {
    pk,
    matchSk,
    data,
    dataBytes,
    details,
    chunks,
    expiresAt,
    expiresOffset,
    cvcUntil,
    modifiedBy,
    modifiedAt,
    pending,
    stale,
    oldChunks,
    dueSk,
    ...rest
  } = parsed;
  const inItem = data === undefined ? 0 : data.length - SEAL_OVERHEAD_BYTES;
  const together = (dataBytes ?? inItem) + SEAL_OVERHEAD_BYTES + (details?.length ?? 0);
  return {
    chunks,
    pending,
    stale: stale ?? [],
    oldChunks,
    isAbandoned: (now) =>
      (pending || stale !== undefined) && dueSk !== undefined && dueSk <= sortableTime(now),
    token: {
      ...rest,
      ...parseTokenPartition(pk),
      matchHash: matchHashIn(matchSk),
      sealedData: data,
      dataBytes: dataBytes ?? inItem,
      ...(chunks > 0 && together <= CHUNK_BYTES && { isApart: true as const }),
      ...(details && { sealedDetails: details }),
      ...(cvcUntil !== undefined && { cvcUntil }),
      ...(expiresAt !== undefined && { expiration: { at: expiresAt, offsetMinutes: expiresOffset } }),
      ...(modifiedBy !== undefined && { modifiedBy }),
      ...(modifiedAt !== undefined && { modifiedAt }),
    },
  };
}

/** When DynamoDB itself may delete an item, in seconds: the backstop for a sweep that cannot run. */
export function timeToLive(at: number): number {
  return Math.ceil(at / 1000);
}

/** The attributes that put an item into the due index at a time; none without one. */
export function dueAt(
  of: string,
  at: number | undefined,
): { readonly duePk?: string; readonly dueSk?: string } {
  return at === undefined ? {} : { duePk: duePartition(of), dueSk: sortableTime(at) };
}

/** Where a token item stands in its life. */
export interface TokenItemState {
  readonly listShards: number;
  /** Items beside the token that hold its data; 0 when the data stands in the item itself. */
  readonly chunks: number;
  /** Set while a write of several steps is under way: until when it must be done, and what it may leave behind. */
  readonly unfinished?: {
    readonly until: number;
    readonly pending: boolean;
    readonly stale: readonly string[];
    readonly oldChunks: number;
  };
}

/** The attributes by which a token is listed. */
export function listAttributes(token: Pick<StoredToken, 'tenantId' | 'id' | 'position'>, listShards: number) {
  return { listPk: listPartition(token.tenantId, shardOf(token.id, listShards)), listSk: token.position };
}

/** The item of a token. */
export function tokenItemOf(token: StoredToken, { listShards, chunks, unfinished }: TokenItemState): Item {
  const isListed = unfinished?.pending !== true;
  return toItem({
    ...tokenKey(token.tenantId, token.id),
    ...(isListed ? listAttributes(token, listShards) : { pending: true }),
    type: token.type,
    containers: token.containers,
    fingerprint: token.fingerprint,
    matchSk: matchSort({ ...token, expiresAt: token.expiration?.at }),
    isSolelyOwn: token.isSolelyOwn || undefined,
    isShared: token.isShared || undefined,
    hasMask: token.hasMask || undefined,
    data: chunks === 0 ? token.sealedData : undefined,
    chunks: chunks === 0 ? undefined : chunks,
    dataBytes: chunks === 0 ? undefined : token.sealedData.length - SEAL_OVERHEAD_BYTES,
    details: token.sealedDetails,
    cvcUntil: token.cvcUntil,
    expiresAt: token.expiration?.at,
    expiresOffset: token.expiration?.offsetMinutes,
    ttl: token.expiration === undefined ? undefined : timeToLive(token.expiration.at),
    createdBy: token.createdBy,
    createdAt: token.createdAt,
    position: token.position,
    modifiedBy: token.modifiedBy,
    modifiedAt: token.modifiedAt,
    terms: token.terms.length === 0 ? undefined : token.terms,
    derivedSince: token.derivedSince,
    holdsLock: token.holdsLock || undefined,
    version: token.version,
    writeId: token.writeId,
    stale: unfinished === undefined || unfinished.pending ? undefined : unfinished.stale,
    oldChunks: unfinished?.oldChunks === 0 ? undefined : unfinished?.oldChunks,
    ...dueAt(token.id, unfinished === undefined ? token.expiration?.at : unfinished.until),
  });
}

const candidateItem = z.object({
  pk: z.string(),
  id: z.optional(z.string()),
  listSk: z.optional(z.string()),
  sk: z.string(),
  type,
  containers: z.array(z.string()),
  expiresAt: z.optional(z.number()),
  hasMask: z._default(z.boolean(), false),
});

/** What an entry of the list index or of the term index says of its token. */
export function readCandidate(item: Item) {
  const { pk, id, listSk, sk, expiresAt, ...rest } = candidateItem.parse(fromItem(item));
  return {
    ...rest,
    id: id ?? parseTokenPartition(pk).id,
    position: listSk ?? sk,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** An entry of the fingerprint index: `FINGERPRINT_INDEX_ATTRIBUTES` beside the keys. */
const matchItem = z.object({
  pk: z.string(),
  type,
  containers: z.array(z.string()),
  position: z.string(),
  expiresAt: z.optional(z.number()),
  hasMask: z._default(z.boolean(), false),
  pending: z._default(z.boolean(), false),
});

/** What an entry of the fingerprint index says of its token; `undefined` for one that is not visible. */
export function readMatch(item: Item) {
  const { pk, expiresAt, pending, ...rest } = matchItem.parse(fromItem(item));
  if (pending) return undefined;
  return { ...rest, ...parseTokenPartition(pk), ...(expiresAt === undefined ? {} : { expiresAt }) };
}
