import * as z from 'zod/mini';
import type { Caller } from '../access/caller.ts';
import { requirePermission } from '../access/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Clock } from '../shared/clock.ts';
import { decodeCursor, encodeCursor } from '../lists/cursor.ts';
import { mergeNewestFirst, type NewestFirst } from '../lists/merge-newest-first.ts';
import type { Page } from '../lists/pagination.ts';
import { sortableTime } from '../shared/position.ts';
import { endOf, indexedRecords, indexesOf, type FindByTokenDeps } from './find-by-token.ts';
import { decodeContent } from '../audit/record-content.ts';
import { nameOfToken, parseReference, type ReferredIds } from '../audit/token-reference.ts';
import {
  CLOCK_AHEAD_MS,
  namedTokens,
  timeOfPosition,
  FORMS,
  OUTCOMES,
  type AuditEntry,
  type AuditRecord,
  type Form,
  type Outcome,
} from '../audit/audit-record.ts';

/** The newest records that one partition has. */
export interface PartitionPage {
  readonly records: readonly AuditRecord[];
  /** The lowest position that was read; absent if no records are left below it. */
  readonly readTo?: string;
}

/** Positions from `from` to below `before`, with at most `limit` in each partition. */
export interface PageRange {
  readonly from: string;
  readonly before: string;
  readonly limit: number;
}

/** Reads a trail, newest first. The most recent records may still be missing. */
export interface TrailPages {
  /** Reads a page of each partition of the trail. */
  newest(trail: string, range: PageRange): Promise<readonly PartitionPage[]>;
}

/** The filters of `GET /logs`. Times are in ms since the epoch. */
export interface RecordFilters {
  readonly tokenId?: string;
  readonly applicationId?: string;
  readonly proxyId?: string;
  readonly operation?: string;
  readonly outcome?: Outcome;
  /** How the request saw the token of the filter or, without one, any token. */
  readonly form?: Form;
  /** The range includes this time. */
  readonly from?: number;
  /** The range excludes this time. */
  readonly to?: number;
}

/** A record as readers see it. */
export interface AuditView {
  readonly position: string;
  readonly entry: AuditEntry;
}

export interface WalkDeps extends FindByTokenDeps {
  readonly trailPages: TrailPages;
  readonly referredIds: ReferredIds;
  readonly clock: Clock;
}

export interface ListRecordsDeps extends WalkDeps {
  readonly tenantKeys: Pick<TenantKeys, 'current' | 'all'>;
}

/**
 * Records of each partition that one page reads if filters may exclude most of them. They are
 * 8,000 in 32 partitions (docs/contract.md#audit-trail).
 */
const FILTERED_LIMIT = 250;
/** The limit for records to which the index leads. A call reads each of them. */
const NAMING_LIMIT = 100;

/**
 * Most bytes of the records of one page in a response, which has at most 6 MB. A single record
 * always fits, as its item has at most 400 KB. Other callers choose the ids that fill a record.
 */
const PAGE_BYTES = 5_000_000;
/** Most bytes that a response adds to the JSON of a record, and to each id in it. */
const RECORD_EXTRA_BYTES = 8_000;
const ID_EXTRA_BYTES = 40;

/** Most bytes of a record in a response, which escapes JSON in a JSON string. */
function bytesOf({ entry }: AuditView): number {
  const ids = Object.values(entry.tokens ?? {}).reduce((sum, each) => sum + each.length, 0);
  return 2 * Buffer.byteLength(JSON.stringify(entry)) + RECORD_EXTRA_BYTES + ids * ID_EXTRA_BYTES;
}

/** The first records that fit into a page, at least one. */
function fitting(views: readonly AuditView[], size: number): readonly AuditView[] {
  let count = 0;
  let bytes = 0;
  for (const view of views.slice(0, size)) {
    bytes += bytesOf(view);
    if (count > 0 && bytes > PAGE_BYTES) break;
    count += 1;
  }
  return views.slice(0, count);
}

/** The position before all records of a time. There are no records before 1970. */
const positionOf = (at: number): string => sortableTime(Math.max(0, at));

