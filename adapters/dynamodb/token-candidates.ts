import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { TokenCandidate, TokenStore } from '../../core/tokens/token-store.ts';
import { INDEXES, listPartition, termPartition } from './keys.ts';
import { send, toItem, type Item } from './table-client.ts';
import { readCandidate } from './token-item.ts';
import type { TokenTables } from './token-tables.ts';

/** Entries that one Query asks for at the most; at a few hundred bytes each they stay below its 1 MB. */
const PAGE_MAX = 1_000;

/** A sorted partition that is read a page at a time, newest first. */
interface Walk {
  readonly table: string;
  readonly index?: string;
  readonly partitionAttribute: string;
  readonly sortAttribute: string;
  readonly partition: string;
}

interface Bounds {
  readonly after?: string;
  /** Not older than this position. */
  readonly from?: string;
}

function queryOf(walk: Walk, bounds: Bounds, limit: number): QueryCommandInput {
  const conditions = ['#p = :p'];
  const values: Record<string, string> = { ':p': walk.partition };
  // BETWEEN takes both ends; `after` itself is dropped by the caller.
  if (bounds.after !== undefined && bounds.from !== undefined) {
    conditions.push('#s BETWEEN :from AND :after');
    Object.assign(values, { ':after': bounds.after, ':from': bounds.from });
  } else if (bounds.after !== undefined) {
    conditions.push('#s < :after');
    values[':after'] = bounds.after;
  } else if (bounds.from !== undefined) {
    conditions.push('#s >= :from');
    values[':from'] = bounds.from;
  }
  return {
    TableName: walk.table,
    ...(walk.index === undefined ? {} : { IndexName: walk.index }),
    KeyConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: {
      '#p': walk.partitionAttribute,
      ...(conditions.length > 1 && { '#s': walk.sortAttribute }),
    },
    ExpressionAttributeValues: toItem(values),
    ScanIndexForward: false,
    Limit: Math.min(limit, PAGE_MAX),
  };
}

/** Newest first over several sorted sources: a batch holds what is certainly newer than anything not read yet. */
function mergeReady(
  buffers: readonly { readonly pending: TokenCandidate[]; readonly done: boolean }[],
): TokenCandidate[] {
  const open = buffers.filter(({ done }) => !done);
  // A source that may go on holds back everything older than the oldest entry it has given.
  const floor = open.reduce<string | undefined>((highest, { pending }) => {
    const oldest = pending.at(-1)?.position ?? '\uffff';
    return highest === undefined || oldest > highest ? oldest : highest;
  }, undefined);
  const ready = buffers.flatMap(({ pending }) => {
    const count =
      floor === undefined ? pending.length : pending.filter(({ position }) => position >= floor).length;
    return pending.splice(0, count);
  });
  return ready.sort((a, b) => (a.position < b.position ? 1 : -1));
}

/** The lists and searches of the token store: candidates from the list index, or from the entries of terms. */
export function createTokenCandidates({
  client,
  tokensTable,
  listShards,
}: TokenTables): Pick<TokenStore, 'candidates'> {
  const query = async (input: QueryCommandInput, start?: Item) => {
    const command = new QueryCommand({
      ...input,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const { Items: items = [], LastEvaluatedKey: next } = await send(() => client.send(command));
    return { candidates: items.map(readCandidate), next };
  };

  /** Pages of one partition, newest first. */
  async function* pages(walk: Walk, bounds: Bounds, limit: number): AsyncGenerator<TokenCandidate[]> {
    let start: Item | undefined;
    do {
      const page = await query(queryOf(walk, bounds, limit), start);
      start = page.next;
      yield page.candidates;
    } while (start !== undefined);
  }

  const listWalk = (tenantId: string, shard: number): Walk => ({
    table: tokensTable,
    index: INDEXES.list,
    partitionAttribute: 'listPk',
    sortAttribute: 'listSk',
    partition: listPartition(tenantId, shard),
  });

  const termWalk = (tenantId: string, term: string): Walk => ({
    table: tokensTable,
    partitionAttribute: 'pk',
    sortAttribute: 'sk',
    partition: termPartition(tenantId, term),
  });

  async function* listed(
    tenantId: string,
    bounds: Bounds,
    expected: number,
  ): AsyncGenerator<readonly TokenCandidate[]> {
    // A page may come from one shard alone, so each gives as many as are expected; what is counted is spread evenly.
    const limit = expected >= PAGE_MAX ? PAGE_MAX : expected;
    const sources = Array.from({ length: listShards }, (_, shard) => ({
      pages: pages(listWalk(tenantId, shard), bounds, limit),
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

  /** Of a page of one term, those whose token also stands under every other term. */
  async function under(
    tenantId: string,
    page: TokenCandidate[],
    others: readonly string[],
  ): Promise<TokenCandidate[]> {
    const [newest, oldest] = [page[0], page.at(-1)];
    if (newest === undefined || oldest === undefined || others.length === 0) return page;
    const bounds = { after: newest.position, from: oldest.position };
    const sets = await Promise.all(
      others.map(async (term) => {
        const found = new Set<string>();
        for await (const entries of pages(termWalk(tenantId, term), bounds, PAGE_MAX)) {
          for (const { position } of entries) found.add(position);
        }
        return found;
      }),
    );
    return page.filter(({ position }) => sets.every((set) => set.has(position)));
  }

  async function* joined(
    tenantId: string,
    terms: readonly string[],
    bounds: Bounds,
    expected: number,
  ): AsyncGenerator<readonly TokenCandidate[]> {
    const [first = '', ...others] = terms;
    const limit = others.length > 0 ? PAGE_MAX : expected;
    for await (const page of pages(termWalk(tenantId, first), bounds, limit))
      yield await under(tenantId, page, others);
  }

  return {
    candidates(tenantId, { terms, after, expected }) {
      const bounds = after === undefined ? {} : { after };
      return terms.length === 0
        ? listed(tenantId, bounds, expected)
        : joined(tenantId, [...new Set(terms)], bounds, expected);
    },
  };
}
