import { UpdateItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { StoredToken } from '../../core/tokens/token.ts';
import type { StoredCvc, TokenWrite } from '../../core/tokens/token-store.ts';
import { chunkKey, cvcKey, lockKey, termKey, tokenKey, type ItemKey } from './keys.ts';
import { toItem } from './table-client.ts';
import { CHUNK_BYTES, chunksOf, dueAt, timeToLive, tokenItemOf, type TokenItemState } from './token-item.ts';
import { chunkKeys } from './token-reader.ts';
import type { TokenTables } from './token-tables.ts';

/** How many items beside the token hold its data. */
export function chunkCount({
  sealedData,
  sealedDetails,
  isApart,
}: Pick<StoredToken, 'sealedData' | 'sealedDetails' | 'isApart'>): number {
  const together = sealedData.length + (sealedDetails?.length ?? 0);
  return together <= CHUNK_BYTES && isApart !== true ? 0 : chunksOf(sealedData.length);
}

/** Until when, in ms from its start, a write of several steps must be done before others may clear it away. */
export const UNFINISHED_MS = 60_000;

type Place = Pick<StoredToken, 'tenantId' | 'id'>;
/** What an index entry shows. */
type Shown = Place & Pick<StoredToken, 'position' | 'type' | 'containers' | 'expiration' | 'hasMask'>;

/** Builds the single writes that the writer puts together. */
export function tokenWrites({ tokensTable, ephemeralTable, listShards }: TokenTables) {
  const put = (table: string, item: Readonly<Record<string, unknown>>): TransactWriteItem => ({
    Put: { TableName: table, Item: toItem(item) },
  });
  const remove = (table: string, key: ItemKey): TransactWriteItem => ({
    Delete: { TableName: table, Key: toItem({ ...key }) },
  });
  const keyOf = ({ tenantId, id }: Place) => ({
    TableName: tokensTable,
    Key: toItem({ ...tokenKey(tenantId, id) }),
  });
  const ttlOf = (token: Pick<StoredToken, 'expiration'>) =>
    token.expiration === undefined ? undefined : timeToLive(token.expiration.at);

  return {
    /** The token itself, under a condition. */
    token(
      token: StoredToken,
      condition: string,
      values: Readonly<Record<string, unknown>> = {},
      unfinished?: TokenItemState['unfinished'],
    ) {
      const state = {
        listShards,
        chunks: chunkCount(token),
        ...(unfinished === undefined ? {} : { unfinished }),
      };
      return {
        TableName: tokensTable,
        Item: tokenItemOf(token, state),
        ConditionExpression: condition,
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: toItem(values) }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      };
    },

    /** The items that hold the data of a large token. */
    chunks(token: StoredToken): TransactWriteItem[] {
      return Array.from({ length: chunkCount(token) }, (_, index) => {
        const data = token.sealedData.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
        return put(tokensTable, {
          ...chunkKey(token.tenantId, token.id, token.version, index),
          data,
          ttl: ttlOf(token),
        });
      });
    },

    removeChunks(token: StoredToken): TransactWriteItem[] {
      return chunkKeys(token, chunkCount(token)).map((key) => remove(tokensTable, key));
    },

    cvc({ tenantId, id }: Place, { sealedCvc, until }: StoredCvc): TransactWriteItem {
      return put(ephemeralTable, {
        ...cvcKey(tenantId, id),
        cvc: sealedCvc,
        until,
        ttl: timeToLive(until),
        ...dueAt(id, until),
      });
    },

    removeCvc({ tenantId, id }: Place): TransactWriteItem {
      return remove(ephemeralTable, cvcKey(tenantId, id));
    },

    /** An index entry: all that a list or a search must know before it reads the token. */
    entry(token: Shown, term: string): TransactWriteItem {
      return put(tokensTable, {
        ...termKey(token.tenantId, term, token.position),
        id: token.id,
        type: token.type,
        containers: token.containers,
        expiresAt: token.expiration?.at,
        hasMask: token.hasMask || undefined,
        ttl: ttlOf(token),
      });
    },

    removeEntry(token: Pick<StoredToken, 'tenantId' | 'position'>, term: string): TransactWriteItem {
      return remove(tokensTable, termKey(token.tenantId, term, token.position));
    },

    /** The lock of the token's match hash: free, its own already, or of a token that the caller found to be gone. */
    lock({ token, lockOf }: TokenWrite): TransactWriteItem {
      const values = { ':self': token.id, ...(lockOf === undefined ? {} : { ':gone': lockOf }) };
      const gone = lockOf === undefined ? '' : ' OR tokenId = :gone';
      return {
        Put: {
          TableName: tokensTable,
          Item: toItem({
            ...lockKey(token.tenantId, token.matchHash),
            tokenId: token.id,
            ttl: ttlOf(token),
          }),
          ConditionExpression: `attribute_not_exists(pk) OR tokenId = :self${gone}`,
          ExpressionAttributeValues: toItem(values),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      };
    },

    /** Takes the lock away if it is still the token's. */
    removeLock(token: Pick<StoredToken, 'tenantId' | 'id' | 'matchHash'>): TransactWriteItem {
      return {
        Delete: {
          TableName: tokensTable,
          Key: toItem({ ...lockKey(token.tenantId, token.matchHash) }),
          ConditionExpression: 'attribute_not_exists(pk) OR tokenId = :self',
          ExpressionAttributeValues: toItem({ ':self': token.id }),
        },
      };
    },

    /** Takes a token that nobody has changed out of sight, due to be cleared away at once. */
    hide(token: Place & Pick<StoredToken, 'version' | 'writeId'>, now: number): UpdateItemCommand {
      const { duePk, dueSk } = dueAt(token.id, now);
      return new UpdateItemCommand({
        ...keyOf(token),
        UpdateExpression: 'SET pending = :yes, duePk = :duePk, dueSk = :dueSk REMOVE listPk, listSk',
        ConditionExpression: UNCHANGED,
        ExpressionAttributeValues: toItem({
          ...unchangedValues(token),
          ':yes': true,
          ':duePk': duePk,
          ':dueSk': dueSk,
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
    },

    key: keyOf,
  };
}

/** The condition that a token is the version that was read, and that nobody is in the middle of changing it. */
export const UNCHANGED =
  'version = :version AND writeId = :writeId AND attribute_not_exists(stale) AND attribute_not_exists(pending)';

export const unchangedValues = (token: Pick<StoredToken, 'version' | 'writeId'>) => ({
  ':version': token.version,
  ':writeId': token.writeId,
});