/** The forms in which an entry names a token, by any of its names. */
export function formsOf({ tokens = {} }: AuditEntry, names: readonly string[]): readonly Form[] {
  return FORMS.filter((form) => tokens[form]?.some((each) => names.includes(each)) === true);
}

const texts = z.array(z.string());

/** The members that readers rely on. A record that was tampered with may contain anything. */
const readable = z.object({
  op: z.string(),
  outcome: z.enum(OUTCOMES),
  tokens: z.optional(z.partialRecord(z.enum(FORMS), texts)),
  change: z.optional(z.object({ members: texts })),
  of: z.optional(z.string()),
});

/**
 * The view of a record; `undefined` for one that was tampered with and cannot be read. verify-audit
 * reports it.
 */
function viewOf(record: AuditRecord): AuditView | undefined {
  try {
    const entry = decodeContent(record);
    return readable.safeParse(entry).success ? { position: record.position, entry } : undefined;
  } catch {
    return undefined;
  }
}

/** Requests name fewer. A record that was tampered with must not make a response too large. */
const MAX_REFERENCES = 1_000;
/**
 * Most references of a page. The creators of tokens choose their ids, and so decide what others pay
 * to read them.
 */
const PAGE_REFERENCES = 2_000;

function referencesIn({ entry }: AuditView): readonly Buffer[] {
  const references = namedTokens(entry).flatMap((name) => parseReference(name) ?? []);
  return references.length <= MAX_REFERENCES ? references : [];
}

/**
 * Replaces references by ids of tokens in the first views. A reference whose id is missing stays.
 */
async function withIds(
  { referredIds }: Pick<WalkDeps, 'referredIds'>,
  all: readonly AuditView[],
): Promise<readonly AuditView[]> {
  let count = 0;
  const end = all.findIndex((view) => (count += referencesIn(view).length) > PAGE_REFERENCES);
  const views = end === -1 ? all : all.slice(0, Math.max(1, end));
  const references = views.flatMap(referencesIn);
  if (references.length === 0) return views;
  const ids = await referredIds(references);
  const named = (texts: readonly string[] = []) =>
    texts.length > MAX_REFERENCES ? texts : texts.map((text) => ids.get(text) ?? text);
  return views.map(({ entry: { tokens = {}, ...entry }, ...view }) => ({
    ...view,
    entry: {
      ...entry,
      tokens: Object.fromEntries(Object.entries(tokens).map(([form, texts]) => [form, named(texts)])),
    },
  }));
}

/** A step begins at `before` and returns up to `size` records. */
export interface WalkStep {
  readonly size: number;
  readonly before: string | undefined;
  readonly withoutIndex?: boolean;
}

/** The records that a step found, newest first, and the position to continue at. */
export interface StepResult {
  readonly views: readonly AuditView[];
  readonly next: string | undefined;
}

/** The records that were read of each source of a range. */
type Sources = readonly NewestFirst<AuditRecord>[];

async function newestRecords(
  { trailPages }: Pick<WalkDeps, 'trailPages'>,
  trail: string,
  range: PageRange,
): Promise<Sources> {
  if (range.from >= range.before) return [];
  const pages = await trailPages.newest(trail, range);
  return pages.map(({ records, readTo }) => ({ entries: records, readTo }));
}

/**
 * Records that may name a token. They are the newest ones of all, down to those that the index has
 * for certain, and then those to which the index leads.
 */
async function recordsNaming(
  deps: WalkDeps,
  trail: string,
  tokenId: string,
  range: PageRange,
  places: number,
): Promise<Sources> {
  const from = timeOfPosition(range.from);
  // The index is read first, because what is written to it meanwhile is among the newest records.
  const headers = await indexesOf(deps, trail, { from, now: deps.clock() });
  const end = positionOf(endOf(headers) - CLOCK_AHEAD_MS);
  const middle = end < range.from ? range.from : end < range.before ? end : range.before;
  const newest = await newestRecords(deps, trail, { ...range, from: middle });
  const hasMore = newest.some(({ readTo }) => readTo !== undefined);
  if (hasMore || middle <= range.from) return newest;
  // A position before the end of its ms is in the middle of the records of that time.
  const before = timeOfPosition(middle) + (middle === positionOf(timeOfPosition(middle)) ? 0 : 1);
  const indexed = await indexedRecords(deps, headers, {
    trail,
    name: nameOfToken(tokenId),
    from,
    before,
    limit: places,
  });
  const below = indexed.records.filter(({ position }) => position < middle);
  return [...newest, { entries: below, readTo: indexed.readTo }];
}

