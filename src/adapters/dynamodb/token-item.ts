import * as z from 'zod/mini';
import { madeOnce } from '../../core/shared/made-once.ts';
import { sortableTime } from '../../core/shared/position.ts';
import type { StoredToken, TokenHead } from '../../core/tokens/token.ts';
import type { TokenCandidate } from '../../core/tokens/token-store.ts';
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
import { binary, compiled, membersOf, type Item } from './table-client.ts';

/** What every index shows of a token. */
const shownShape = madeOnce(() => ({
  type: z.enum(TOKEN_TYPE_NAMES as readonly [StoredToken['type'], ...StoredToken['type'][]]),
  containers: z.array(z.string()),
  expiration: z.exactOptional(z.object({ at: z.number(), offsetMinutes: z.number() })),
}));

/** What an item holds of a token, under the names of the record; its keys say the rest. */
const tokenShape = madeOnce(() => ({
  ...shownShape(),
  fingerprint: z.string(),
  isSolelyOwn: z.boolean(),
  isShared: z.boolean(),
  sealedData: z.exactOptional(binary),
  dataBytes: z.number(),
  sealedDetails: z.exactOptional(binary),
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
}));

const tokenItem = z.lazy(() =>
  compiled(
    z.object({
      pk: z.string(),
      matchSk: z.string(),
      ...tokenShape(),
      pending: z._default(z.boolean(), false),
      staleTerms: z.exactOptional(z.array(z.string())),
      oldParts: z._default(z.number(), 0),
      dueSk: z.exactOptional(z.string()),
    }),
  ),
);

/** A token item, with what a write of several steps may have left on it. */
export interface ReadToken {
  readonly token: TokenHead;
  /** Written, but not visible: either on its way in, or on its way out. */
  readonly pending: boolean;
  /** Terms that may have an entry which is not, or no longer, the token's. */
  readonly staleTerms?: readonly string[] | undefined;
  /** Parts that may still hold the data of the version before. */
  readonly oldParts: number;
  /** When it is due, as the index sorts it. */
  readonly dueSk?: string | undefined;
}

/** Parses a token item. Throws if it is not one: a store that holds anything else is not ours. */
export function readTokenItem(item: Item): ReadToken {
  const { pk, matchSk, pending, staleTerms, oldParts, dueSk, ...token } = tokenItem.parse(item);
  return {
    token: { ...parseTokenPartition(pk), matchHash: matchHashIn(matchSk), ...token },
    ...{ pending, staleTerms, oldParts, dueSk },
  };
}

/** Whether the time to finish a write of several steps is over at `now` (ms since the epoch). */
export function isAbandoned({ pending, staleTerms, dueSk }: ReadToken, now: number): boolean {
  return (pending || staleTerms !== undefined) && dueSk !== undefined && dueSk <= sortableTime(now);
}

/**
 * When DynamoDB itself may delete an item, in seconds: the backstop for a sweep that cannot run.
 */
export function timeToLive(at: number): number {
  return Math.ceil(at / 1000);
}

/** {@link timeToLive} of a token and of what belongs to it. */
export function tokenTimeToLive({ expiration }: Pick<StoredToken, 'expiration'>): number | undefined {
  return expiration && timeToLive(expiration.at);
}

/** The attributes that put an item into the due index at a time; none without one. */
export function dueAt(
  of: string,
  at: number | undefined,
): { readonly duePk?: string; readonly dueSk?: string } {
  return at === undefined ? {} : { duePk: duePartition(of), dueSk: sortableTime(at) };
}

/**
 * A write of several steps that is under way: until when it must be done, and what it may leave
 * behind.
 */
export interface Unfinished {
  readonly until: number;
  readonly pending?: true;
  readonly staleTerms?: readonly string[];
  readonly oldParts?: number;
}

/** The attributes by which a token is listed. */
export function listAttributes(token: Pick<StoredToken, 'tenantId' | 'id' | 'position'>, listShards: number) {
  return { listPk: listPartition(token.tenantId, shardOf(token.id, listShards)), listSk: token.position };
}

/** The item of a token: the record with its keys. */
export function tokenItemOf(
  token: TokenHead,
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
    ttl: tokenTimeToLive(token),
    ...dueAt(token.id, until),
  };
}

const listedItem = z.lazy(() => z.object({ pk: z.string(), listSk: z.string(), ...shownShape() }));

/** What an entry of the list index says of its token. */
export function readListed(item: Item): TokenCandidate {
  const { pk, listSk, ...shown } = listedItem.parse(item);
  return { id: parseTokenPartition(pk).id, position: listSk, ...shown };
}

const entryShape = madeOnce(() => ({ id: z.string(), ...shownShape(), hasMask: z.boolean() }));
const entryItem = z.lazy(() => z.object({ sk: z.string(), ...entryShape() }));

/**
 * What an entry of a term holds: all that a list or a search must know before it reads the token.
 */
export const entryMembers = (token: Omit<TokenCandidate, 'position'>) => membersOf(entryShape(), token);

/** What an entry of a term says of its token. */
export function readEntry(item: Item): TokenCandidate {
  const { sk, ...shown } = entryItem.parse(item);
  return { position: sk, ...shown };
}

/** An entry of the fingerprint index: `FINGERPRINT_INDEX_ATTRIBUTES` beside the keys. */
const matchItem = z.lazy(() =>
  z.object({
    pk: z.string(),
    position: z.string(),
    ...shownShape(),
    hasMask: z.boolean(),
    pending: z._default(z.boolean(), false),
  }),
);

/**
 * What an entry of the fingerprint index says of its token; `undefined` for one that is not
 * visible.
 */
export function readMatch(item: Item) {
  const { pk, pending, ...shown } = matchItem.parse(item);
  return pending ? undefined : { ...parseTokenPartition(pk), ...shown };
}
