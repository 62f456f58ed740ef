import type { TenantKeys } from '../crypto/tenant-keys.ts';
import { ServiceError } from '../shared/service-error.ts';
import {
  DEPLOYMENT,
  macOf,
  newRecordPosition,
  placeText,
  timeOfPosition,
  TRAIL_SHARDS,
  type AuditEntry,
  type AuditRecord,
  type RecordPlace,
} from './audit-record.ts';
import { encodeContent } from './record-content.ts';
import type { Referred } from './token-reference.ts';
import type { Platform } from '../shared/platform.ts';

/** A partition of a trail that has, or may have, records of some minute. */
export interface MarkedShard {
  readonly trail: string;
  readonly shard: number;
}

/** Marks that a partition has, or may have, records of a minute (ms since the epoch). */
export interface Mark extends MarkedShard {
  readonly minute: number;
}

/**
 * Writes to the trail and never overwrites anything. A value that is already stored under a key
 * comes from an earlier attempt of the same write, so the write counts as done.
 */
export interface TrailWriter {
  /** Resolves once the mark is durable. */
  mark(mark: Mark): Promise<void>;
  /**
   * Writes a record and everything that the record needs. Resolves once all of it is durable. If it
   * rejects, the record may exist. `wasThrottled` means that the partition was busy.
   */
  write(
    record: AuditRecord,
    beside: { readonly referred: readonly Referred[]; readonly mark?: Mark },
  ): Promise<{ readonly wasThrottled: boolean }>;
}

export interface AuditLogDeps extends Pick<Platform, 'clock' | 'random'> {
  readonly trailWriter: TrailWriter;
  readonly tenantKeys: Pick<TenantKeys, 'current'>;
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
  /** Announces a record, so that its partition is marked while the request does something else. */
  prepare(trail: string): void;
  /** Reports that the end of a request could not be recorded. */
  readonly endMissing: (error: unknown) => void;
}

const MINUTE_MS = 60_000;
const minuteOf = (at: number): number => at - (at % MINUTE_MS);
/** Number of trails with a state in memory. A trail without one starts over, which does no harm. */
const REMEMBERED_MAX = 1_000;

/** The state that one instance knows of one trail. */
interface Writing {
  shard: number;
  /** The last record that certainly exists. */
  last?: RecordPlace;
  /** Marks of the shard that are durable or being written, by their minute. */
  readonly marks: Map<number, Promise<void>>;
  /** The minute in which the shard got its last record. */
  minute?: number;
  /** Writes of one trail are sequential, because each record names the one before it. */
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

/** The time of the next record. It is later than the last one, even if the clock goes back. */
function nextTime({ clock }: AuditLogDeps, { last }: Writing): number {
  const now = clock();
  return last === undefined ? now : Math.max(now, timeOfPosition(last.position) + 1);
}

function markOf(deps: AuditLogDeps, trail: string, { shard, marks }: Writing, minute: number): Promise<void> {
  const known = marks.get(minute);
  if (known !== undefined) return known;
  const mark = deps.trailWriter.mark({ trail, shard, minute });
  marks.set(minute, mark);
  return mark;
}

/** The sealer reads only marked shards, so the mark must be durable before the record. */
async function markedTime(deps: AuditLogDeps, trail: string, writing: Writing): Promise<number> {
  for (;;) {
    const minute = minuteOf(nextTime(deps, writing));
    await markOf(deps, trail, writing, minute);
    const at = nextTime(deps, writing);
    if (minuteOf(at) === minute) return at;
  }
}

/**
 * Returns the mark of the next minute, if it is to be written with the next record. The second
 * record of a minute has it, so a busy writer makes no call for it. A mark cannot go with a record
 * of its own minute: the batch is not atomic, and the record could be stored without it.
 */
function markAhead(trail: string, { shard, marks, minute: last }: Writing, minute: number): Mark[] {
  const next = minute + MINUTE_MS;
  return last === minute && !marks.has(next) ? [{ trail, shard, minute: next }] : [];
}

/** Chooses another partition, because this one was busy, or may have been. */
function moveOn({ random }: AuditLogDeps, writing: Writing): void {
  writing.shard = random.integer(TRAIL_SHARDS);
  writing.marks.clear();
  delete writing.minute;
}

async function write(
  deps: AuditLogDeps,
  trail: string,
  writing: Writing,
  entry: AuditEntry,
): Promise<RecordPlace> {
  const key = trail === DEPLOYMENT ? undefined : await deps.tenantKeys.current(trail, 'audit');
  const at = await markedTime(deps, trail, writing);
  const { shard, last, marks } = writing;
  const { referred, ...content } = encodeContent({
    ...(key !== undefined && { key: key.version }),
    ...(last !== undefined && { after: placeText(last) }),
    ...entry,
  });
  const expires = Math.floor((at + deps.auditRetentionMs) / 1000);
  const bare = { trail, shard, position: newRecordPosition(deps.random, at), expires, ...content };
  const record = key === undefined ? bare : { ...bare, mac: macOf(key.key, bare) };
  const minute = minuteOf(at);
  const [ahead] = markAhead(trail, writing, minute);
  const { wasThrottled } = await deps.trailWriter.write(record, {
    // The id of every other token was stored when that token was created.
    referred: referred.filter(({ id }) => entry.tokens?.create?.includes(id) === true),
    ...(ahead !== undefined && { mark: ahead }),
  });
  if (ahead !== undefined) marks.set(ahead.minute, Promise.resolve());
  for (const past of marks.keys()) if (past < minute) marks.delete(past);
  writing.minute = minute;
  const place = { shard, position: record.position };
  writing.last = place;
  if (wasThrottled) moveOn(deps, writing);
  return place;
}

/** Writes records to a store, and makes their MACs with the tenants' keys. */
export function createAuditLog(deps: AuditLogDeps): AuditLog {
  const writings = new Map<string, Writing>();

  function writingOf(trail: string): Writing {
    const known = writings.get(trail);
    if (known !== undefined) return known;
    const [oldest] = writings.size < REMEMBERED_MAX ? [] : writings.keys();
    if (oldest !== undefined) writings.delete(oldest);
    const fresh = { shard: deps.random.integer(TRAIL_SHARDS), marks: new Map(), turn: Promise.resolve() };
    writings.set(trail, fresh);
    return fresh;
  }

  return {
    endMissing: deps.onAuditEndMissing,

    prepare(trail) {
      const writing = writingOf(trail);
      // The append that needs the mark reports its failure.
      markOf(deps, trail, writing, minuteOf(nextTime(deps, writing))).catch(() => undefined);
    },

    append(trail, entry) {
      const writing = writingOf(trail);
      const written = writing.turn.then(async () => {
        try {
          return await write(deps, trail, writing, entry);
        } catch (error) {
          moveOn(deps, writing);
          // The keys of the tenant were destroyed meanwhile, so none of its credentials is valid
          // any more.
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
