import { QueryCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { SEAL_OVERHEAD_BYTES } from '../../core/crypto/record-seal.ts';
import type { StoredToken, TokenHead } from '../../core/tokens/token.ts';
import type { StoredCvc, TokenStore } from '../../core/tokens/token-store.ts';
import { getAll, getItem } from './get-all.ts';
import {
  INDEXES,
  canBeInKey,
  chunkKey,
  cvcKey,
  matchesFrom,
  parseTokenPartition,
  tokenKey,
  type ItemKey,
} from './keys.ts';
import { binary, fromItem, send, toItem, type Item } from './table-client.ts';
import { chunksOf, readTokenItem } from './token-item.ts';
import type { TokenTables } from './token-tables.ts';

/** Matches that one call asks for: the first is nearly always good. */
const MATCHES_PAGE = 10;

const chunkItem = z.object({ pk: z.string(), sk: z.string(), data: binary });
const keyItem = z.object({ pk: z.string() });
const cvcItem = z.object({ pk: z.string(), cvc: binary, until: z.number() });

/** The keys of the items that hold the data of a token. */
export function chunkKeys(
  token: Pick<StoredToken, 'tenantId' | 'id' | 'version'>,
  count: number,
): readonly ItemKey[] {
  return Array.from({ length: count }, (_, index) =>
    chunkKey(token.tenantId, token.id, token.version, index),
  );
}

export type TokenReader = Pick<
  TokenStore,
  'find' | 'findMany' | 'findHeads' | 'readData' | 'findCvcs' | 'findMatches'
> & {
  /** The token of an item, with its data from wherever it stands; `undefined` if an update took that away meanwhile, or it is not visible. */
  tokenOf(item: Item): Promise<StoredToken | undefined>;
  /** The item of a token, visible or not. */
  findItem(tenantId: string, id: string): Promise<Item | undefined>;
};

/** The reading half of the token store. */
export function createTokenReader({ client, tokensTable, ephemeralTable }: TokenTables): TokenReader {
  /** The data of a token from the items beside it; `undefined` if they are not all there. */
  async function dataOf(keys: readonly ItemKey[]): Promise<Buffer | undefined> {
    const chunks = (await getAll({ client, name: tokensTable }, keys)).map((item) =>
      chunkItem.parse(fromItem(item)),
    );
    if (chunks.length !== keys.length) return undefined;
    return Buffer.concat(chunks.sort((a, b) => (a.sk < b.sk ? -1 : 1)).map(({ data }) => data));
  }

  /** The token of a head, with its data from wherever it stands; `undefined` if that is not all there. */
  async function wholeOf({ dataBytes, ...token }: TokenHead): Promise<StoredToken | undefined> {
    const sealedData =
      token.sealedData ?? (await dataOf(chunkKeys(token, chunksOf(dataBytes + SEAL_OVERHEAD_BYTES))));
    return sealedData === undefined ? undefined : { ...token, sealedData };
  }

  async function tokenOf(item: Item): Promise<StoredToken | undefined> {
    const { token, pending } = readTokenItem(item);
    return pending ? undefined : wholeOf(token);
  }

  async function findItem(tenantId: string, id: string): Promise<Item | undefined> {
    if (!canBeInKey(id)) return undefined;
    return getItem({ client, name: tokensTable }, tokenKey(tenantId, id));
  }

  /** Reads again while the data is replaced in between; data that stays missing was taken by DynamoDB's own expiry, before the token. */
  async function find(tenantId: string, id: string): Promise<StoredToken | undefined> {
    for (let lacking: number | undefined; ;) {
      const item = await findItem(tenantId, id);
      if (item === undefined) return undefined;
      const { pending, token: found } = readTokenItem(item);
      if (pending) return undefined;
      const token = await tokenOf(item);
      if (token !== undefined) return token;
      if (lacking === found.version) {
        if (found.expiration === undefined) throw new Error('token store: the data of a token is incomplete');
        return undefined;
      }
      lacking = found.version;
    }
  }

  async function findHeads(tenantId: string, ids: readonly string[]): Promise<readonly TokenHead[]> {
    const items = await getAll(
      { client, name: tokensTable },
      [...new Set(ids)].filter(canBeInKey).map((id) => tokenKey(tenantId, id)),
    );
    return items
      .map(readTokenItem)
      .filter(({ pending }) => !pending)
      .map(({ token }) => token);
  }

  /** Tokens whose data was replaced while they were read are read again by themselves. */
  async function readData(heads: readonly TokenHead[]): Promise<readonly StoredToken[]> {
    const tokens = await Promise.all(
      heads.map(async (head) => (await wholeOf(head)) ?? find(head.tenantId, head.id)),
    );
    return tokens.filter((token) => token !== undefined);
  }

  const findMany = async (tenantId: string, ids: readonly string[]) =>
    readData(await findHeads(tenantId, ids));

  return {
    findItem,
    tokenOf,
    find,
    findMany,
    findHeads,
    readData,

    async findCvcs(tenantId, ids): Promise<ReadonlyMap<string, StoredCvc>> {
      const items = await getAll(
        { client, name: ephemeralTable },
        ids.map((id) => cvcKey(tenantId, id)),
      );
      const cvcs = items.map((item) => cvcItem.parse(fromItem(item)));
      return new Map(
        cvcs.map(({ pk, cvc, until }) => [parseTokenPartition(pk).id, { sealedCvc: cvc, until }]),
      );
    },

    async *findMatches({ tenantId, fingerprint, matchHash, expiration }) {
      const [first, last] = matchesFrom(matchHash, expiration?.at);
      const query = {
        TableName: tokensTable,
        IndexName: INDEXES.fingerprint,
        KeyConditionExpression: 'fingerprint = :fingerprint AND matchSk BETWEEN :first AND :last',
        ExpressionAttributeValues: toItem({ ':fingerprint': fingerprint, ':first': first, ':last': last }),
      };
      let start: Item | undefined;
      do {
        const from = start === undefined ? {} : { ExclusiveStartKey: start };
        const command: QueryCommand = new QueryCommand({ ...query, ...from, Limit: MATCHES_PAGE });
        const { Items: items = [], LastEvaluatedKey: next } = await send(() => client.send(command));
        const keys = items.map((item) => parseTokenPartition(keyItem.parse(fromItem(item)).pk));
        const ids = keys.filter((key) => key.tenantId === tenantId).map(({ id }) => id);
        const found = new Map((await findHeads(tenantId, ids)).map((token) => [token.id, token]));
        yield ids.flatMap((id) => found.get(id) ?? []);
        start = next;
      } while (start !== undefined);
    },
  };
}
