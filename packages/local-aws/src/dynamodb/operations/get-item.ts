import { actions, rules } from '../dynalite.ts';
import { consumedCapacity, readUnits } from '../consumed-capacity.ts';
import {
  capacityMode,
  itemAccess,
  withCapacity,
  type Operation,
  type OperationContext,
} from '../operation.ts';
import { createReadStore } from '../read-store.ts';
import { validated } from '../requests.ts';
import { runAction } from '../run-action.ts';

export function getItemOperation({ database, tables }: OperationContext): Operation {
  return (body) => {
    const request = validated(rules.getItem, body);
    const { TableName: tableName } = request;
    delete request.ReturnConsumedCapacity;
    return {
      accesses: [itemAccess(tables, 'GetItem', tableName, [request.Key])],
      perform: async () => {
        tables.get(tableName);
        const view = request.ConsistentRead === true ? database : database.lagging();
        const { store, bytesRead } = createReadStore(view, tables);
        const { Item } = await runAction(actions.getItem, store, request);
        const units = readUnits(bytesRead[0] ?? 0, request.ConsistentRead === true);
        const capacity = consumedCapacity(capacityMode(body), { tableName, table: units, indexes: {} });
        return { body: withCapacity(Item === undefined ? {} : { Item }, capacity), consumedCapacity: units };
      },
    };
  };
}
