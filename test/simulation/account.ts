import type { AwsService } from '../../packages/local-aws/src/aws-service.ts';
import { createDynamoDb } from '../../packages/local-aws/src/dynamodb/create-dynamodb.ts';
import type { Item } from '../../packages/local-aws/src/dynamodb/item.ts';
import type { TableDefinition } from '../../packages/local-aws/src/dynamodb/table.ts';
import { createKms } from '../../packages/local-aws/src/kms/create-kms.ts';
import type { World } from './world.ts';

/** Actions that store something. */
const WRITES = /^(?:Put|Update|BatchWrite|BatchExecute|TransactWrite)/;

const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' };

/** A stored item, and its table. */
export interface StoredItem {
  readonly table: string;
  readonly item: Item;
}

/** The engines of the local account, called as functions. */
export interface Account {
  readonly services: readonly AwsService[];
  /** The key that wraps roots, and the one that signs seals. */
  readonly keyId: string;
  readonly sealKeyId: string;
  /** Everything that is stored, as DynamoDB has it. */
  readonly items: () => Promise<readonly StoredItem[]>;
  /** The bodies of all calls that store something in a table. */
  readonly written: readonly string[];
  /** DynamoDB's own expiry. Resolves with the number of deleted items. */
  readonly expireItems: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export interface AccountOptions {
  /** How old may be what an eventually consistent read sees. */
  readonly lagMs: number;
  /** Whether its tables can be restored to each moment, which takes memory. */
  readonly isRestored: boolean;
}

/** The settings of a deployment, without which a restore refuses a table. */
const recoverable = ({ name }: TableDefinition) => ({
  keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1',
  isProtected: true,
  hasPointInTimeRecovery: name !== 'Ephemeral',
});

export async function createAccount(
  world: World,
  tables: readonly TableDefinition[],
  { lagMs, isRestored }: AccountOptions,
): Promise<Account> {
  const draws = world.draws('account');
  const dynamodb = await createDynamoDb({
    ...ACCOUNT,
    now: world.now,
    lagMs: () => (draws.chance(0.5) ? 0 : draws.between(0, lagMs)),
  });
  for (const table of tables)
    await dynamodb.createTable(isRestored ? { ...table, ...recoverable(table) } : table);
  const kms = await createKms({ ...ACCOUNT, random: draws.bytes });
  const policy = { Statement: [] };
  const { keyId } = await kms.createKey({ keyId: draws.uuid(), policy });
  const { keyId: sealKeyId } = await kms.createKey({ keyId: draws.uuid(), policy, spec: 'ECC_NIST_P256' });

  async function scan(table: string): Promise<readonly StoredItem[]> {
    const found: StoredItem[] = [];
    let ExclusiveStartKey: unknown;
    do {
      const body = Buffer.from(
        JSON.stringify({
          TableName: table,
          ConsistentRead: true,
          ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
        }),
      );
      const response = await dynamodb.handle({
        service: 'dynamodb',
        method: 'POST',
        path: '/',
        query: new URLSearchParams(),
        headers: {},
        target: 'Scan',
        body,
        principal: { kind: 'administrator' },
      });
      const page = JSON.parse(response.body.toString()) as { Items: Item[]; LastEvaluatedKey?: unknown };
      found.push(...page.Items.map((item) => ({ table, item })));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return found;
  }

  const written: string[] = [];
  const observed: AwsService = {
    ...dynamodb,
    handle: (call) => {
      if (WRITES.test(call.target ?? '')) written.push(call.body.toString());
      return dynamodb.handle(call);
    },
  };
  return {
    services: [observed, kms],
    written,
    keyId,
    sealKeyId,
    items: async () => {
      const found = [];
      for (const { name } of tables) found.push(...(await scan(name)));
      return found;
    },
    expireItems: () => dynamodb.expireItems(Math.floor(world.now() / 1000)),
    close: async () => {
      await dynamodb.close();
      await kms.close();
    },
  };
}
