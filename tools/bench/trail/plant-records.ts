import type { KeyObject } from 'node:crypto';
import {
  macOf,
  newRecordPosition,
  placeText,
  TRAIL_SHARDS,
  type AuditEntry,
} from '../../../src/core/audit/audit-record.ts';
import { encodeContent } from '../../../src/core/audit/record-content.ts';
import { markKey, recordKey } from '../../../src/adapters/dynamodb/keys.ts';
import type { Item } from '../../../src/adapters/dynamodb/table-client.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

const MINUTE_MS = 60_000;
const DAY_SECONDS = 24 * 60 * 60;

/** The records of one trail that functions wrote in some time. */
export interface Written {
  readonly trail: string;
  /** Start in ms since the epoch, and length in ms. */
  readonly from: number;
  readonly lengthMs: number;
  readonly count: number;
  /** So many instances wrote in turn, each in its own shard. */
  readonly writers: number;
  readonly entryOf: (index: number) => Pick<AuditEntry, 'op' | 'tokens' | 'containers'>;
}

/** The record of a request has these besides, as long as the real ones. */
const REQUEST = {
  outcome: 'ok' as const,
  status: 200,
  app: '060e922c-9352-4fb9-a04e-6777f5518413',
  cred: 'application',
  ip: '203.0.113.7',
  trace: '45c57581-d870-43c3-95e8-eac0007b6b86',
};

/** The items of the table Audit: records that are evenly distributed over the time, and marks. */
export function* itemsOf(of: Written, key: KeyObject): Generator<Item> {
  const { trail, from, lengthMs, count, writers, entryOf } = of;
  const last = new Map<number, string>();
  const marked = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const at = from + Math.floor((index * lengthMs) / count);
    const shard = (index % writers) % TRAIL_SHARDS;
    const minute = at - (at % MINUTE_MS);
    const mark = `${String(minute)} ${String(shard)}`;
    if (!marked.has(mark))
      yield { ...markKey(minute, shard, trail), ttl: Math.floor(minute / 1000) + 30 * DAY_SECONDS };
    marked.add(mark);
    const position = newRecordPosition(machinePlatform.random, at);
    const after = last.get(index % writers);
    const content = encodeContent({
      key: 1,
      ...(after !== undefined && { after }),
      ...REQUEST,
      ...entryOf(index),
    });
    const { referred: _, ...bytes } = content;
    const record = { trail, shard, position, expires: Math.floor(at / 1000) + 400 * DAY_SECONDS, ...bytes };
    last.set(index % writers, placeText(record));
    const { expires, body, ids } = record;
    yield { ...recordKey(trail, shard, position), ttl: expires, mac: macOf(key, record), body, ids };
  }
}
