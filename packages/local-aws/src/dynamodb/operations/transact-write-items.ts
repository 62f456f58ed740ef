import { z } from 'zod';
import { actions, dynaliteDb, rules } from '../dynalite.ts';
import { accessedAttributes } from '../accessed-attributes.ts';
import { AwsError, type AwsAccess } from '../../aws-service.ts';
import {
  consumedCapacity,
  sumByTable,
  totalUnits,
  transactionReadUnits,
  transactionWriteUnits,
  type Images,
  type Units,
} from '../consumed-capacity.ts';
import type { Action, Rules, DynaliteStore, ValidRequest } from '../dynalite-types.ts';
import { CostlyFailure, toFailure, validationFailure } from '../failures.ts';
import type { Item } from '../item.ts';
import { itemBytes } from '../item-size.ts';
import {
  capacityMode,
  itemAccess,
  withCapacity,
  type ItemAction,
  type Operation,
  type OperationContext,
  type Outcome,
} from '../operation.ts';
import { parseWith, returnsOldItem, validated, type Body } from '../requests.ts';
import { runAction } from '../run-action.ts';
import type { WriteUnit } from '../write-unit.ts';
import { MAX_TRANSACTION_BYTES, MAX_TRANSACTION_ITEMS, requireDistinct } from './transaction-limits.ts';
import { requestHash, type FinishedTransaction, type TransactionTokens } from './transaction-tokens.ts';

/** A ConditionCheck is a write that leaves the item unchanged. */
const checkCondition: Action<unknown> = (store: DynaliteStore, data, callback) => {
  const { TableName, Key = {} } = data as ValidRequest;
  store.getTable(TableName, (_error, table) => {
    if (table === undefined) throw new Error(`table ${TableName} vanished`);
    store.getItemDb(TableName).get(dynaliteDb.createKey(Key, table), (_missing, item) => {
      callback(dynaliteDb.checkConditional(data, item));
    });
  });
};

interface Kind {
  /** The IAM action: each part of a transaction needs the permission of the corresponding call. */
  readonly permission: ItemAction;
  readonly action: Action<unknown>;
  readonly validation: Rules<ValidRequest>;
  /** A member that is required in the part and optional in the single call. */
  readonly required?: 'ConditionExpression' | 'UpdateExpression';
}

const kinds = {
  Put: { permission: 'PutItem', action: actions.putItem, validation: rules.putItem },
  Update: {
    permission: 'UpdateItem',
    action: actions.updateItem,
    validation: rules.updateItem,
    required: 'UpdateExpression',
  },
  Delete: { permission: 'DeleteItem', action: actions.deleteItem, validation: rules.deleteItem },
  ConditionCheck: {
    permission: 'ConditionCheckItem',
    action: checkCondition,
    validation: rules.deleteItem,
    required: 'ConditionExpression',
  },
} as const satisfies Readonly<Record<string, Kind>>;

const members = z.record(z.string(), z.unknown());
const envelope = z.object({
  TransactItems: z
    .array(
      z.strictObject({
        Put: members.optional(),
        Update: members.optional(),
        Delete: members.optional(),
        ConditionCheck: members.optional(),
      }),
    )
    .min(1)
    .max(MAX_TRANSACTION_ITEMS, 'Member must have length less than or equal to 100'),
  ClientRequestToken: z.string().min(1).max(36).optional(),
});

interface Part {
  readonly kind: Kind;
  readonly request: ValidRequest;
  readonly returnOld: boolean;
}

function parsePart(kind: Kind, body: Body): Part {
  if (kind.required !== undefined && body[kind.required] === undefined) {
    throw validationFailure(
      `1 validation error detected: Value null at 'transactItems.${kind.required}' failed to satisfy constraint: ` +
        'Member must not be null',
    );
  }
  return { kind, request: validated(kind.validation, body), returnOld: returnsOldItem(body) };
}

function parseParts(body: Body): readonly Part[] {
  return parseWith(envelope, body).TransactItems.map((item) => {
    const input = (['Put', 'Update', 'Delete', 'ConditionCheck'] as const).flatMap((name) => {
      const member = item[name];
      return member === undefined ? [] : [{ kind: kinds[name], member }];
    });
    const [only, ...others] = input;
    if (only === undefined || others.length > 0) {
      throw validationFailure('TransactItems can only contain one of Check, Put, Update or Delete');
    }
    return parsePart(only.kind, only.member);
  });
}

/**
 * One reason for each part, in the order of the parts; `None` for a part that would have succeeded.
 */
interface Reason {
  readonly Code: 'None' | 'ConditionalCheckFailed' | 'ValidationError';
  readonly Message?: string;
  readonly Item?: Item;
}

const noReason: Reason = { Code: 'None' };

function cancelled(reasons: readonly Reason[]): AwsError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  // This exception spells its message with a capital letter on the wire.
  return new AwsError('TransactionCanceledException', 400, message, {
    Message: message,
    CancellationReasons: reasons,
  });
}

