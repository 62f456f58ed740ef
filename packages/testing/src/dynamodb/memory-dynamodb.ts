import {
  BatchExecuteStatementCommand,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  type AttributeValue,
  type BatchExecuteStatementCommandInput,
  type BatchStatementErrorCodeEnum,
  type BatchStatementRequest,
  type BatchStatementResponse,
  type CancellationReason,
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
import { checkMembers, DynamoDbError, validationError } from './dynamodb-error.ts';
import { checkExpressions, meets, updateOf, valueOf, type Placeholders } from './expression.ts';
import { copyOfItem, itemBytes, type Item, type Value } from './item.ts';
import { keyOf, keyOfRequest, MemoryTable, type Key, type TableContents } from './memory-table.ts';
import type { Update } from './parse-expression.ts';
import { query } from './query.ts';
import { TABLES } from './table-definitions.ts';

const GET_KEYS_MAX = 100;
const GET_BYTES_MAX = 16 * 1024 * 1024;
const TRANSACTION_ITEMS_MAX = 100;
const TRANSACTION_BYTES_MAX = 4 * 1024 * 1024;
const STATEMENTS_MAX = 25;

/** The request members that the adapters use, apart from those of a query. */
const CONDITIONAL = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValuesOnConditionCheckFailure',
] as const;
const WRITE_MEMBERS = {
  Put: new Set([...CONDITIONAL, 'Item']),
  Delete: new Set([...CONDITIONAL, 'Key']),
  Update: new Set([...CONDITIONAL, 'Key', 'UpdateExpression']),
  ConditionCheck: new Set([...CONDITIONAL, 'Key']),
} as const satisfies Readonly<Record<keyof TransactItem, ReadonlySet<string>>>;
const TRANSACTION_MEMBERS: ReadonlySet<string> = new Set(['TransactItems', 'ClientRequestToken']);
const BATCH_MEMBERS: ReadonlySet<string> = new Set(['RequestItems']);
const BATCH_TABLE_MEMBERS: ReadonlySet<string> = new Set(['Keys', 'ConsistentRead']);
const STATEMENTS_MEMBERS: ReadonlySet<string> = new Set(['Statements']);
const STATEMENT_MEMBERS: ReadonlySet<string> = new Set(['Statement', 'Parameters']);

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
  /**
   * The item that it stores; `undefined` for a deletion, `'unchanged'` for a check alone. Throws if
   * the item that is there allows no such change.
   */
  readonly next: (found: Item | undefined) => Next;
  readonly update?: Update | undefined;
}

type Next = Item | undefined | 'unchanged';

/** The stored tables at one moment. */
export type Contents = ReadonlyMap<string, TableContents>;

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const isMet = ({ ConditionExpression: condition, ...placeholders }: Conditional, found: Item | undefined) =>
  condition === undefined || meets(condition, found, placeholders);

function checkChangesNoKey({ set, removed }: Update): void {
  for (const name of [...set.map((change) => change.name), ...removed])
    if (name === 'pk' || name === 'sk') throw validationError('an update cannot change the key');
}

