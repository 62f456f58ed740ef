import { later, storeSettings, type LocalAccount, type LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import { errorMessage } from '../error-code.ts';
import { createDynamoDb, type DynamoDb } from './create-dynamodb.ts';
import { dynamoDbResources } from './dynamodb-resources.ts';
import type { TableDefinition } from './table.ts';

export interface LocalDynamoDb extends LocalService {
  /** Lets scheduled minutes pass, counted since the start. */
  passMinutes(before: number, after: number): void;
  /** Throws an Error before it is open. */
  store(): DynamoDb;
}

/** Expired items are deleted once an hour. AWS takes up to two days, so no code may rely on TTL. */
const MINUTES_BETWEEN_EXPIRIES = 60;

const hours = (minutes: number): number => Math.floor(minutes / MINUTES_BETWEEN_EXPIRIES);

export function createLocalDynamoDb(account: LocalAccount): LocalDynamoDb {
  const tables: TableDefinition[] = [];
  const store = later<DynamoDb>('DynamoDB');
  return {
    resources: definedIn(tables, dynamoDbResources),
    open: async () => {
      const dynamoDb = store.set(await createDynamoDb(storeSettings(account, 'dynamodb')));
      account.onClose(() => dynamoDb.close());
    },
    deploy: async () => {
      const dynamoDb = store.get();
      for (const table of tables) await dynamoDb.createTable(table);
      return dynamoDb;
    },
    store: () => store.get(),
    passMinutes: (before, after) => {
      if (hours(before) === hours(after)) return;
      const expiring = store.get().expireItems(Math.floor(account.clock.now() / 1000));
      expiring.catch((error: unknown) => {
        account.logs.line('schedules', `expiry: ${errorMessage(error)}`);
      });
    },
  };
}
