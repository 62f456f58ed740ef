import { GetItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import type { StoredToken } from '../../core/tokens/token.ts';
import type { StoredCvc, TokenStore } from '../../core/tokens/token-store.ts';
import { getAll } from './get-all.ts';
import {
  INDEXES,
  canBeInKey,
  chunkKey,
  cvcKey,
  parseTokenPartition,
  tokenKey,
  type ItemKey,
} from './keys.ts';
import { binary, fromItem, send, toItem, type Item } from './table-client.ts';
import { readTokenItem } from './token-item.ts';
import type { TokenTables } from './token-tables.ts';

/** Tokens of one fingerprint that are looked at. */
const FINGERPRINT_MAX = 100;

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

export type TokenReader = Pick<TokenStore, 'find' | 'findMany' | 'findCvcs' | 'findByFingerprint'> & {
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

  async function tokenOf(item: Item): Promise<StoredToken | undefined> {
    const { token, chunks, pending } = readTokenItem(item);
    if (pending) return undefined;
    const { sealedData, ...rest } = token;
    const data = sealedData ?? (await dataOf(chunkKeys(token, chunks)));
    return data === undefined ? undefined : { ...rest, sealedData: data };
  }

  async function findItem(tenantId: string, id: string): Promise<Item | undefined> {
    if (!canBeInKey(id)) return undefined;
    const key = toItem({ ...tokenKey(tenantId, id) });
    const command = new GetItemCommand({ TableName: tokensTable, Key: key, ConsistentRead: true });
    return (await send(() => client.send(command))).Item;
  }

  /** Reads again while the data is replaced in between; data that stays missing was taken by DynamoDB's own expiry, before the token. */
  async function find(tenantId: string, id: string): Promise<StoredToken | undefined> {
    for (let lacking: Buffer | undefined; ;) {
      const item = await findItem(tenantId, id);
      if (item === undefined) return undefined;
      const { pending, token: found } = readTokenItem(item);
      if (pending) return undefined;
      const token = await tokenOf(item);
      if (token !== undefined) return token;
      if (lacking?.equals(found.writeId) === true) {
        if (found.expiration === undefined) throw new Error('token store: the data of a token is incomplete');
        return undefined;
      }
      lacking = found.writeId;
    }
  }

  /** Tokens whose data was replaced while they were read are read again by themselves. */
  async function findMany(tenantId: string, ids: readonly string[]): Promise<readonly StoredToken[]> {
    const items = await getAll(
      { client, name: tokensTable },
      [...new Set(ids)].filter(canBeInKey).map((id) => tokenKey(tenantId, id)),
    );
    const visible = items.filter((item) => !readTokenItem(item).pending);
    const tokens = await Promise.all(
      visible.map(async (item) => (await tokenOf(item)) ?? find(tenantId, readTokenItem(item).token.id)),
    );
    return tokens.filter((token) => token !== undefined);
  }

  return {
    findItem,
    tokenOf,
    find,
    findMany,

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

    async findByFingerprint(tenantId, fingerprint) {
      if (!canBeInKey(fingerprint)) return [];
      const query = {
        TableName: tokensTable,
        IndexName: INDEXES.fingerprint,
        KeyConditionExpression: 'fingerprint = :fingerprint',
        ExpressionAttributeValues: toItem({ ':fingerprint': fingerprint }),
        Limit: FINGERPRINT_MAX,
      };
      const { value: page } = await send(() => paginateQuery({ client }, query).next());
      const keys = (page?.Items ?? []).map((item) => keyItem.parse(fromItem(item)));
      const own = keys.map(({ pk }) => parseTokenPartition(pk)).filter((key) => key.tenantId === tenantId);
      return findMany(
        tenantId,
        own.map(({ id }) => id),
      );
    },
  };
}