function updated(table: MemoryTable, key: Key, { set, removed }: Update, placeholders: Placeholders) {
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

/** Returns the item that a refused write shows, as DynamoDB sends it. */
function shownItem(request: Conditional, found: Item | undefined): { Item?: Record<string, AttributeValue> } {
  if (request.ReturnValuesOnConditionCheckFailure !== 'ALL_OLD' || found === undefined) return {};
  return { Item: marshall(copyOfItem(found)) };
}

const REFUSED = 'The conditional request failed';

/** The only request of a part of a transaction. Throws if it has none, or an unknown member. */
function checkedRequest(item: TransactItem): Conditional {
  const [part, ...others] = Object.entries(item).filter(([, request]) => request !== undefined);
  if (part === undefined || others.length > 0 || !(part[0] in WRITE_MEMBERS))
    throw validationError('a part of a transaction is one Put, Delete, Update or ConditionCheck');
  const [kind, request] = part as [keyof typeof WRITE_MEMBERS, Conditional];
  checkMembers(request, WRITE_MEMBERS[kind]);
  if (kind === 'ConditionCheck' && request.ConditionExpression === undefined)
    throw validationError('a check needs a condition');
  if (!RETURNED.has(request.ReturnValuesOnConditionCheckFailure))
    throw validationError('a failed condition returns ALL_OLD or NONE');
  return request;
}

interface Outcome {
  readonly reason: CancellationReason;
  readonly found: Item | undefined;
  readonly next: Next;
}

/** Returns the effect that a part of a transaction would have. */
function outcomeOf({ table, key, request, next, update }: Write): Outcome {
  const found = table.get(key);
  try {
    if (update !== undefined) checkChangesNoKey(update);
    if (isMet(request, found)) return { reason: { Code: 'None' }, found, next: next(found) };
  } catch (error) {
    if (!(error instanceof DynamoDbError)) throw error;
    return { reason: { Code: 'ValidationError', Message: error.message }, found, next: 'unchanged' };
  }
  const reason = { Code: 'ConditionalCheckFailed', Message: REFUSED, ...shownItem(request, found) };
  return { reason, found, next: 'unchanged' };
}

/** A statement that was read, or the error that it alone has. */
type Insert = { readonly table: MemoryTable; readonly item: Item } | { readonly failure: DynamoDbError };

function attempted(read: () => { readonly table: MemoryTable; readonly item: Item }): Insert {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DynamoDbError)) throw error;
    return { failure: error };
  }
}

const STATEMENT_ERRORS: Readonly<Record<string, BatchStatementErrorCodeEnum>> = {
  ValidationException: 'ValidationError',
  ResourceNotFoundException: 'ResourceNotFound',
};

