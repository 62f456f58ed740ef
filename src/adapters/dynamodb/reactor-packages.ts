import * as z from 'zod/mini';
import type { ReactorId } from '../../core/reactors/reactor-functions.ts';
import type { PackagesReplacement, ReactorStore, StoredPackages } from '../../core/reactors/reactor-store.ts';
import type { StoredReactor } from '../../core/reactors/reactor.ts';
import { batchGet } from './batch-get.ts';
import { packagePartsKey, reactorPackagesKey } from './keys.ts';
import type { Table, TransactWriteItem } from './table-client.ts';
import { timeToLive } from './token-item.ts';
import { cutIntoParts, partCountOf, partKeys, readParts } from './value-parts.ts';

const lockedItem = z.lazy(() => z.object({ pk: z.string(), locked: z.array(z.string()) }));

/** The writes that store the packages of a reactor beside it. */
export function packageWrites(
  { name: TableName }: Table,
  { tenantId, id, packages }: StoredReactor,
  { encrypted, locked }: StoredPackages,
): readonly TransactWriteItem[] {
  if (packages === undefined) throw new Error('reactor packages: the record names none');
  const parts = cutIntoParts(packagePartsKey(tenantId, id, packages.id), encrypted);
  return [
    ...parts.map((Item) => ({ Put: { TableName, Item } })),
    ...(locked === undefined
      ? []
      : [{ Put: { TableName, Item: { ...reactorPackagesKey(tenantId, id), locked } } }]),
  ];
}

/** The writes that replace the packages of a reactor, or take them away. */
export function packageReplacement(
  table: Table,
  next: StoredReactor,
  { before, now, isWithoutDeletion }: PackagesReplacement,
): readonly TransactWriteItem[] {
  const { tenantId, id } = next;
  const { name: TableName, platform } = table;
  const old =
    before === undefined ? [] : partKeys(packagePartsKey(tenantId, id, before.id), partCountOf(before.bytes));
  const gone = now === undefined ? [...old, reactorPackagesKey(tenantId, id)] : old;
  const ttl = timeToLive(platform.clock());
  return [
    ...gone.map((key) =>
      isWithoutDeletion === true
        ? { Put: { TableName, Item: { ...key, ttl } } }
        : { Delete: { TableName, Key: { ...key } } },
    ),
    ...(now === undefined ? [] : packageWrites(table, next, now)),
  ];
}

/** Reads the packages that are stored beside reactors. */
export const createReactorPackages = (table: Table): Pick<ReactorStore, 'findPackages' | 'findLocked'> => ({
  findPackages: ({ tenantId, id, packages }) =>
    packages === undefined
      ? Promise.resolve(undefined)
      : readParts(table, packagePartsKey(tenantId, id, packages.id), partCountOf(packages.bytes)),

  async findLocked(reactors: readonly ReactorId[]) {
    const keys = reactors.map(({ tenantId, id }) => reactorPackagesKey(tenantId, id));
    const items = (await batchGet(table, keys)).map((item) => lockedItem.parse(item));
    const found = new Map(items.map(({ pk, locked }) => [pk, locked]));
    return keys.map(({ pk }) => found.get(pk) ?? []);
  },
});
