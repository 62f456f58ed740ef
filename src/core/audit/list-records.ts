import * as z from 'zod/mini';
import type { Caller } from '../applications/application.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';
import type { Page } from '../shared/pagination.ts';
import { sortableTime } from '../shared/position.ts';
import {
  CLOCK_AHEAD_MS,
  entryOf,
  FORMS,
  OUTCOMES,
  type AuditEntry,
  type AuditRecord,
  type Form,
  type Outcome,
} from './audit-record.ts';

/** Newest records of one partition. */
export interface PartitionPage {
  readonly records: readonly AuditRecord[];
  /** The position down to which the partition was read; absent where nothing is left below it. */
  readonly readTo?: string;
}

/** Positions from `from` to below `before`; of each partition at most `limit`. */
export interface PageRange {
  readonly from: string;
  readonly before: string;
  readonly limit: number;
}

/** Reads a trail newest first. What was just written may not be there yet. */
export interface TrailPages {
  /** A page of each partition of the trail. */
  newest(trail: string, range: PageRange): Promise<readonly PartitionPage[]>;
  /** A page of each partition of the rows of a token, as the records that they lead to. */
  naming(trail: string, tokenId: string, range: PageRange): Promise<readonly PartitionPage[]>;
}

/** Filters of `GET /logs`; times in ms since the epoch. */
export interface RecordFilters {
  readonly tokenId?: string;
  readonly applicationId?: string;
  readonly operation?: string;
  readonly outcome?: Outcome;
  /** Inside. */
  readonly from?: number;
  /** Not inside. */
  readonly to?: number;
}

/** A record as readers see it. */
export interface AuditView {
  readonly position: string;
  readonly entry: AuditEntry;
}

export interface ListRecordsDeps {
  readonly trailPages: TrailPages;
  readonly tenantKeys: Pick<TenantKeys, 'current' | 'all'>;
  readonly clock: Clock;
}

/**
 * Records of each partition that one page looks at where filters may leave most of them out: with
 * 32 partitions 8,000 (docs/contract.md#audit-trail).
 */
const FILTERED_LIMIT = 250;
/** The same of the rows of a token, of which there are 4 partitions and each leads to a record. */
const NAMING_LIMIT = 50;

/** The position that comes before all of a time. There is none before 1970. */
const positionOf = (at: number): string => sortableTime(Math.max(0, at));

/** The forms in which a record names a token. */
export function formsOf({ tokens = {} }: AuditEntry, tokenId: string): readonly Form[] {
  return FORMS.filter((form) => tokens[form]?.includes(tokenId) === true);
}

const texts = z.array(z.string());

/** What readers rely on; a record that was changed may say anything. */
const readable = z.object({
  op: z.string(),
  outcome: z.enum(OUTCOMES),
  tokens: z.optional(z.partialRecord(z.enum(FORMS), texts)),
  change: z.optional(z.object({ members: texts })),
  of: z.optional(z.string()),
});

/** `undefined` for a record that was changed so that it cannot be read; verify-audit names it. */
function viewOf(record: AuditRecord): AuditView | undefined {
  try {
    const entry = entryOf(record);
    return readable.safeParse(entry).success ? { position: record.position, entry } : undefined;
  } catch {
    return undefined;
  }
}

/** What a walk over one trail found: newest first, and where to go on. */
export interface Walked {
  readonly views: readonly AuditView[];
  readonly next: string | undefined;
}

/**
 * One step of a walk: the newest records that match, up to `size` of them, out of a bounded number
 * that are looked at. Fewer than that may match; `next` says whether any may follow.
 */
export async function walkRecords(
  { trailPages, clock }: Pick<ListRecordsDeps, 'trailPages' | 'clock'>,
  trail: string,
  { tokenId, applicationId, operation, outcome, from = 0, to }: RecordFilters,
  { size, before }: { readonly size: number; readonly before: string | undefined },
  isWanted?: (entry: AuditEntry) => boolean,
): Promise<Walked> {
  // Nothing of ours is later: what is was put there by somebody, and verify-audit says so.
  const end = positionOf(Math.min(to ?? Infinity, clock() + CLOCK_AHEAD_MS));
  const isFiltered = [applicationId, operation, outcome, isWanted].some((filter) => filter !== undefined);
  const range = {
    from: positionOf(from),
    before: before !== undefined && before < end ? before : end,
    limit: isFiltered ? Math.max(tokenId === undefined ? FILTERED_LIMIT : NAMING_LIMIT, size) : size,
  };
  if (range.from >= range.before) return { views: [], next: undefined };
  const pages =
    tokenId === undefined
      ? await trailPages.newest(trail, range)
      : await trailPages.naming(trail, tokenId, range);
  // Where one partition was read less far than others, records of it may come before theirs.
  const ends = pages.flatMap(({ readTo }) => readTo ?? []);
  const floor = ends.reduce((highest, each) => (each > highest ? each : highest), '');
  const nowSeconds = clock() / 1000;
  const matching = pages
    .flatMap(({ records }) => records)
    .filter(({ position, expires }) => position >= floor && expires > nowSeconds)
    .toSorted((a, b) => (a.position < b.position ? 1 : -1))
    .flatMap((record) => viewOf(record) ?? [])
    .filter(
      ({ entry }) =>
        isWanted?.(entry) !== false &&
        (tokenId === undefined || formsOf(entry, tokenId).length > 0) &&
        (applicationId === undefined || entry.app === applicationId) &&
        (operation === undefined || entry.op === operation) &&
        (outcome === undefined || entry.outcome === outcome),
    );
  if (matching.length > size) return { views: matching.slice(0, size), next: matching[size - 1]?.position };
  return { views: matching, next: ends.length === 0 ? undefined : floor };
}

/**
 * A page of the caller's tenant's trail, newest first. It may be short, or empty, and go on. Throws
 * `forbidden`, and `validation_failed` for a cursor of something else.
 */
export async function listRecords(
  deps: ListRecordsDeps,
  caller: Caller,
  filters: RecordFilters,
  { size, cursor }: { readonly size: number; readonly cursor: string | undefined },
): Promise<Page<AuditView>> {
  requirePermission(caller, 'log:read');
  const [{ key }, keys] = await Promise.all([
    deps.tenantKeys.current(caller.tenantId, 'cursor'),
    deps.tenantKeys.all(caller.tenantId, 'cursor'),
  ]);
  const { tokenId, applicationId, operation, outcome, from, to } = filters;
  const scope = {
    list: 'logs',
    applicationId: caller.credentialId,
    filters: JSON.stringify([tokenId, applicationId, operation, outcome, from, to]),
  };
  const before = cursor === undefined ? undefined : decodeCursor(keys, scope, cursor);
  const { views, next } = await walkRecords(deps, caller.tenantId, filters, { size, before });
  return { items: views, info: { size, after: next === undefined ? null : encodeCursor(key, scope, next) } };
}
