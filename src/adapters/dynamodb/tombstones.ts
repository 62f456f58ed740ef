import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { UnprovenTokenStore } from '../../core/tokens/token-store.ts';
import { conditionalWrite } from './conditional-write.ts';
import { INDEXES, tokenKey, tombstonePartition } from './keys.ts';
import { send } from './table-client.ts';
import type { TokenTables } from './token-tables.ts';

const keyItem = z.lazy(() => z.object({ pk: z.string(), sk: z.string() }));

/** The tombstones of deleted tokens (`tombstoneOf`). */
export function createTombstones(
  tables: TokenTables,
): Pick<UnprovenTokenStore, 'deleteTombstones' | 'deleteTombstonesOf'> {
  const { client, platform, tokensTable, listShards } = tables;

  async function deleteOfShard(tenantId: string, shard: number, count: number): Promise<number> {
    const query = new QueryCommand({
      TableName: tokensTable,
      IndexName: INDEXES.list,
      KeyConditionExpression: 'listPk = :partition',
      ExpressionAttributeValues: { ':partition': tombstonePartition(tenantId, shard) },
      Limit: count,
    });
    const { Items: items = [] } = await send(platform, () => client.send(query));
    const keys = items.map((item) => keyItem.parse(item)).map(({ pk, sk }) => ({ pk, sk }));
    await Promise.all(
      keys.map((key) => {
        const command = new DeleteCommand({ TableName: tokensTable, Key: key });
        return send(platform, () => client.send(command));
      }),
    );
    return keys.length;
  }

  return {
    async deleteTombstones(tenantId, count) {
      for (let shard = 0; shard < listShards; shard += 1) {
        const deleted = await deleteOfShard(tenantId, shard, count);
        if (deleted > 0) return deleted;
      }
      return 0;
    },

    async deleteTombstonesOf(tenantId, ids) {
      await Promise.all(
        ids.map((id) => {
          const command = new DeleteCommand({
            TableName: tokensTable,
            Key: tokenKey(tenantId, id),
            ConditionExpression: 'isGone = :yes AND attribute_exists(listPk)',
            ExpressionAttributeValues: { ':yes': true },
          });
          return conditionalWrite(tables, command);
        }),
      );
    },
  };
}
