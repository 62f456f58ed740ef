import { mergeNewestFirst } from '../../core/lists/merge-newest-first.ts';
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { CandidateQuery, TokenCandidate, UnprovenTokenStore } from '../../core/tokens/token-store.ts';
import { batchGet } from './batch-get.ts';
import { canBeInKey, INDEXES, listPartition, termKey, termPartition } from './keys.ts';
import { send, type Item } from './table-client.ts';
import { readEntry, readListed, readMatch } from './token-item.ts';
import type { TokenTables } from './token-tables.ts';

/** Most entries of one Query. At a few hundred bytes each they stay below its 1 MB. */
const PAGE_MAX = 1_000;
/** Entries of each term that are read first. */
const PROBE = 100;
/** The factor by which each further page of a walk is larger. */
const GROWTH = 2;
/** Most entries that one walk reads, visible or not. */
const WALK_MAX = 20_000;

/**
 * Removes entries that the caller may not see before anything is looked up for them, so that no
 * count of calls reveals them.
 */
const visibleOf =
  ({ isVisible = () => true }: Bounds) =>
  (entries: readonly TokenCandidate[]): readonly TokenCandidate[] =>
    entries.filter(isVisible);

async function* nothing(): AsyncGenerator<readonly TokenCandidate[]> {
  yield await Promise.resolve([]);
}

/** A sorted partition that is read a page at a time, newest first. */
interface SortedPartition {
  readonly table: string;
  readonly index?: string;
  readonly partitionAttribute: string;
  readonly sortAttribute: string;
  readonly partition: string;
  readonly read: (item: Item) => TokenCandidate;
}

interface Bounds {
  /** Only entries older than this position are read. */
  readonly after?: string;
  readonly isVisible?: CandidateQuery['isVisible'];
}

function queryOf(walk: SortedPartition, { after }: Bounds, limit: number): QueryCommandInput {
  return {
    TableName: walk.table,
    ...(walk.index === undefined ? {} : { IndexName: walk.index }),
    KeyConditionExpression: after === undefined ? '#p = :p' : '#p = :p AND #s < :after',
    ExpressionAttributeNames: {
      '#p': walk.partitionAttribute,
      ...(after !== undefined && { '#s': walk.sortAttribute }),
    },
    ExpressionAttributeValues: {
      ':p': walk.partition,
      ...(after !== undefined && { ':after': after }),
    },
    ScanIndexForward: false,
    Limit: Math.min(limit, PAGE_MAX),
  };
}

/** Takes the entries that are newer than any unread one out of their sources, newest first. */
function mergeReady(
  buffers: readonly { readonly pending: TokenCandidate[]; readonly done: boolean }[],
): readonly TokenCandidate[] {
  const { entries, floor = '' } = mergeNewestFirst(
    buffers.map(({ pending, done }) => ({
      entries: pending,
      // A source with unread pages delays everything older than its oldest entry so far.
      readTo: done ? undefined : (pending.at(-1)?.position ?? '\uffff'),
    })),
  );
  for (const { pending } of buffers)
    pending.splice(0, pending.filter(({ position }) => position >= floor).length);
  return entries;
}

const query = async (
  { client, platform }: TokenTables,
  input: QueryCommandInput,
  start: Item | undefined,
) => {
  const from = start === undefined ? {} : { ExclusiveStartKey: start };
  const page = await send(platform, () => client.send(new QueryCommand({ ...input, ...from })));
  return { items: page.Items ?? [], next: page.LastEvaluatedKey };
};

/**
 * Pages of one partition, newest first. Later pages are larger, because the expected number was too
 * low.
 */
async function* pages(
  tables: TokenTables,
  walk: SortedPartition,
  bounds: Bounds,
  expected: number,
): AsyncGenerator<TokenCandidate[]> {
  let start: Item | undefined;
  let limit = expected;
  do {
    const page = await query(tables, queryOf(walk, bounds, limit), start);
    start = page.next;
    limit *= GROWTH;
    yield page.items.map(walk.read);
  } while (start !== undefined);
}

const listWalk = ({ tokensTable }: TokenTables, tenantId: string, shard: number): SortedPartition => ({
  table: tokensTable,
  index: INDEXES.list,
  partitionAttribute: 'listPk',
  sortAttribute: 'listSk',
  partition: listPartition(tenantId, shard),
  read: readListed,
});

const termWalk = ({ tokensTable }: TokenTables, tenantId: string, term: string): SortedPartition => ({
  table: tokensTable,
  partitionAttribute: 'pk',
  sortAttribute: 'sk',
  partition: termPartition(tenantId, term),
  read: readEntry,
});