/** Makes the test whether an entry passes the filters. */
function testOf({
  tokenId,
  applicationId,
  proxyId,
  operation,
  outcome,
  form,
}: RecordFilters): (entry: AuditEntry) => boolean {
  const name = tokenId === undefined ? undefined : nameOfToken(tokenId);
  const isSeen = (entry: AuditEntry): boolean => {
    if (name === undefined) return form === undefined || (entry.tokens?.[form]?.length ?? 0) > 0;
    const forms = formsOf(entry, [name]);
    return form === undefined ? forms.length > 0 : forms.includes(form);
  };
  return (entry) =>
    isSeen(entry) &&
    (applicationId === undefined || entry.app === applicationId) &&
    (proxyId === undefined || entry.proxy === proxyId) &&
    (operation === undefined || entry.op === operation) &&
    (outcome === undefined || entry.outcome === outcome);
}

const isSelective = ({ applicationId, proxyId, operation, outcome, form }: RecordFilters): boolean =>
  [applicationId, proxyId, operation, outcome, form].some((filter) => filter !== undefined);

/**
 * Reads the newest records of a range. With a token in the filters, reads those that may name it.
 */
function readSources(
  deps: WalkDeps,
  trail: string,
  filters: RecordFilters,
  { size, withoutIndex = false }: WalkStep,
  range: PageRange,
): Promise<Sources> {
  const { tokenId } = filters;
  if (tokenId === undefined || withoutIndex) return newestRecords(deps, trail, range);
  const places = isSelective(filters) ? Math.max(NAMING_LIMIT, size) : size;
  return recordsNaming(deps, trail, tokenId, range, places);
}

/**
 * Makes one step of a walk over a bounded number of records. Returns the newest matching ones, up
 * to `size` and to a size in bytes. There may be fewer; `next` shows whether more may follow.
 * `withoutIndex` reads every record to find those of a token.
 */
export async function walkRecords(
  deps: WalkDeps,
  trail: string,
  filters: RecordFilters,
  walk: WalkStep,
): Promise<StepResult> {
  const { clock } = deps;
  const { tokenId, from = 0, to } = filters;
  const { size, before } = walk;
  // A record from later is not from this service. verify-audit reports it.
  const end = positionOf(Math.min(to ?? Infinity, clock() + CLOCK_AHEAD_MS));
  const isFiltered = isSelective(filters) || tokenId !== undefined;
  const range = {
    from: positionOf(from),
    before: before !== undefined && before < end ? before : end,
    limit: isFiltered ? Math.max(FILTERED_LIMIT, size) : size,
  };
  if (range.from >= range.before) return { views: [], next: undefined };
  const nowSeconds = clock() / 1000;
  const passes = testOf(filters);
  const { entries: records, floor } = mergeNewestFirst(await readSources(deps, trail, filters, walk, range));
  const matching = records
    .filter(({ expires }) => expires > nowSeconds)
    .flatMap((record) => viewOf(record) ?? [])
    .filter(({ entry }) => passes(entry));
  const views = fitting(await withIds(deps, matching.slice(0, size)), size);
  const next = matching.length > views.length ? views.at(-1)?.position : floor;
  return { views, next };
}

/**
 * A page of the trail of the caller's tenant, newest first. A page may be short or even empty and
 * still have a next one. Throws `forbidden`, and `validation_failed` for a cursor of another list.
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
  const { tokenId, applicationId, proxyId, operation, outcome, form, from, to } = filters;
  const scope = {
    list: 'logs',
    applicationId: caller.credentialId,
    filters: JSON.stringify([tokenId, applicationId, proxyId, operation, outcome, form, from, to]),
  };
  const before = cursor === undefined ? undefined : decodeCursor(keys, scope, cursor);
  const { views, next } = await walkRecords(deps, caller.tenantId, filters, { size, before });
  return { items: views, info: { size, after: next === undefined ? null : encodeCursor(key, scope, next) } };
}
