import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  type DynamoDBClient,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import type { Container } from '../../core/shared/container.ts';
import { ServiceError } from '../../core/shared/service-error.ts';
import type { StoredToken } from '../../core/tokens/token.ts';
import type { NewToken, StoredCvc, TokenStore } from '../../core/tokens/token-store.ts';
import { chunkKey, cvcKey, tokenKey } from './keys.ts';
import { fromItem, send, toBuffer, toItem, type Item } from './table-client.ts';
import { listPosition, readTokenItem, timeToLive, tokenItemOf } from './token-item.ts';

export interface TokenTables {
  readonly client: DynamoDBClient;
  readonly tokensTable: string;
  readonly ephemeralTable: string;
  /** Over how many partitions of the list index a tenant's tokens are spread (deploy setting `listShards`). */
  readonly listShards: number;
}

/** Largest sealed data that stands in the token's own item, in bytes; DynamoDB's limit for an item is 400 KB. */
const CHUNK_BYTES = 350_000;

const FREE = 'attribute_not_exists(pk)';

function chunksOf(sealed: Buffer): readonly Buffer[] {
  if (sealed.length <= CHUNK_BYTES) return [];
  const count = Math.ceil(sealed.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, index) =>
    sealed.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
}

function chunkKeys(token: Pick<StoredToken, 'tenantId' | 'id' | 'version'>, count: number) {
  return Array.from({ length: count }, (_, index) =>
    chunkKey(token.tenantId, token.id, token.version, index),
  );
}

/** Everything that is written beside the token's own item. */
function companions(tables: TokenTables, { token, cvc }: NewToken): TransactWriteItem[] {
  const ttl = token.expiration === undefined ? undefined : timeToLive(token.expiration.at);
  const chunks = chunksOf(token.sealedData).map((data, index) => ({
    Put: {
      TableName: tables.tokensTable,
      Item: toItem({ ...chunkKey(token.tenantId, token.id, token.version, index), data, ttl }),
    },
  }));
  if (cvc === undefined) return chunks;
  const item = toItem({
    ...cvcKey(token.tenantId, token.id),
    cvc: cvc.sealedCvc,
    until: cvc.until,
    ttl: timeToLive(cvc.until),
  });
  return [...chunks, { Put: { TableName: tables.ephemeralTable, Item: item } }];
}

/** The item that made a condition fail, from a single write or from the first write of a transaction. */
function itemInTheWay(error: unknown): Item | undefined {
  if (error instanceof ConditionalCheckFailedException) return error.Item;
  if (error instanceof TransactionCanceledException) {
    return error.CancellationReasons?.find((reason) => reason.Code === 'ConditionalCheckFailed')?.Item;
  }
  return undefined;
}

function isConditionFailure(error: unknown): boolean {
  if (error instanceof ConditionalCheckFailedException) return true;
  return (
    error instanceof TransactionCanceledException &&
    (error.CancellationReasons ?? []).some(({ Code }) => Code === 'ConditionalCheckFailed')
  );
}

const cvcItem = z.object({ cvc: z.instanceof(Uint8Array).transform(toBuffer), until: z.number() });

