import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { UnprovenToken, UnprovenSummary } from '../../core/tokens/token.ts';
import type { StoredCvc, UnprovenTokenStore } from '../../core/tokens/token-store.ts';
import { batchGet, getItem } from './batch-get.ts';
import { INDEXES, canBeInKey, cvcKey, matchesFrom, parseTokenPartition, tokenKey } from './keys.ts';
import { binary, send, type Item, type Table } from './table-client.ts';
import { createWriteIdIn, isTombstone, readTokenItem, type ReadToken } from './token-item.ts';
import { readDataParts } from './token-parts.ts';
import type { TokenTables } from './token-tables.ts';

/** Most matches of one call. The first one nearly always fits. */
const MATCHES_PAGE = 10;

const keyItem = z.lazy(() => z.object({ pk: z.string() }));
const cvcItem = z.lazy(() => z.object({ pk: z.string(), encryptedCvc: binary, until: z.number() }));

export type TokenReader = Pick<
  UnprovenTokenStore,
  | 'find'
  | 'findMany'
  | 'findSummaries'
  | 'findDeleted'
  | 'findTaken'
  | 'readData'
  | 'findCvcs'
  | 'findMatches'
> & {
  /**
   * The token of an item, with its data from its item or parts; `undefined` if it is not visible,
   * or if an update removed that data in the meantime.
   */
  tokenOf(read: ReadToken): Promise<UnprovenToken | undefined>;
  /** Reads the item of a token, visible or not. */
  findItem(tenantId: string, id: string): Promise<ReadToken | undefined>;
};

/**
 * The token of a summary, with its data from its item or parts; `undefined` if parts are missing.
 */
async function wholeOf(tokens: Table, summary: UnprovenSummary): Promise<UnprovenToken | undefined> {
  const { dataBytes: _, ...token } = summary;
  const encryptedData = summary.encryptedData ?? (await readDataParts(tokens, summary));
  return encryptedData && { ...token, encryptedData };
}

const tokenOf = async (tokens: Table, { token, pending }: ReadToken) =>
  pending ? undefined : wholeOf(tokens, token);

async function findItem(tokens: Table, tenantId: string, id: string): Promise<ReadToken | undefined> {
  if (!canBeInKey(id)) return undefined;
  const item = await getItem(tokens, tokenKey(tenantId, id));
  return item === undefined || isTombstone(item) ? undefined : readTokenItem(item);
}

/**
 * Repeats a read during which the data was replaced. Data that stays missing was deleted by
 * DynamoDB's own expiry, ahead of the token.
 */
async function find(tokens: Table, tenantId: string, id: string): Promise<UnprovenToken | undefined> {
  for (let lacking: number | undefined; ;) {
    const read = await findItem(tokens, tenantId, id);
    if (read === undefined || read.pending) return undefined;
    const { version, expiration } = read.token;
    const token = await wholeOf(tokens, read.token);
    if (token !== undefined) return token;
    if (lacking === version) {
      if (expiration === undefined) throw new Error('token store: the data of a token is incomplete');
      return undefined;
    }
    lacking = version;
  }
}

const findItems = (tokens: Table, tenantId: string, ids: readonly string[]) =>
  batchGet(
    tokens,
    [...new Set(ids)].filter(canBeInKey).map((id) => tokenKey(tenantId, id)),
  );

async function findSummaries(
  tokens: Table,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly UnprovenSummary[]> {
  const items = await findItems(tokens, tenantId, ids);
  return items
    .filter((item) => !isTombstone(item))
    .map(readTokenItem)
    .filter(({ pending }) => !pending)
    .map(({ token }) => token);
}

/** Reads tokens again one by one whose data was replaced during the read. */
async function readData(
  tokens: Table,
  summaries: readonly UnprovenSummary[],
): Promise<readonly UnprovenToken[]> {
  const whole = await Promise.all(
    summaries.map(
      async (summary) => (await wholeOf(tokens, summary)) ?? find(tokens, summary.tenantId, summary.id),
    ),
  );
  return whole.filter((token) => token !== undefined);
}

export function createTokenReader(tables: TokenTables): TokenReader {
  const { client, platform, tokensTable, ephemeralTable } = tables;
  const tokens = { ...tables, name: tokensTable };
  const ephemeral = { ...tables, name: ephemeralTable };

  const findMany = async (tenantId: string, ids: readonly string[]) =>
    readData(tokens, await findSummaries(tokens, tenantId, ids));

  return {
    findItem: (tenantId, id) => findItem(tokens, tenantId, id),
    tokenOf: (value) => tokenOf(tokens, value),
    find: (tenantId, id) => find(tokens, tenantId, id),
    findMany,
    findSummaries: (tenantId, ids) => findSummaries(tokens, tenantId, ids),

    async findDeleted(tenantId, ids) {
      const items = await findItems(tokens, tenantId, ids);
      const deleted = items.filter((item) => isTombstone(item) || readTokenItem(item).isLeaving);
      return new Map(
        deleted.flatMap((item) => {
          const writeId = createWriteIdIn(item);
          return writeId === undefined ? [] : [[parseTokenPartition(keyItem.parse(item).pk).id, writeId]];
        }),
      );
    },

    async findTaken(tenantId, ids) {
      const items = await findItems(tokens, tenantId, ids);
      const taken = items.filter((item) => {
        if (isTombstone(item)) return true;
        const { pending, isLeaving } = readTokenItem(item);
        return !pending || isLeaving;
      });
      return new Set(taken.map((item) => parseTokenPartition(keyItem.parse(item).pk).id));
    },

    readData: (summaries) => readData(tokens, summaries),

    async findCvcs(tenantId, ids): Promise<ReadonlyMap<string, StoredCvc>> {
      const items = await batchGet(
        ephemeral,
        ids.map((id) => cvcKey(tenantId, id)),
      );
      const cvcs = items.map((item) => cvcItem.parse(item));
      return new Map(cvcs.map(({ pk, ...cvc }) => [parseTokenPartition(pk).id, cvc]));
    },

    async *findMatches({ tenantId, fingerprint, matchHash, expiration }) {
      const [first, last] = matchesFrom(matchHash, expiration?.at);
      const query = {
        TableName: tokensTable,
        IndexName: INDEXES.fingerprint,
        KeyConditionExpression: 'fingerprint = :fingerprint AND matchSk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':fingerprint': fingerprint, ':first': first, ':last': last },
      };
      let start: Item | undefined;
      do {
        const from = start === undefined ? {} : { ExclusiveStartKey: start };
        const command: QueryCommand = new QueryCommand({ ...query, ...from, Limit: MATCHES_PAGE });
        const { Items: items = [], LastEvaluatedKey: next } = await send(platform, () =>
          client.send(command),
        );
        const keys = items.map((item) => parseTokenPartition(keyItem.parse(item).pk));
        const ids = keys.filter((key) => key.tenantId === tenantId).map(({ id }) => id);
        const found = new Map((await findSummaries(tokens, tenantId, ids)).map((token) => [token.id, token]));
        yield ids.flatMap((id) => found.get(id) ?? []);
        start = next;
      } while (start !== undefined);
    },
  };
}
