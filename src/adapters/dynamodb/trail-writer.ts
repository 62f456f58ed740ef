import type { Mark, TrailWriter } from '../../core/audit/audit-log.ts';
import { insertAll } from './insert-only.ts';
import { markKey, recordKey, referredKey } from './keys.ts';
import type { Table } from './table-client.ts';

/** How long a mark exists for the sealer, in seconds. The sealer may be late by that much. */
const MARK_SECONDS = 30 * 24 * 60 * 60;

const markItem = ({ trail, shard, minute }: Mark) => ({
  ...markKey(minute, shard, trail),
  ttl: Math.floor(minute / 1000) + MARK_SECONDS,
});

/** Writes the trail to DynamoDB, by inserts alone. */
export function createTrailWriter(table: Table): TrailWriter {
  return {
    async mark(mark) {
      await insertAll(table, [markItem(mark)]);
    },

    write({ trail, shard, position, expires, mac, body, ids }, { referred, mark }) {
      const record = {
        ...recordKey(trail, shard, position),
        ttl: expires,
        ...(mac !== undefined && { mac }),
        body,
        ...(ids !== undefined && { ids }),
      };
      // The ids have no expiry, because the records that refer to one may be written years later.
      const named = referred.map(({ reference, id }) => ({ ...referredKey(reference), id }));
      return insertAll(table, [record, ...named, ...(mark === undefined ? [] : [markItem(mark)])]);
    },
  };
}