async function* listed(
  tables: TokenTables,
  tenantId: string,
  bounds: Bounds,
  expected: number,
): AsyncGenerator<readonly TokenCandidate[]> {
  const { listShards } = tables;
  // All candidates may be in one shard, so each page has as many as are expected.
  const sources = Array.from({ length: listShards }, (_, shard) => ({
    pages: pages(tables, listWalk(tables, tenantId, shard), bounds, expected),
    pending: [] as TokenCandidate[],
    done: false,
  }));
  while (sources.some(({ done, pending }) => !done || pending.length > 0)) {
    await Promise.all(
      sources
        .filter(({ done, pending }) => !done && pending.length === 0)
        .map(async (source) => {
          const next = await source.pages.next();
          if (next.done === true) source.done = true;
          else source.pending.push(...next.value);
        }),
    );
    yield mergeReady(sources);
  }
}

/**
 * Filters entries of one term to those whose token also has every other term. All entries of a
 * token share its position.
 */
async function under(
  tables: TokenTables,
  tenantId: string,
  entries: readonly TokenCandidate[],
  others: readonly string[],
): Promise<readonly TokenCandidate[]> {
  const table = { ...tables, name: tables.tokensTable };
  const keys = (term: string) => entries.map(({ position }) => termKey(tenantId, term, position));
  const found = await Promise.all(others.map((term) => batchGet(table, keys(term), { isConsistent: false })));
  const sets = found.map((items) => new Set(items.map((item) => readEntry(item).position)));
  return entries.filter(({ position }) => sets.every((set) => set.has(position)));
}

/**
 * Finds tokens with several terms. Walks the rarest term, judged by first pages, and looks up its
 * entries under the others. So a rare term costs the same however common the others are.
 */
async function* joined(
  tables: TokenTables,
  tenantId: string,
  terms: readonly string[],
  bounds: Bounds,
  expected: number,
): AsyncGenerator<readonly TokenCandidate[]> {
  const visible = visibleOf(bounds);
  const probes = await Promise.all(
    terms.map(async (term) => {
      const walk = pages(tables, termWalk(tables, tenantId, term), bounds, Math.min(expected, PROBE));
      const first = await walk.next();
      const page = first.done === true ? [] : first.value;
      const reach = page.length < Math.min(expected, PROBE) ? '' : (page.at(-1)?.position ?? '');
      return { term, walk, page: visible(page), reach };
    }),
  );
  // A term whose entries are all read is the rarest, however many are visible. Otherwise the rarest
  // is the one whose page reaches back furthest.
  const isThick = ({ reach }: { readonly reach: string }) => Number(reach !== '');
  const [driver] = probes.toSorted(
    (a, b) => isThick(a) - isThick(b) || a.page.length - b.page.length || (a.reach < b.reach ? -1 : 1),
  );
  if (driver === undefined) return;
  const others = terms.filter((term) => term !== driver.term);
  yield await under(tables, tenantId, driver.page, others);
  let examined = driver.page.length;
  for await (const page of driver.walk) {
    yield await under(tables, tenantId, visible(page), others);
    examined += page.length;
    // Invisible entries count too, so no caller pays for more than one walk.
    if (examined >= WALK_MAX) return;
  }
}

/**
 * All tokens of a fingerprint together, because its index sorts them for deduplication and not by
 * creation.
 */
async function* ofFingerprint(
  tables: TokenTables,
  tenantId: string,
  fingerprint: string,
  terms: readonly string[],
  bounds: Bounds,
): AsyncGenerator<readonly TokenCandidate[]> {
  const { tokensTable } = tables;
  const wanted = {
    TableName: tokensTable,
    IndexName: INDEXES.fingerprint,
    KeyConditionExpression: 'fingerprint = :fingerprint',
    ExpressionAttributeValues: { ':fingerprint': fingerprint },
  };
  const found: TokenCandidate[] = [];
  let start: Item | undefined;
  do {
    const { items, next } = await query(tables, wanted, start);
    for (const { tenantId: of, ...candidate } of items.map(readMatch).filter((match) => match !== undefined))
      if (of === tenantId && (bounds.after === undefined || candidate.position < bounds.after))
        found.push(candidate);
    start = next;
  } while (start !== undefined && found.length < WALK_MAX);
  const newestFirst = visibleOf(bounds)(found).toSorted((a, b) => (a.position < b.position ? 1 : -1));
  yield terms.length === 0 ? newestFirst : await under(tables, tenantId, newestFirst, terms);
}

/**
 * The lists and searches of the token store. Candidates come from the list index, or from the
 * entries of terms.
 */
export function createTokenCandidates(tables: TokenTables): Pick<UnprovenTokenStore, 'candidates'> {
  return {
    candidates(tenantId, { terms, fingerprint, expected, ...bounds }) {
      if (fingerprint !== undefined)
        return canBeInKey(fingerprint)
          ? ofFingerprint(tables, tenantId, fingerprint, terms, bounds)
          : nothing();
      const [first, ...others] = [...new Set(terms)];
      if (first === undefined) return listed(tables, tenantId, bounds, expected);
      if (others.length === 0) return pages(tables, termWalk(tables, tenantId, first), bounds, expected);
      return joined(tables, tenantId, [first, ...others], bounds, expected);
    },
  };
}
