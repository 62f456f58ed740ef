import path from 'node:path';
import { crc32 } from 'node:zlib';
import { AwsError, type AwsCall, type AwsResponse, type AwsService } from '../aws-service.ts';
import { errorCode, errorMessage } from '../error-code.ts';
import { createStorageFailure, damaged, type StorageFailure } from '../storage-failure.ts';
import { isLevelError, openDatabase, type Database, type Lag } from './database.ts';
import { createBackups, type Backups } from './backups.ts';
import { createExpiry } from './expiry.ts';
import { CostlyFailure, notImplemented, wireType } from './failures.ts';
import { createHistory } from './history.ts';
import type { Operation, OperationContext, Prepared } from './operation.ts';
import { batchGetItemOperation } from './operations/batch-get-item.ts';
import { batchWriteItemOperation } from './operations/batch-write-item.ts';
import { backupOperations } from './operations/backup-operations.ts';
import { changeTableOperations } from './operations/change-table.ts';
import { tableOperations } from './operations/describe-table.ts';
import { batchExecuteStatementOperation, executeStatementOperation } from './operations/execute-statement.ts';
import { getItemOperation } from './operations/get-item.ts';
import { readPageOperations } from './operations/read-page.ts';
import { resourcePolicyOperations } from './operations/resource-policy.ts';
import { openTransactionTokens, type TransactionTokens } from './operations/transaction-tokens.ts';
import { transactWriteItemsOperation } from './operations/transact-write-items.ts';
import { writeItemOperations } from './operations/write-item.ts';
import { parseBody } from './requests.ts';
import type { TableDefinition } from './table.ts';
import { createTablePolicies } from './table-policies.ts';
import { openTables, type Tables, type TablesOptions } from './tables.ts';
import { createWriter } from './writer.ts';

export interface DynamoDbOptions {
  /** Directory of the database; without it items live in memory. One process at a time. */
  readonly dataDir?: string;
  readonly accountId: string;
  readonly region: string;
  /** Default: callers get the failure, and no other report. */
  readonly storageFailure?: StorageFailure;
  /**
   * Ends client request tokens and dates writes for restores, in ms since the epoch. Default: the
   * machine's time.
   */
  readonly now?: () => number;
  /** Default: a read sees every write that was acknowledged. Only for a database in memory. */
  readonly lagMs?: Lag['lagMs'];
}

export interface DynamoDb extends AwsService {
  /**
   * Creates a table, or sets only the TTL attribute and the resource policy of an existing one.
   * Throws an Error naming the table when it exists with other keys or indexes.
   */
  createTable(definition: TableDefinition): Promise<void>;
  tableArn(name: string): string;
  /** AWS Backup has its own here too, because it stores no tables itself. */
  readonly backups: Backups;
  /**
   * Deletes the items whose TTL attribute is before `nowSeconds` (since 1970). Resolves with their
   * number.
   */
  expireItems(nowSeconds: number): Promise<number>;
}

function respond(status: number, body: object, consumedCapacity: number): AwsResponse {
  const text = JSON.stringify(body);
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-crc32': String(crc32(text)) },
    body: text,
    consumedCapacity,
  };
}

function failure(error: AwsError): AwsResponse {
  const body = {
    __type: wireType(error.code),
    ...('Message' in error.fields ? {} : { message: error.message }),
    ...error.fields,
  };
  return respond(error.status, body, error instanceof CostlyFailure ? error.consumedCapacity : 0);
}

interface Opened {
  readonly database: Database;
  readonly tables: Tables;
  readonly tokens: TransactionTokens;
}

async function openStored(
  directory: string | undefined,
  failure: StorageFailure,
  account: TablesOptions,
  lag: Lag | undefined,
): Promise<Opened> {
  const database = await openDatabase(directory, failure, lag);
  try {
    const tables = await openTables(database, account);
    return { database, tables, tokens: await openTransactionTokens(database) };
  } catch (error) {
    await database.close();
    throw isLevelError(error) ? damaged(directory ?? 'memory', errorMessage(error), error) : error;
  }
}

/**
 * dynalite parses, validates and evaluates; storage, transactions, time to live and capacity are
 * ours. packages/local-aws/README.md#dynamodb lists the differences from DynamoDB.
 */
export async function createDynamoDb({ dataDir, ...options }: DynamoDbOptions): Promise<DynamoDb> {
  const { storageFailure = createStorageFailure(dataDir ?? 'memory', () => undefined) } = options;
  const directory = dataDir === undefined ? undefined : path.join(dataDir, 'dynamodb');
  const { now = () => Date.now(), lagMs } = options;
  const lag = lagMs && { now, lagMs };
  const { database, tables, tokens } = await openStored(directory, storageFailure, { ...options, now }, lag);
  const history = createHistory(now);
  const writer = createWriter(database, tables, history);
  const expiry = createExpiry(database, tables, writer);
  const context: OperationContext = { database, tables, writer, now };
  const policies = createTablePolicies(tables);
  const backups = createBackups(context, history);

  const operations = new Map<string, Operation>(
    Object.entries({
      ...writeItemOperations(context),
      ...readPageOperations(context),
      ...tableOperations(context, expiry),
      ...changeTableOperations(context),
      ...resourcePolicyOperations(context, policies),
      ...backupOperations(context, backups, history),
      GetItem: getItemOperation(context),
      BatchGetItem: batchGetItemOperation(context),
      BatchWriteItem: batchWriteItemOperation(context),
      ExecuteStatement: executeStatementOperation(context),
      BatchExecuteStatement: batchExecuteStatementOperation(context),
      TransactWriteItems: transactWriteItemsOperation(context, tokens),
    }),
  );

  const prepared = new WeakMap<AwsCall, Prepared>();

  /**
   * A call is parsed once, although the endpoint asks twice: for its accesses and for its response.
   */
  function prepare(call: AwsCall): Prepared {
    const known = prepared.get(call);
    if (known !== undefined) return known;
    const operation = operations.get(call.target ?? '');
    if (operation === undefined) throw notImplemented(call.target ?? `${call.method} ${call.path}`);
    const fresh = operation(parseBody(call));
    prepared.set(call, fresh);
    return fresh;
  }

  function failureOf(error: unknown): unknown {
    if (!isLevelError(error)) return error;
    // The database was reopened during the read.
    if (/NOT_OPEN$/.test(String(errorCode(error))))
      return new AwsError('ServiceUnavailable', 503, 'the tables are being opened');
    return storageFailure(error);
  }

  return {
    signingName: 'dynamodb',
    accesses: (call) => prepare(call).accesses,
    handle: async (call) => {
      await database.ready();
      try {
        const { body, consumedCapacity } = await prepare(call).perform();
        return respond(200, body, consumedCapacity);
      } catch (error) {
        throw failureOf(error);
      }
    },
    failure,
    close: () => database.close(),
    createTable: async (definition) => {
      await tables.create(definition);
      await expiry.setTimeToLive(definition.name, definition.timeToLiveAttribute);
      await policies.define(definition.name, definition.resourcePolicy);
    },
    tableArn: (name) => tables.arn(name),
    backups,
    resourcePolicy: (arn) => policies.of(arn),
    expireItems: (nowSeconds) => expiry.expireItems(nowSeconds),
  };
}