/** Stores the item of a statement, and responds to it. */
function inserted(insert: Insert): BatchStatementResponse {
  if ('failure' in insert) {
    const { name, message } = insert.failure;
    return { Error: { Code: STATEMENT_ERRORS[name], Message: message } };
  }
  const { table, item } = insert;
  const TableName = table.definition.name;
  if (table.get(keyOf(item)) !== undefined)
    return { Error: { Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' }, TableName };
  table.put(item);
  return { TableName };
}

type TableKeys = NonNullable<BatchGetCommandInput['RequestItems']>[string];

/** The keys of a table in a batch, and the settings with which they are read. */
function wantedKeys([name, request]: readonly [string, TableKeys]) {
  checkMembers(request, BATCH_TABLE_MEMBERS);
  const { Keys = [], ...how } = request;
  if (Keys.length === 0) throw validationError('each table of a batch has a key');
  return Keys.map((key) => ({ name, key: keyOfRequest(key), how }));
}

const RETURNED: ReadonlySet<string | undefined> = new Set(['ALL_OLD', 'NONE', undefined]);
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
    if (command instanceof PutCommand) return this.#writeOne({ Put: command.input });
    if (command instanceof DeleteCommand) return this.#writeOne({ Delete: command.input });
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
    if (table === undefined) throw new DynamoDbError('ResourceNotFoundException', `no table ${String(name)}`);
    return table;
  }

  #batchGet(input: BatchGetCommandInput) {
    checkMembers(input, BATCH_MEMBERS);
    const requests = Object.entries(input.RequestItems ?? {});
    const wanted = requests.flatMap(wantedKeys);
    if (wanted.length === 0 || wanted.length > GET_KEYS_MAX)
      throw validationError(`a batch has 1 to ${String(GET_KEYS_MAX)} keys`);
    if (new Set(wanted.map(({ name, key }) => JSON.stringify([name, key]))).size < wanted.length)
      throw validationError('a batch must not contain a key twice');
    const responses: Record<string, Item[]> = Object.fromEntries(requests.map(([name]) => [name, []]));
    const unprocessed: Record<string, { Keys: Key[] }> = {};
    let bytes = 0;
    for (const { name, key, how } of wanted) {
      const item = this.#table(name).get(key);
      const size = item === undefined ? 0 : itemBytes(item);
      if (bytes + size > GET_BYTES_MAX) (unprocessed[name] ??= { Keys: [], ...how }).Keys.push(key);
      else if (item !== undefined) responses[name]?.push(copyOfItem(item));
      if (bytes + size <= GET_BYTES_MAX) bytes += size;
    }
    return { Responses: responses, UnprocessedKeys: unprocessed };
  }

  #writeOf(item: TransactItem): Write {
    const { Put, Delete, Update: change, ConditionCheck } = item;
    const request: Conditional = checkedRequest(item);
    const table = this.#table(request.TableName);
    checkExpressions(request, request.ConditionExpression, change?.UpdateExpression);
    if (Put !== undefined) {
      const stored = table.accept(Put.Item ?? {});
      return { table, key: keyOf(stored), request, next: () => stored };
    }
    const key = keyOfRequest((Delete ?? change ?? ConditionCheck)?.Key ?? {});
    if (change === undefined) return { table, key, request, next: () => (Delete ? undefined : 'unchanged') };
    const update = updateOf(change.UpdateExpression ?? '', request);
    return { table, key, request, next: updated(table, key, update, request), update };
  }

  #apply({ table, key }: Write, item: Next): void {
    if (item === undefined) table.delete(key);
    else if (item !== 'unchanged') table.put(item);
  }

  #writeOne(item: TransactItem) {
    const write = this.#writeOf(item);
    if (write.update !== undefined) checkChangesNoKey(write.update);
    const found = write.table.get(write.key);
    if (!isMet(write.request, found))
      throw new ConditionalCheckFailedException({
        message: REFUSED,
        $metadata: { httpStatusCode: 400 },
        ...shownItem(write.request, found),
      });
    this.#apply(write, write.next(found));
    return {};
  }

  #transact(input: TransactWriteCommandInput) {
    checkMembers(input, TRANSACTION_MEMBERS);
    const { TransactItems: items = [] } = input;
    if (items.length === 0 || items.length > TRANSACTION_ITEMS_MAX)
      throw validationError(`a transaction has 1 to ${String(TRANSACTION_ITEMS_MAX)} items`);
    const writes = items.map((item) => this.#writeOf(item));
    const places = writes.map(({ table, key }) => JSON.stringify([table.definition.name, key]));
    if (new Set(places).size < places.length)
      throw validationError('a transaction must not contain an item twice');
    const outcomes = writes.map(outcomeOf);
    if (outcomes.some(({ reason }) => reason.Code !== 'None'))
      throw new TransactionCanceledException({
        message: 'Transaction cancelled',
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: outcomes.map(({ reason }) => reason),
      });
    const bytes = outcomes.reduce((sum, { found, next }) => {
      const stored = next === 'unchanged' ? found : (next ?? found);
      return sum + (stored === undefined ? 0 : itemBytes(stored));
    }, 0);
    if (bytes > TRANSACTION_BYTES_MAX) throw validationError('the transaction is larger than 4 MB');
    writes.forEach((write, at) => this.#apply(write, outcomes[at]?.next));
    return {};
  }

  /** The item of a statement. Throws for a statement that DynamoDB refuses. */
  #insertOf({ Statement: text = '', Parameters: parameters = [] }: BatchStatementRequest) {
    const [, name, members = ''] = STATEMENT.exec(text) ?? [];
    const names = [...members.matchAll(/'([^']+)'/g)].map(([, member = '']) => member);
    if (names.length !== parameters.length) throw validationError(`cannot read the statement: ${text}`);
    const table = this.#table(name);
    const item = Object.fromEntries(names.map((member, at) => [member, parameters[at]]));
    return { table, item: table.accept(unmarshall(item as never)) };
  }

  #insert(input: BatchExecuteStatementCommandInput) {
    checkMembers(input, STATEMENTS_MEMBERS);
    const { Statements: statements = [] } = input;
    if (statements.length === 0 || statements.length > STATEMENTS_MAX)
      throw validationError(`a batch has 1 to ${String(STATEMENTS_MAX)} statements`);
    for (const statement of statements) checkMembers(statement, STATEMENT_MEMBERS);
    const inserts = statements.map((statement) => attempted(() => this.#insertOf(statement)));
    const places = inserts.flatMap((insert) =>
      'failure' in insert ? [] : [JSON.stringify([insert.table.definition.name, keyOf(insert.item)])],
    );
    if (new Set(places).size < places.length) throw validationError('a batch must not contain an item twice');
    return { Responses: inserts.map(inserted) };
  }
}
