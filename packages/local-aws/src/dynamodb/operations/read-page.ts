import { actions, rules } from '../dynalite.ts';
import { consumedCapacity, readUnits, totalUnits, type Units } from '../consumed-capacity.ts';
import type { Action, Rules, PageResult, ValidRequest } from '../dynalite-types.ts';
import { emptyKeyMessage, validationFailure } from '../failures.ts';
import { emptyType, type Item } from '../item.ts';
import {
  capacityMode,
  itemAccess,
  withCapacity,
  type ItemAction,
  type Operation,
  type OperationContext,
  type Outcome,
} from '../operation.ts';
import { createReadStore } from '../read-store.ts';
import { validated, type Body } from '../requests.ts';
import type { TableDescription } from '../table.ts';
import { runAction } from '../run-action.ts';
import { requireProjected, requireSelect } from './select.ts';

/** All values of attributes in the key conditions, including the hash key's. */
function conditionItem({ KeyConditions = {} }: ValidRequest): Item {
  return Object.fromEntries(
    Object.entries(KeyConditions).flatMap(([name, { AttributeValueList = [] }]) =>
      AttributeValueList.slice(0, 1).map((value) => [name, value]),
    ),
  );
}

/** Read units of all items of a page together; a page of an index costs units of the index only. */
function pageUnits(request: ValidRequest, bytes: number, consistent: boolean): Units {
  const units = readUnits(bytes, consistent);
  const { TableName: tableName, IndexName } = request;
  return IndexName === undefined
    ? { tableName, table: units, indexes: {} }
    : { tableName, table: 0, indexes: { [IndexName]: units } };
}

function requireReadable(request: ValidRequest, body: Body): void {
  if (request.IndexName === undefined || body['ConsistentRead'] !== true) return;
  throw validationFailure('Consistent reads are not supported on global secondary indexes');
}

function refuseEmptyKeys({ KeyConditions = {}, IndexName }: ValidRequest, table: TableDescription): void {
  const index = table.GlobalSecondaryIndexes?.find((each) => each.IndexName === IndexName);
  for (const { AttributeName } of (index ?? table).KeySchema) {
    const { AttributeValueList = [] } = KeyConditions[AttributeName] ?? {};
    const defined = table.AttributeDefinitions.find((each) => each.AttributeName === AttributeName);
    // A value of another type is refused for its type.
    const type = AttributeValueList.map(emptyType).find((each) => each === defined?.AttributeType);
    if (type !== undefined) throw validationFailure(emptyKeyMessage(AttributeName, type, IndexName));
  }
}

function pageOperation(
  { database, tables }: OperationContext,
  name: ItemAction,
  action: Action<PageResult>,
  validation: Rules<ValidRequest>,
): Operation {
  return (body) => {
    const request = validated(validation, body);
    requireReadable(request, body);
    requireSelect(request, body);
    const { TableName: tableName, IndexName, ExclusiveStartKey: key } = request;
    delete request.ReturnConsumedCapacity;

    async function perform(): Promise<Outcome> {
      const { description } = tables.get(tableName);
      refuseEmptyKeys(request, description);
      requireProjected(request, description);
      const view = body['ConsistentRead'] === true ? database : database.lagging();
      const startKey = key === undefined || IndexName === undefined ? undefined : { tableName, key };
      const { store, bytesRead } = createReadStore(view, tables, startKey);
      const page = await runAction(action, store, request);
      const bytes = bytesRead.slice(0, page.ScannedCount).reduce((total, size) => total + size, 0);
      // dynalite does not know the ConsistentRead of a Scan.
      const units = pageUnits(request, bytes, body['ConsistentRead'] === true);
      const capacity = consumedCapacity(capacityMode(body), units);
      return { body: withCapacity(page, capacity), consumedCapacity: totalUnits([units]) };
    }

    return {
      accesses: [itemAccess(tables, name, tableName, [conditionItem(request)], { indexName: IndexName })],
      perform,
    };
  };
}

/** Implements Query and Scan. */
export function readPageOperations(context: OperationContext): Readonly<Record<string, Operation>> {
  return {
    Query: pageOperation(context, 'Query', actions.query, rules.query),
    Scan: pageOperation(context, 'Scan', actions.scan, rules.scan),
  };
}
