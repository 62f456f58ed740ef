import type { TrailWriter } from '../../core/audit/audit-log.ts';
import { insertAll } from './insert-only.ts';
import { markKey, recordKey, tokenRowKey } from './keys.ts';
import type { Table } from './table-client.ts';

/** How long a mark exists for the sealer, in seconds: the sealer may be late by that much. */
const MARK_SECONDS = 30 * 24 * 60 * 60;

/** The trail in DynamoDB, by inserts alone. */
export function createTrailWriter(table: Table): TrailWriter {
  return {
    async mark({ trail, shard }, minute) {
      await insertAll(table, [
        { ...markKey(minute, shard, trail), ttl: Math.floor(minute / 1000) + MARK_SECONDS },
      ]);
    },

    write({ trail, shard, position, expires, mac, body }, tokens) {
      const record = {
        ...recordKey(trail, shard, position),
        ttl: expires,
        ...(mac !== undefined && { mac }),
        body,
      };
      const rows = tokens.map((id) => ({
        ...tokenRowKey(trail, id, shard, position),
        at: shard,
        ttl: expires,
      }));
      return insertAll(table, [record, ...rows]);
    },
  };
}
