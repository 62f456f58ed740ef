import { actions, rules } from '../dynalite.ts';
import { AwsError } from '../../aws-service.ts';
import { accessedAttributes } from '../accessed-attributes.ts';
import { consumedCapacity, totalUnits, writeUnits, type Images, type Units } from '../consumed-capacity.ts';
import type { Action, Rules, ItemResult, ValidRequest } from '../dynalite-types.ts';
import { CostlyFailure, validationFailure } from '../failures.ts';
import {
  capacityMode,
  itemAccess,
  withCapacity,
  type ItemAction,
  type Operation,
  type OperationContext,
  type Outcome,
} from '../operation.ts';
import { returnsOldItem, validated, type Body } from '../requests.ts';
import { runAction } from '../run-action.ts';
import type { WriteUnit } from '../write-unit.ts';

/** A failed condition costs as much as writing the unchanged item to the table. */
function conditionFailure(error: unknown, touched: Images | undefined, returnOld: boolean): unknown {
  if (!(error instanceof AwsError) || error.code !== 'ConditionalCheckFailedException') return error;
  if (touched === undefined) return error;
  const units = writeUnits({ ...touched, after: touched.before });
  const fields = returnOld && touched.before !== undefined ? { Item: touched.before } : {};
  return new CostlyFailure(error, fields, totalUnits([units]));
}

/** dynalite checks this rule for PutItem, but not for DeleteItem. */
function requireReturnValues(name: ItemAction, { ReturnValues = 'NONE' }: Body): void {
  if (name !== 'DeleteItem' || ReturnValues === 'NONE' || ReturnValues === 'ALL_OLD') return;
  throw validationFailure('ReturnValues can only be ALL_OLD or NONE');
}

function writeOperation(
  { tables, writer }: OperationContext,
  name: ItemAction,
  action: Action<ItemResult>,
  validation: Rules<ValidRequest>,
): Operation {
  return (body) => {
    const request = validated(validation, body);
    requireReturnValues(name, body);
    const returnOld = returnsOldItem(body);
    const mode = capacityMode(body);

    async function write(unit: WriteUnit): Promise<{ result: ItemResult; units: Units }> {
      const result = await runAction(action, unit.store, request).catch((error: unknown) => {
        throw conditionFailure(error, unit.touched()[0], returnOld);
      });
      const [touched] = unit.touched();
      if (touched === undefined) throw new Error(`${name} touched no item`);
      return { result, units: writeUnits(touched) };
    }

    async function perform(): Promise<Outcome> {
      tables.get(request.TableName);
      const { result, units } = await writer.write(write);
      const { Attributes = {} } = result;
      // An update without changed attributes returns no Attributes.
      const body = Object.keys(Attributes).length === 0 ? {} : { Attributes };
      return {
        body: withCapacity(body, consumedCapacity(mode, units)),
        consumedCapacity: totalUnits([units]),
      };
    }

    return {
      accesses: [
        itemAccess(tables, name, request.TableName, [request.Item ?? request.Key], {
          attributes: accessedAttributes(request),
        }),
      ],
      perform,
    };
  };
}

/** PutItem, UpdateItem and DeleteItem. */
export function writeItemOperations(context: OperationContext): Readonly<Record<string, Operation>> {
  return {
    PutItem: writeOperation(context, 'PutItem', actions.putItem, rules.putItem),
    UpdateItem: writeOperation(context, 'UpdateItem', actions.updateItem, rules.updateItem),
    DeleteItem: writeOperation(context, 'DeleteItem', actions.deleteItem, rules.deleteItem),
  };
}