function reasonOf(error: unknown, before: Item | undefined, returnOld: boolean): Reason {
  if (!(error instanceof AwsError)) throw error;
  if (error.code === 'ValidationException') return { Code: 'ValidationError', Message: error.message };
  if (error.code !== 'ConditionalCheckFailedException') throw error;
  return {
    Code: 'ConditionalCheckFailed',
    Message: error.message,
    ...(returnOld && before !== undefined && { Item: before }),
  };
}

function requireSmall(touched: readonly Images[]): void {
  const bytes = touched.map(({ before, after }) => itemBytes(after ?? before ?? {}));
  if (bytes.reduce((total, size) => total + size, 0) <= MAX_TRANSACTION_BYTES) return;
  throw validationFailure('Transaction request size cannot exceed 4 MB');
}

interface Done {
  readonly units: readonly Units[];
  /** A repetition under the same token reads what the first call wrote. */
  readonly repeated: boolean;
  readonly items: FinishedTransaction['items'];
}

function repetition({ items }: FinishedTransaction): Done {
  const units = items.map(({ tableName, bytes }) => ({
    tableName,
    table: transactionReadUnits(bytes),
    indexes: {},
  }));
  return { units: sumByTable(units), repeated: true, items };
}

function done(touched: readonly Images[]): Done {
  return {
    units: sumByTable(touched.map(transactionWriteUnits)),
    repeated: false,
    items: touched.map(({ table, before, after }) => ({
      tableName: table.TableName,
      bytes: Math.max(itemBytes(before ?? {}), itemBytes(after ?? {})),
    })),
  };
}

/**
 * Every key is checked before any condition; the first that does not fit its table cancels alone.
 */
function itemKeys({ tables }: OperationContext, parts: readonly Part[]): readonly string[] {
  return parts.map(({ request: { TableName, Item, Key } }, index) => {
    const { description } = tables.get(TableName);
    const invalid =
      Item === undefined
        ? dynaliteDb.validateKey(Key ?? {}, description)
        : dynaliteDb.validateItem(Item, description);
    if (!invalid) return dynaliteDb.createKey(Item ?? Key ?? {}, description);
    if (invalid.message.includes('empty')) throw toFailure(invalid);
    const reason: Reason = { Code: 'ValidationError', Message: invalid.message };
    throw cancelled(parts.map((_, other) => (other === index ? reason : noReason)));
  });
}

async function attempt(unit: WriteUnit, part: Part, itemKey: string): Promise<Reason> {
  const { kind, request, returnOld } = part;
  const before = unit.read(request.TableName, itemKey);
  try {
    await runAction(kind.action, unit.store, request);
    return noReason;
  } catch (error) {
    return reasonOf(error, before, returnOld);
  }
}

async function write(context: OperationContext, unit: WriteUnit, parts: readonly Part[]): Promise<Done> {
  const keys = itemKeys(context, parts);
  requireDistinct(parts.map(({ request }, index) => `${request.TableName} ${keys[index] ?? ''}`));
  const reasons: Reason[] = [];
  for (const [index, part] of parts.entries()) reasons.push(await attempt(unit, part, keys[index] ?? ''));
  const touched = unit.touched();
  if (reasons.some(({ Code }) => Code !== 'None')) {
    const units = touched.map((images) => transactionWriteUnits({ ...images, after: images.before }));
    throw new CostlyFailure(cancelled(reasons), cancelled(reasons).fields, totalUnits(units));
  }
  requireSmall(touched);
  return done(touched);
}

function accesses({ tables }: OperationContext, parts: readonly Part[]): readonly AwsAccess[] {
  const groups = Map.groupBy(parts, ({ kind, request }) => `${kind.permission} ${request.TableName}`);
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ kind, request }) =>
      itemAccess(
        tables,
        kind.permission,
        request.TableName,
        group.map((part) => part.request.Item ?? part.request.Key),
        { attributes: [...new Set(group.flatMap((part) => accessedAttributes(part.request)))] },
      ),
    ),
  );
}

export function transactWriteItemsOperation(context: OperationContext, tokens: TransactionTokens): Operation {
  const { writer, now } = context;

  return (body) => {
    const parts = parseParts(body);
    const { ClientRequestToken: token } = parseWith(envelope, body);
    const hash = requestHash(body);
    const mode = capacityMode(body);

    async function perform(): Promise<Outcome> {
      const { units, repeated } = await writer.write(
        (unit) => {
          const before = token === undefined ? undefined : tokens.find(token, hash, now());
          return before === undefined ? write(context, unit, parts) : Promise.resolve(repetition(before));
        },
        ({ repeated: again, items }) => {
          if (token === undefined || again) return [];
          return tokens.operations(token, { requestHash: hash, finishedAtMs: now(), items });
        },
      );
      const kind = repeated ? 'ReadCapacityUnits' : 'WriteCapacityUnits';
      const capacity = mode && units.map((each) => consumedCapacity(mode, each, kind));
      return { body: withCapacity({}, capacity), consumedCapacity: totalUnits(units) };
    }

    return { accesses: accesses(context, parts), perform };
  };
}
