import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, type BatchGetItemCommandInput } from '@aws-sdk/client-dynamodb';
import { paginateScan, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../src/adapters/dynamodb/table-client.ts';
import type { TokenTables } from '../../src/adapters/dynamodb/token-tables.ts';
import type { AwsService } from '../../packages/local-aws/src/aws-service.ts';
import type { CallRecord } from '../../packages/local-aws/src/aws-endpoint/call-counter.ts';
import { createClient, USUAL } from '../../src/adapters/aws/client-settings.ts';
import { DOCUMENT_OPTIONS } from '../../src/adapters/aws/clients.ts';
import { documentClient } from '../../src/adapters/aws/document-client.ts';
import { startAwsEndpoint } from '../../packages/local-aws/src/aws-endpoint/start-aws-endpoint.ts';
import { createDynamoDb } from '../../packages/local-aws/src/dynamodb/create-dynamodb.ts';
import { inProcess, respond } from './in-process-dynamodb.ts';
import { synthesis } from './synthesis.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' };
const TABLES = ['Tokens', 'Ephemeral', 'Access', 'Reactors', 'Audit', 'AuditIndex', 'AuditSeals'] as const;

/** The tables as the synthesized data stack defines them. */
const definitions = () => synthesis('tables', TABLES);

type Outcome = 'lose' | 'die' | 'conflict' | undefined;

/**
 * The fate of a call: `lose` carries it out but loses the response, `die` never sends it, as if the
 * process had ended, `conflict` makes it conflict with another transaction on its item.
 */
export type Fate = (operation: string, nth: number, input: object) => Outcome | Promise<Outcome>;

/**
 * The error of DynamoDB for a write that conflicts with another transaction: for a transaction in
 * its reasons, else by name.
 */
function conflictOf(operation: string): Error {
  return operation === 'TransactWriteItems'
    ? Object.assign(new Error('conflict'), {
        name: 'TransactionCanceledException',
        CancellationReasons: [{ Code: 'TransactionConflict' }],
      })
    : Object.assign(new Error('conflict'), { name: 'TransactionConflictException' });
}

/** The keys that a BatchGetItem requests, as `table pk sk`; for any other operation, its name. */
function readsOf(operation: string, input: object): readonly string[] {
  if (operation !== 'BatchGetItem') return [operation];
  const { RequestItems: requests = {} } = input as BatchGetItemCommandInput;
  return Object.entries(requests).flatMap(([table, { Keys: keys = [] }]) =>
    keys.map(({ pk, sk }) => `${table} ${pk?.S ?? ''} ${sk?.S ?? ''}`),
  );
}

/**
 * A client whose calls have a fate, separately for each attempt of the SDK. It calls the service
 * without signatures and without a network, which would take most of the time.
 */
function clientWith(
  service: AwsService,
  fate: Fate,
  onRead: (keys: readonly string[]) => void,
): DynamoDBDocumentClient {
  const connections = inProcess((request) => respond(service, request));
  const client = createClient(DynamoDBClient, connections, USUAL);
  let nth = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      nth += 1;
      const operation = String(context['commandName']).replace('Command', '');
      onRead(readsOf(operation, args.input));
      const outcome = await fate(operation, nth, args.input);
      if (outcome === 'conflict') throw conflictOf(operation);
      if (outcome === 'die') throw new Error('the process has ended');
      const result = await next(args);
      if (outcome === 'lose') throw Object.assign(new Error('lost'), { name: 'TimeoutError' });
      return result;
    },
    { step: 'deserialize', priority: 'high', name: 'fate' },
  );
  return documentClient(client, DOCUMENT_OPTIONS);
}

/**
 * Contains the tables of the service in a separate DynamoDB, behind the real client.
 */
export interface Database {
  /** A client in another process uses this address. */
  readonly url: string;
  /**
   * Tables for an adapter: with a fate, through a separate client; otherwise through a shared one.
   */
  tables(fate?: Fate): TokenTables;
  /** Returns one table, in the same way. */
  table(name: (typeof TABLES)[number], fate?: Fate): Table;
  /** Calls since the last read of this list. */
  takeCalls(): readonly DatabaseCall[];
  /**
   * Keys of the items that clients requested since the last read of this list, as `table pk sk`;
   * for other calls, their names.
   */
  takeReads(): readonly string[];
  /** Returns the keys of all items in all tables, as `pk sk`, without tombstones that end. */
  keys(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Describes a call to the database: its action is `dynamodb:Operation`. */
export type DatabaseCall = Pick<CallRecord, 'action' | 'consumedCapacity'>;

/** A service that reports each of its calls, also a failed one. */
const recording = (service: AwsService, onCall: (call: DatabaseCall) => void): AwsService => ({
  ...service,
  handle: async (call) => {
    const action = `${service.signingName}:${call.target ?? ''}`;
    try {
      const response = await service.handle(call);
      const { consumedCapacity } = response;
      onCall({ action, ...(consumedCapacity !== undefined && { consumedCapacity }) });
      return response;
    } catch (error) {
      onCall({ action });
      throw error;
    }
  },
});

/** A service with at least the latency of AWS; calls do not wait for each other. */
const delayed = (service: AwsService, latencyMs: number): AwsService => ({
  ...service,
  handle: async (call) => {
    const [response] = await Promise.all([service.handle(call), sleep(latencyMs)]);
    return response;
  },
});

export async function aDatabase(listShards = 4, { latencyMs = 0 } = {}): Promise<Database> {
  const dynamodb = await createDynamoDb(ACCOUNT);
  for (const definition of definitions()) await dynamodb.createTable(definition);
  let records: DatabaseCall[] = [];
  let reads: string[] = [];
  const service = latencyMs > 0 ? delayed(dynamodb, latencyMs) : dynamodb;
  const recorded = recording(service, (call) => records.push(call));
  const endpoint = await startAwsEndpoint({
    ...ACCOUNT,
    services: [service],
    issuedKey: () => ({ owner: 'administrator', secretAccessKey: 'test' }),
    onCall: (record) => records.push(record),
  });
  const clients: DynamoDBDocumentClient[] = [];
  const connect = (fate: Fate = () => undefined) => {
    const client = clientWith(recorded, fate, (keys) => reads.push(...keys));
    clients.push(client);
    return client;
  };
  // Clients without a fate are all alike, and take a while to create: share one.
  const plain = connect();
  const clientOf = (fate?: Fate) => (fate === undefined ? plain : connect(fate));
  return {
    url: endpoint.url,
    tables: (fate) => ({
      client: clientOf(fate),
      platform: machinePlatform,
      tokensTable: 'Tokens',
      ephemeralTable: 'Ephemeral',
      listShards,
    }),
    table: (name, fate) => ({ client: clientOf(fate), platform: machinePlatform, name }),
    takeCalls() {
      const taken = records;
      records = [];
      return taken;
    },
    takeReads() {
      const taken = reads;
      reads = [];
      return taken;
    },
    async keys() {
      const keys: string[] = [];
      for (const TableName of TABLES) {
        const scan = {
          TableName,
          ProjectionExpression: 'pk, sk, isGone, #ttl',
          ExpressionAttributeNames: { '#ttl': 'ttl' },
        };
        for await (const { Items = [] } of paginateScan({ client: plain }, scan))
          keys.push(
            ...Items.filter(({ isGone, ttl }) => isGone !== true || ttl === undefined).map(
              ({ pk, sk }) => `${String(pk)} ${String(sk)}`,
            ),
          );
      }
      return keys;
    },
    async close() {
      for (const client of clients) client.destroy();
      await endpoint.close();
      await dynamodb.close();
    },
  };
}
