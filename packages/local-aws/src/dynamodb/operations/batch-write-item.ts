import { actions, rules } from '../dynalite.ts';
import type { BatchWrite } from '../dynalite-types.ts';
import { consumedCapacity, sumByTable, totalUnits, writeUnits } from '../consumed-capacity.ts';
import { validationFailure } from '../failures.ts';
import {
  capacityMode,
  itemAccess,
  withCapacity,
  type Operation,
  type OperationContext,
} from '../operation.ts';
import { validated } from '../requests.ts';
import { runAction } from '../run-action.ts';
import { namedTables } from './named-tables.ts';

const MAX_REQUESTS = 25;

function requireWriteRequests({ RequestItems }: BatchWrite): void {
  const requests = Object.values(RequestItems).flat();
  if (requests.length > MAX_REQUESTS)
    throw validationFailure('Too many items requested for the BatchWriteItem call');
  if (
    requests.some(({ PutRequest, DeleteRequest }) => PutRequest !== undefined && DeleteRequest !== undefined)
  )
    throw validationFailure(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
}

/** One batch on disk, although DynamoDB promises less: it may store only some of the items. */
export function batchWriteItemOperation({ tables, writer }: OperationContext): Operation {
  return (body) => {
    const request = validated(rules.batchWriteItem, namedTables(body));
    requireWriteRequests(request);
    const mode = capacityMode(body);
    return {
      accesses: Object.entries(request.RequestItems).map(([name, writes]) =>
        itemAccess(
          tables,
          'BatchWriteItem',
          name,
          writes.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key),
        ),
      ),
      perform: async () => {
        for (const name of Object.keys(request.RequestItems)) tables.get(name);
        const units = await writer.write(async (unit) => {
          await runAction(actions.batchWriteItem, unit.store, { RequestItems: request.RequestItems });
          return sumByTable(unit.touched().map(writeUnits));
        });
        const capacity = mode && units.map((each) => consumedCapacity(mode, each));
        return {
          body: withCapacity({ UnprocessedItems: {} }, capacity),
          consumedCapacity: totalUnits(units),
        };
      },
    };
  };
}
