import { actions, rules } from '../dynalite.ts';
import { consumedCapacity, readUnits, sumByTable, totalUnits, type Units } from '../consumed-capacity.ts';
import type { BatchGetTable } from '../dynalite-types.ts';
import type { Item } from '../item.ts';
import {
  capacityMode,
  itemAccess,
  withCapacity,
  type Operation,
  type OperationContext,
  type Outcome,
} from '../operation.ts';
import { createReadStore } from '../read-store.ts';
import { tableNameOf, validated } from '../requests.ts';
import { runAction } from '../run-action.ts';
import { requestedNames, namedTables } from './named-tables.ts';

/** Most bytes of one BatchGetItem response; further keys are returned unprocessed. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** The members of a table's request that its unprocessed keys need in the next request. */
function again({ _projection, Keys: _keys, ...settings }: BatchGetTable, keys: readonly Item[]): object {
  return { ...settings, Keys: keys };
}

interface Progress {
  bytes: number;
  readonly units: Units[];
  readonly responses: Record<string, Item[]>;
  readonly unprocessed: Record<string, object>;
}

export function batchGetItemOperation({ database, tables }: OperationContext): Operation {
  async function readTable(progress: Progress, input: string, request: BatchGetTable): Promise<void> {
    const tableName = tableNameOf(input);
    const found: Item[] = [];
    const unprocessed: Item[] = [];
    const view = request.ConsistentRead === true ? database : database.lagging();
    for (const Key of request.Keys) {
      const { store, bytesRead } = createReadStore(view, tables);
      const { Item } = await runAction(actions.getItem, store, { ...request, TableName: tableName, Key });
      const size = bytesRead[0] ?? 0;
      if (progress.bytes + size > MAX_RESPONSE_BYTES) {
        unprocessed.push(Key);
        continue;
      }
      progress.bytes += size;
      progress.units.push({
        tableName,
        table: readUnits(size, request.ConsistentRead === true),
        indexes: {},
      });
      if (Item !== undefined) found.push(Item);
    }
    // DynamoDB promises no order. The reverse order exposes a caller that relies on one.
    progress.responses[input] = found.toReversed();
    if (unprocessed.length > 0) progress.unprocessed[input] = again(request, unprocessed);
  }

  return (body) => {
    const { RequestItems } = validated(rules.batchGetItem, namedTables(body));
    const input = requestedNames(body);

    async function perform(): Promise<Outcome> {
      const progress: Progress = { bytes: 0, units: [], responses: {}, unprocessed: {} };
      for (const name of Object.keys(RequestItems)) tables.get(name);
      for (const [name, request] of Object.entries(RequestItems)) {
        await readTable(progress, input.get(name) ?? name, request);
      }
      const units = sumByTable(progress.units);
      const mode = capacityMode(body);
      const capacity = mode && units.map((each) => consumedCapacity(mode, each));
      const response = { Responses: progress.responses, UnprocessedKeys: progress.unprocessed };
      return { body: withCapacity(response, capacity), consumedCapacity: totalUnits(units) };
    }

    const accesses = Object.entries(RequestItems).map(([name, { Keys }]) =>
      itemAccess(tables, 'BatchGetItem', name, Keys),
    );
    return { accesses, perform };
  };
}
