import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Vault } from '../../core/crypto/vault.ts';
import {
  FAILURES_MAX,
  type ProxyFailure,
  type ProxyFailureStore,
} from '../../core/stored-proxies/proxy-failure-store.ts';
import type { Json } from '../../core/shared/json.ts';
import { Secret } from '../../core/shared/secret.ts';
import { proxyFailureKey, proxyFailurePartition } from './keys.ts';
import { binary, send, type Table } from './table-client.ts';
import { timeToLive } from './token-item.ts';

const RETENTION_MS = 24 * 60 * 60 * 1000;

const failureItem = z.lazy(() => z.object({ sk: z.string(), encryptedFailure: binary }));

const contextOf = (of: { readonly tenantId: string; readonly proxyId: string }, position: string) => ({
  tenantId: of.tenantId,
  recordId: of.proxyId,
  field: 'proxy-failure',
  bound: [position],
});

/**
 * Stores failed transforms in the Ephemeral table for a day. They are encrypted, because a place in
 * a body has the names that its sender chose.
 */
export function createProxyFailureStore(table: Table, vault: Vault): ProxyFailureStore {
  return {
    async add(of, failure) {
      const key = proxyFailureKey(of.tenantId, of.proxyId, failure);
      const encryptedFailure = await vault.encrypt(
        contextOf(of, key.sk),
        new Secret(failure as unknown as Json),
      );
      const item = { ...key, encryptedFailure, ttl: timeToLive(failure.at + RETENTION_MS) };
      await send(table.platform, () =>
        table.client.send(new PutCommand({ TableName: table.name, Item: item })),
      );
    },

    async last(of) {
      const command = new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :proxy',
        ExpressionAttributeValues: { ':proxy': proxyFailurePartition(of.tenantId, of.proxyId) },
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: FAILURES_MAX,
      });
      const { Items = [] } = await send(table.platform, () => table.client.send(command));
      const opened = Items.map(async (item) => {
        const { sk, encryptedFailure } = failureItem.parse(item);
        const failure = await vault.decrypt(contextOf(of, sk), encryptedFailure);
        // Only this module writes it, and its authentication tag proves it unchanged.
        return failure.reveal() as unknown as ProxyFailure;
      });
      const isAlive = ({ at }: ProxyFailure) => at + RETENTION_MS > table.platform.clock();
      return (await Promise.all(opened)).filter(isAlive);
    },
  };
}
