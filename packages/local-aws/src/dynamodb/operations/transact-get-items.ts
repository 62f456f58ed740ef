import { z } from 'zod';
import { actions, dynaliteDb, rules } from '../dynalite.ts';
import { consumedCapacity, sumByTable, totalUnits, transactionReadUnits } from '../consumed-capacity.ts';
import type { Units } from '../consumed-capacity.ts';
import type { ReadItem } from '../database.ts';
import type { ValidRequest } from '../dynalite-types.ts';
import { toFailure, validationFailure } from '../failures.ts';
import type { Item } from '../item.ts';
import { capacityMode, itemAccess, withCapacity } from '../operation.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { createReadStore } from '../read-store.ts';
import { parseWith, validated } from '../requests.ts';
import { runAction } from '../run-action.ts';
import { MAX_TRANSACTION_BYTES, MAX_TRANSACTION_ITEMS, requireDistinct } from './transaction-limits.ts';

const envelope = z.object({
  TransactItems: z
    .array(z.strictObject({ Get: z.record(z.string(), z.unknown()) }))
    .min(1)
    .max(MAX_TRANSACTION_ITEMS),
});

interface Read {
  readonly response: { readonly Item?: Item };
  readonly bytes: number;
  readonly units: Units;
}

export function transactGetItemsOperation({ database, tables }: OperationContext): Operation {
  function requireKeys(requests: readonly ValidRequest[]): void {
    const keys = requests.map(({ TableName, Key = {} }) => {
      const { description } = tables.get(TableName);
      const invalid = dynaliteDb.validateKey(Key, description);
      if (invalid) throw toFailure(invalid);
      return `${TableName} ${dynaliteDb.createKey(Key, description)}`;
    });
    requireDistinct(keys);
  }

  async function read(request: ValidRequest, readItem: ReadItem): Promise<Read> {
    const { store, bytesRead } = createReadStore(database, readItem, tables);
    const { Item } = await runAction(actions.getItem, store, request);
    const bytes = bytesRead[0] ?? 0;
    return {
      response: Item === undefined ? {} : { Item },
      bytes,
      units: { tableName: request.TableName, table: transactionReadUnits(bytes), indexes: {} },
    };
  }

  return (body) => {
    const { TransactItems } = parseWith(envelope, body);
    const requests = TransactItems.map(({ Get }) => validated(rules.getItem, Get));
    const mode = capacityMode(body);
    return {
      accesses: requests.map(({ TableName, Key }) => itemAccess(tables, 'GetItem', TableName, [Key])),
      perform: async () => {
        requireKeys(requests);
        const reads = await database.withSnapshot((readItem) =>
          Promise.all(requests.map((request) => read(request, readItem))),
        );
        if (reads.reduce((total, { bytes }) => total + bytes, 0) > MAX_TRANSACTION_BYTES) {
          throw validationFailure('Transaction request size cannot exceed 4 MB');
        }
        const units = sumByTable(reads.map((each) => each.units));
        const capacity = mode && units.map((each) => consumedCapacity(mode, each, 'ReadCapacityUnits'));
        return {
          body: withCapacity({ Responses: reads.map(({ response }) => response) }, capacity),
          consumedCapacity: totalUnits(units),
        };
      },
    };
  };
}