/** Tokens in DynamoDB. A plain token is one conditional PutItem; whatever more belongs to it goes in one transaction. */
export function createTokenStore(tables: TokenTables): TokenStore {
  const { client, tokensTable, ephemeralTable } = tables;

  /** The sealed data from the items beside the token; `undefined` if an update replaced them meanwhile. */
  async function readChunks(keys: readonly Item[]): Promise<Buffer | undefined> {
    const found = new Map<string, Buffer>();
    let pending = [...keys];
    while (pending.length > 0) {
      const requested = { [tokensTable]: { Keys: pending, ConsistentRead: true } };
      const answer = await send(() => client.send(new BatchGetItemCommand({ RequestItems: requested })));
      for (const item of answer.Responses?.[tokensTable] ?? []) {
        const { sk, data } = z
          .object({ sk: z.string(), data: z.instanceof(Uint8Array).transform(toBuffer) })
          .parse(fromItem(item));
        found.set(sk, data);
      }
      pending = answer.UnprocessedKeys?.[tokensTable]?.Keys ?? [];
    }
    if (found.size !== keys.length) return undefined;
    const inOrder = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, data]) => data);
    return Buffer.concat(inOrder);
  }

  /** A token out of its item, with its data from the chunks; `undefined` if they belong to another version by now. */
  async function whole(item: Item): Promise<StoredToken | undefined> {
    const { token, chunks } = readTokenItem(item);
    const { sealedData, ...rest } = token;
    const data = sealedData ?? (await readChunks(chunkKeys(token, chunks).map((key) => toItem({ ...key }))));
    return data === undefined ? undefined : { ...rest, sealedData: data };
  }

  async function putAlone(item: Item): Promise<void> {
    const command = new PutItemCommand({
      TableName: tokensTable,
      Item: item,
      ConditionExpression: FREE,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await send(() => client.send(command));
  }

  async function putWith(item: Item, others: readonly TransactWriteItem[], writeId: Buffer): Promise<void> {
    const own: TransactWriteItem = {
      Put: {
        TableName: tokensTable,
        Item: item,
        ConditionExpression: FREE,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
    const command = new TransactWriteItemsCommand({
      TransactItems: [own, ...others],
      ClientRequestToken: writeId.toString('hex'),
    });
    await send(() => client.send(command));
  }

  async function find(tenantId: string, id: string): Promise<StoredToken | undefined> {
    const key = toItem({ ...tokenKey(tenantId, id) });
    for (;;) {
      const { Item: item } = await send(() =>
        client.send(new GetItemCommand({ TableName: tokensTable, Key: key, ConsistentRead: true })),
      );
      if (item === undefined) return undefined;
      const token = await whole(item);
      if (token !== undefined) return token;
    }
  }

  return {
    find,

    async create(written) {
      const { token } = written;
      const chunks = chunksOf(token.sealedData).length;
      const item = tokenItemOf(token, {
        listShards: tables.listShards,
        position: listPosition(token.createdAt),
        chunks,
      });
      const others = companions(tables, written);
      try {
        await (others.length === 0 ? putAlone(item) : putWith(item, others, token.writeId));
        return 'created';
      } catch (error) {
        const old = itemInTheWay(error);
        if (old === undefined) throw error;
        const taken = (await whole(old)) ?? (await find(token.tenantId, token.id));
        // Deleted between the write that it stopped and this read: it was taken when it mattered.
        if (taken === undefined)
          throw new ServiceError('conflict', 'The token is being changed by other requests.');
        return { taken };
      }
    },

    async findCvc(tenantId, tokenId): Promise<StoredCvc | undefined> {
      const command = new GetItemCommand({
        TableName: ephemeralTable,
        Key: toItem({ ...cvcKey(tenantId, tokenId) }),
        ConsistentRead: true,
      });
      const { Item: item } = await send(() => client.send(command));
      if (item === undefined) return undefined;
      const { cvc, until } = cvcItem.parse(fromItem(item));
      return { sealedCvc: cvc, until };
    },

    async deleteAlone(tenantId, id, { below, now }) {
      if (below.length === 0) return { kept: await find(tenantId, id) };
      try {
        await send(() =>
          client.send(
            new DeleteItemCommand({
              TableName: tokensTable,
              Key: toItem({ ...tokenKey(tenantId, id) }),
              ...aloneBelow(below, now),
            }),
          ),
        );
        return 'deleted';
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return {
          kept:
            error.Item === undefined ? undefined : ((await whole(error.Item)) ?? (await find(tenantId, id))),
        };
      }
    },

    async deleteWhole(token) {
      const chunks = chunksOf(token.sealedData).length;
      const own: TransactWriteItem = {
        Delete: {
          TableName: tokensTable,
          Key: toItem({ ...tokenKey(token.tenantId, token.id) }),
          ConditionExpression: 'version = :version AND writeId = :writeId',
          ExpressionAttributeValues: toItem({ ':version': token.version, ':writeId': token.writeId }),
        },
      };
      const others: TransactWriteItem[] = chunkKeys(token, chunks).map((key) => ({
        Delete: { TableName: tokensTable, Key: toItem({ ...key }) },
      }));
      const cvc: TransactWriteItem = {
        Delete: { TableName: ephemeralTable, Key: toItem({ ...cvcKey(token.tenantId, token.id) }) },
      };
      try {
        await send(() =>
          client.send(new TransactWriteItemsCommand({ TransactItems: [own, ...others, cvc] })),
        );
        return true;
      } catch (error) {
        if (isConditionFailure(error)) return false;
        throw error;
      }
    },
  };
}

/** The condition under which a token can be deleted by one call: see `TokenStore.deleteAlone`. */
function aloneBelow(below: readonly Container[], now: number) {
  const containers = below.map((container, index) => [`:container${String(index)}`, container] as const);
  const inside = containers.map(([name]) => `begins_with(containers[0], ${name})`).join(' OR ');
  return {
    ConditionExpression: [
      'attribute_exists(pk)',
      'attribute_not_exists(chunks)',
      'attribute_not_exists(cvcUntil)',
      '(attribute_not_exists(expiresAt) OR expiresAt > :now)',
      'size(containers) = :one',
      `(${inside})`,
    ].join(' AND '),
    ExpressionAttributeValues: toItem({ ':now': now, ':one': 1, ...Object.fromEntries(containers) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}
