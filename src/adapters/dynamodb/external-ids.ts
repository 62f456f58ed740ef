import * as z from 'zod/mini';
import type { ExternalIds, Named } from '../../core/shared/external-id.ts';
import { batchGet, getItem } from './batch-get.ts';
import { externalIdKey, type NamedKind } from './keys.ts';
import type { Item, Table, TransactWriteItem } from './table-client.ts';

/*
 * An external id is an item of its own beside the resource that has it, so that the same condition
 * writes both, and no two resources of a kind get the same one.
 */

/** The member by which the item names its resource, as other items of the resource do. */
const OWNER = { application: 'applicationId', proxy: 'proxyId', reactor: 'reactorId' } as const;

const nameItem = z.lazy(() =>
  z.object({
    externalId: z.string(),
    applicationId: z.exactOptional(z.string()),
    proxyId: z.exactOptional(z.string()),
    reactorId: z.exactOptional(z.string()),
  }),
);

/** Reads the external id in an item, and the id of the resource that has it. */
function readName(item: Item, kind: NamedKind): readonly [string, string] {
  const { externalId, ...owner } = nameItem.parse(item);
  return [externalId, owner[OWNER[kind]] ?? ''];
}

export const createExternalIds = (table: Table, kind: NamedKind): ExternalIds => ({
  async findNamed(tenantId, externalIds) {
    const keys = [...new Set(externalIds)].map((each) => externalIdKey(tenantId, kind, each));
    return new Map((await batchGet(table, keys)).map((item) => readName(item, kind)));
  },
});

/** The item of a new resource's external id, if another resource has it. */
export async function takenBy(
  table: Table,
  kind: NamedKind,
  { tenantId, id, externalId }: Pick<Named, 'tenantId' | 'id' | 'externalId'>,
): Promise<Item | undefined> {
  if (externalId === undefined) return undefined;
  const found = await getItem(table, externalIdKey(tenantId, kind, externalId));
  return found !== undefined && readName(found, kind)[1] !== id ? found : undefined;
}

/** The write that frees an external id, unless another resource has it, as after a restore. */
async function freeing(
  table: Table,
  kind: NamedKind,
  { tenantId, id, externalId }: Named,
): Promise<readonly TransactWriteItem[]> {
  if (externalId === undefined) return [];
  const key = externalIdKey(tenantId, kind, externalId);
  const found = await getItem(table, key);
  if (found === undefined || readName(found, kind)[1] !== id) return [];
  const condition = {
    ConditionExpression: '#owner = :id',
    ExpressionAttributeNames: { '#owner': OWNER[kind] },
    ExpressionAttributeValues: { ':id': id },
  };
  return [{ Delete: { TableName: table.name, Key: { ...key }, ...condition } }];
}

/** The write that takes an external id, which must be free. */
function taking(
  table: Table,
  kind: NamedKind,
  { tenantId, id, externalId }: Named,
  ttl: number | undefined,
): readonly TransactWriteItem[] {
  if (externalId === undefined) return [];
  const item = {
    ...externalIdKey(tenantId, kind, externalId),
    tenantId,
    externalId,
    [OWNER[kind]]: id,
    ttl,
  };
  return [{ Put: { TableName: table.name, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } }];
}

/**
 * The writes that bring the external id of a resource from one state to another; none if it stays.
 * `ttl` is that of the resource.
 */
export async function externalIdWrites(
  table: Table,
  kind: NamedKind,
  { previous, next }: { readonly previous?: Named; readonly next?: Named },
  ttl?: number,
): Promise<readonly TransactWriteItem[]> {
  if (previous?.externalId === next?.externalId) return [];
  const freed = previous === undefined ? [] : await freeing(table, kind, previous);
  return [...freed, ...(next === undefined ? [] : taking(table, kind, next, ttl))];
}
