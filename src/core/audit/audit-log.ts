import { randomInt } from 'node:crypto';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  DEPLOYMENT,
  indexedTokens,
  macOf,
  newRecordPosition,
  placeText,
  timeOfPosition,
  TRAIL_SHARDS,
  type AuditEntry,
  type AuditRecord,
  type RecordPlace,
} from './audit-record.ts';
import type { MarkedShard } from './trail-store.ts';

/**
 * Writes to the trail. Never overwrites anything: a value that is already stored under a key comes
 * from an earlier attempt of the same write, and the write counts as done.
 */
export interface TrailWriter {
  /**
   * Marks a partition as having records of a minute (ms since the epoch). Resolves once the mark is
   * durable.
   */
  mark(of: MarkedShard, minute: number): Promise<void>;
  /**
   * Writes a record, and an index row for each token that it is found by. Resolves once all of it
   * is durable; if it rejects, the record may exist. `wasThrottled`: the partition was busy.
   */
  write(record: AuditRecord, tokens: readonly string[]): Promise<{ readonly wasThrottled: boolean }>;
}

export interface AuditLogDeps {
  readonly trailWriter: TrailWriter;
  readonly tenantKeys: Pick<TenantKeys, 'current'>;
  readonly clock: Clock;
  /** How long a record is stored, in ms. */
  readonly auditRetentionMs: number;
  /** Called when a request is rejected because it cannot be recorded. */
  readonly onAuditUnavailable: (error: unknown) => void;
  /** Called when the end of a request could not be recorded, although its response is sent. */
  readonly onAuditEndMissing: (error: unknown) => void;
}

/** The trails as one instance of a function writes them. */
export interface AuditLog {
  /**
   * Adds a record to the trail of a tenant or of the deployment, and resolves once it is durable.
   * If it rejects with `dependency_unavailable`, the record may exist.
   */
  append(trail: string, entry: AuditEntry): Promise<RecordPlace>;
  /** Reports that the end of a request could not be recorded. */
  readonly endMissing: (error: unknown) => void;
}

const MINUTE_MS = 60_000;
/** Number of trails with a state in memory. A trail without one starts over, which does no harm. */
const REMEMBERED_MAX = 1_000;

/** The state of one instance in one trail. */
interface Writing {
  shard: number;
  /** The last record that certainly exists. */
  last?: RecordPlace;
  /** The minute that the shard was last marked for. */
  marked?: number;
  /** Writes of one trail are sequential: each record names the one before it. */
  turn: Promise<unknown>;
}

const RETRY_AFTER_SECONDS = '5';

function unrecorded(cause: unknown): ServiceError {
  return new ServiceError(
    'dependency_unavailable',
    'The request cannot be recorded in the audit trail, so it is refused.',
    { cause, headers: { 'Retry-After': RETRY_AFTER_SECONDS } },
  );
}

/** An audit log over a store of records and the tenants' keys. */
export function createAuditLog(deps: AuditLogDeps): AuditLog {
  const writings = new Map<string, Writing>();

  function writingOf(trail: string): Writing {
    const known = writings.get(trail);
    if (known !== undefined) return known;
    const [oldest] = writings.size < REMEMBERED_MAX ? [] : writings.keys();
    if (oldest !== undefined) writings.delete(oldest);
    const fresh = { shard: randomInt(TRAIL_SHARDS), turn: Promise.resolve() };
    writings.set(trail, fresh);
    return fresh;
  }

  /** The time of the next record: later than the last one, even if the clock goes back. */
  function nextTime({ last }: Writing): number {
    const now = deps.clock();
    return last === undefined ? now : Math.max(now, timeOfPosition(last.position) + 1);
  }

  /** The sealer reads only marked shards, so the mark must be durable before the record. */
  async function markedTime(trail: string, writing: Writing): Promise<number> {
    for (;;) {
      const at = nextTime(writing);
      const minute = at - (at % MINUTE_MS);
      if (writing.marked === minute) return at;
      await deps.trailWriter.mark({ trail, shard: writing.shard }, minute);
      writing.marked = minute;
    }
  }

  /** Chooses another partition after one was busy, or may have been. */
  function moveOn(writing: Writing): void {
    writing.shard = randomInt(TRAIL_SHARDS);
    delete writing.marked;
  }

  async function write(trail: string, writing: Writing, entry: AuditEntry): Promise<RecordPlace> {
    const key = trail === DEPLOYMENT ? undefined : await deps.tenantKeys.current(trail, 'audit');
    const at = await markedTime(trail, writing);
    const { shard, last } = writing;
    const body = JSON.stringify({
      v: 1,
      ...(key !== undefined && { key: key.version }),
      ...(last !== undefined && { after: placeText(last) }),
      ...entry,
    });
    const expires = Math.floor((at + deps.auditRetentionMs) / 1000);
    const bare = { trail, shard, position: newRecordPosition(at), expires, body };
    const record = key === undefined ? bare : { ...bare, mac: macOf(key.key, bare) };
    const { wasThrottled } = await deps.trailWriter.write(record, indexedTokens(entry));
    const place = { shard, position: record.position };
    writing.last = place;
    if (wasThrottled) moveOn(writing);
    return place;
  }

  return {
    endMissing: deps.onAuditEndMissing,

    append(trail, entry) {
      const writing = writingOf(trail);
      const written = writing.turn.then(async () => {
        try {
          return await write(trail, writing, entry);
        } catch (error) {
          moveOn(writing);
          // The keys of the tenant were destroyed meanwhile: none of its credentials is valid any
          // more.
          if (error instanceof ServiceError && error.code === 'unauthenticated') throw error;
          deps.onAuditUnavailable(error);
          throw unrecorded(error);
        }
      });
      writing.turn = written.catch(() => undefined);
      return written;
    },
  };
}
