import {
  BatchExecuteStatementCommand,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  type AttributeValue,
  type BatchExecuteStatementCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
  type BatchGetCommandInput,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { validationError } from './dynamodb-error.ts';
import { checkUses, meets, updateOf, valueOf, type Placeholders } from './expression.ts';
import { copyOfItem, itemBytes, type Item, type Value } from './item.ts';
import { keyOf, MemoryTable, type Key, type TableContents } from './memory-table.ts';
import { query } from './query.ts';
import { TABLES } from './table-definitions.ts';

const GET_KEYS_MAX = 100;
const GET_BYTES_MAX = 16 * 1024 * 1024;
const TRANSACTION_ITEMS_MAX = 100;
const TRANSACTION_BYTES_MAX = 4 * 1024 * 1024;
const STATEMENTS_MAX = 25;

/** Part of a write that says where and under which condition. */
interface Conditional extends Placeholders {
  readonly TableName?: string | undefined;
  readonly ConditionExpression?: string | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
}

/** A write that is ready to happen. */
interface Write {
  readonly table: MemoryTable;
  readonly key: Key;
  readonly request: Conditional;
  /** The item that it stores; `undefined` for a deletion, `'kept'` for a check alone. */
  readonly next: (found: Item | undefined) => Item | undefined | 'kept';
  readonly update?: string | undefined;
}

/** The stored tables at one moment. */
export type Contents = ReadonlyMap<string, TableContents>;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const isMet = ({ ConditionExpression: condition, ...placeholders }: Conditional, found: Item | undefined) =>
  condition === undefined || meets(condition, found, placeholders);

function updated(table: MemoryTable, key: Key, text: string, placeholders: Placeholders) {
  const { set, removed } = updateOf(text, placeholders);
  for (const name of [...set.map((change) => change.name), ...removed])
    if (name === 'pk' || name === 'sk') throw validationError('an update cannot change the key');
  return (found: Item | undefined): Item => {
    const next: Record<string, Value> = { ...(found ?? key) };
    for (const { name, value } of set) {
      const assigned = valueOf(value, found ?? { ...key }, placeholders);
      if (assigned === undefined) throw validationError('an update reads an attribute that is missing');
      next[name] = assigned;
    }
    for (const name of removed) Reflect.deleteProperty(next, name);
    return table.accept(next);
  };
}

/** What a refused write shows of the item that is there, as DynamoDB sends it. */
function shownItem(request: Conditional, found: Item | undefined): { Item?: Record<string, AttributeValue> } {
  if (request.ReturnValuesOnConditionCheckFailure !== 'ALL_OLD' || found === undefined) return {};
  return { Item: marshall(copyOfItem(found)) };
}

const REFUSED = 'The conditional request failed';
const STATEMENT = /^INSERT INTO "([^"]+)" VALUE \{('[^']+': \?(?:, '[^']+': \?)*)\}$/;

/**
 * DynamoDB in memory, as far as the adapters of the service call it, below their document client.
 * Each call happens at once, so calls never conflict, and every read is consistent. It throws for
 * requests that DynamoDB refuses, and for those that the adapters never make.
 */
export class MemoryDynamoDb {
  readonly #tables = new Map(TABLES.map((definition) => [definition.name, new MemoryTable(definition)]));

  /** Sends a command of the document client, or a BatchExecuteStatement of the client. */
  // oxlint-disable-next-line require-await -- a failure is a rejection, as that of the client
  async send(command: { readonly input: unknown }): Promise<unknown> {
    if (command instanceof BatchGetCommand) return this.#batchGet(command.input);
    if (command instanceof QueryCommand) return query(this.#table(command.input.TableName), command.input);
    if (command instanceof PutCommand) return this.#writeOne({ Put: command.input as never });
    if (command instanceof DeleteCommand) return this.#writeOne({ Delete: command.input as never });
    if (command instanceof UpdateCommand) return this.#writeOne({ Update: command.input as never });
    if (command instanceof TransactWriteCommand) return this.#transact(command.input);
    if (command instanceof BatchExecuteStatementCommand) return this.#insert(command.input);
    throw validationError(`the stores in memory do not know ${command.constructor.name}`);
  }

  /** An item as it is stored; `undefined` if there is none. */
  item(table: string, key: Key): Item | undefined {
    return this.#table(table).get(key);
  }

  contents(): Contents {
    return new Map([...this.#tables].map(([name, table]) => [name, table.contents()]));
  }

  replaceContents(contents: Contents): void {
    for (const [name, table] of contents) this.#table(name).replaceContents(table);
  }

  /** Deletes the items whose time to live is over by `now`, in ms since the epoch. */
  expire(now: number): void {
    for (const table of this.#tables.values()) table.expire(Math.floor(now / 1_000));
  }

  #table(name: string | undefined): MemoryTable {
    const table = this.#tables.get(name ?? '');
    if (table === undefined) throw validationError(`there is no table ${String(name)}`);
    return table;
  }

  #batchGet({ RequestItems: requests = {} }: BatchGetCommandInput) {
    const wanted = Object.entries(requests).flatMap(([name, { Keys = [], ...how }]) =>
      Keys.map((key) => ({ name, key: keyOf(key), how })),
    );
    if (wanted.length === 0 || wanted.length > GET_KEYS_MAX)
      throw validationError(`a batch has 1 to ${String(GET_KEYS_MAX)} keys`);
    if (new Set(wanted.map(({ name, key }) => JSON.stringify([name, key]))).size < wanted.length)
      throw validationError('a batch must not contain a key twice');
    const responses: Record<string, Item[]> = {};
    const unprocessed: Record<string, { Keys: Key[] }> = {};
    let bytes = 0;
    for (const { name, key, how } of wanted) {
      const item = this.#table(name).get(key);
      bytes += item === undefined ? 0 : itemBytes(item);
      if (bytes > GET_BYTES_MAX) (unprocessed[name] ??= { Keys: [], ...how }).Keys.push(key);
      else if (item !== undefined) (responses[name] ??= []).push(copyOfItem(item));
    }
    return { Responses: responses, UnprocessedKeys: unprocessed };
  }

  #writeOf({ Put, Delete, Update, ConditionCheck }: TransactItem): Write {
    const request: Conditional = Put ?? Delete ?? Update ?? ConditionCheck ?? {};
    const table = this.#table(request.TableName);
    if (Put?.Item !== undefined) {
      const item = table.accept(Put.Item);
      return { table, key: keyOf(item), request, next: () => item };
    }
    const key = keyOf(Delete?.Key ?? Update?.Key ?? ConditionCheck?.Key ?? {});
    if (Delete !== undefined) return { table, key, request, next: () => undefined };
    const text = Update?.UpdateExpression;
    if (text === undefined) return { table, key, request, next: () => 'kept' };
    return { table, key, request, next: updated(table, key, text, request), update: text };
  }

  #check({ request, update }: Write): void {
    checkUses(request, [request.ConditionExpression], update);
  }

  #apply({ table, key, next }: Write, found: Item | undefined): void {
    const item = next(found);
    if (item === undefined) table.delete(key);
    else if (item !== 'kept') table.put(item);
  }

  #writeOne(item: TransactItem) {
    const write = this.#writeOf(item);
    this.#check(write);
    const found = write.table.get(write.key);
    if (!isMet(write.request, found))
      throw new ConditionalCheckFailedException({
        message: REFUSED,
        $metadata: { httpStatusCode: 400 },
        ...shownItem(write.request, found),
      });
    this.#apply(write, found);
    return {};
  }

  #transact({ TransactItems: items = [] }: TransactWriteCommandInput) {
    if (items.length === 0 || items.length > TRANSACTION_ITEMS_MAX)
      throw validationError(`a transaction has 1 to ${String(TRANSACTION_ITEMS_MAX)} items`);
    const writes = items.map((item) => this.#writeOf(item));
    for (const write of writes) this.#check(write);
    const places = writes.map(({ table, key }) => JSON.stringify([table.definition.name, key]));
    if (new Set(places).size < places.length)
      throw validationError('a transaction must not contain an item twice');
    const found = writes.map(({ table, key }) => table.get(key));
    const reasons = writes.map(({ request }, at) =>
      isMet(request, found[at])
        ? { Code: 'None' }
        : { Code: 'ConditionalCheckFailed', Message: REFUSED, ...shownItem(request, found[at]) },
    );
    if (reasons.some(({ Code }) => Code !== 'None'))
      throw new TransactionCanceledException({
        message: 'Transaction cancelled',
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: reasons,
      });
    this.#checkSize(writes, found);
    writes.forEach((write, at) => this.#apply(write, found[at]));
    return {};
  }

  #checkSize(writes: readonly Write[], found: readonly (Item | undefined)[]): void {
    const bytes = writes.reduce((sum, { next }, at) => {
      const item = next(found[at]);
      const [before, after] = [found[at], item === 'kept' ? undefined : item];
      return (
        sum +
        Math.max(before === undefined ? 0 : itemBytes(before), after === undefined ? 0 : itemBytes(after))
      );
    }, 0);
    if (bytes > TRANSACTION_BYTES_MAX) throw validationError('the transaction is larger than 4 MB');
  }

  #insert({ Statements: statements = [] }: BatchExecuteStatementCommandInput) {
    if (statements.length === 0 || statements.length > STATEMENTS_MAX)
      throw validationError(`a batch has 1 to ${String(STATEMENTS_MAX)} statements`);
    return {
      Responses: statements.map(({ Statement: text = '', Parameters: parameters = [] }) => {
        const [, name, members = ''] = STATEMENT.exec(text) ?? [];
        const names = [...members.matchAll(/'([^']+)'/g)].map(([, member = '']) => member);
        if (names.length !== parameters.length) throw validationError(`cannot read the statement: ${text}`);
        const table = this.#table(name);
        const item = table.accept(
          unmarshall(Object.fromEntries(names.map((member, at) => [member, parameters[at]])) as never),
        );
        if (table.get(keyOf(item)) !== undefined)
          return { Error: { Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' } };
        table.put(item);
        return {};
      }),
    };
  }
}
