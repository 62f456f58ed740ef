import { randomUUID } from 'node:crypto';
import { ListTablesCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createInvocationStore } from '../../src/adapters/dynamodb/invocation-store.ts';
import { DOCUMENT_OPTIONS } from '../../src/adapters/aws/clients.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { dynamodbOf } from './aws.ts';
import { anInvocation } from './builders/an-invocation.ts';
import type { Credentials } from './credentials.ts';

/**
 * Stores a parked delivery of a reactor, and returns the id of its invocation. To park one by
 * requests takes an hour and a half.
 */
export async function parkDelivery(
  client: DynamoDBClient,
  tenantId: string,
  reactorId: string,
  now: number,
): Promise<string> {
  const { TableNames: tables = [] } = await client.send(new ListTablesCommand({}));
  const tableOf = (end: string) => ({
    client: DynamoDBDocumentClient.from(client, DOCUMENT_OPTIONS),
    platform: { ...machinePlatform, clock: () => now },
    name: tables.find((name) => name.endsWith(end)) ?? '',
  });
  const invocation = anInvocation({
    id: randomUUID(),
    tenantId,
    reactorId,
    state: 'succeeded',
    delivery: 'parked',
    attempts: 10,
    lastStatus: 500,
    createdAt: now,
    dueAt: now + 86_400_000,
    readableUntil: now + 86_400_000,
  });
  await createInvocationStore(tableOf('Reactors'), tableOf('Ephemeral')).create(invocation);
  return invocation.id;
}

/** Does the same in a local account. */
export const plantParkedDelivery = (account: Credentials, reactorId: string): Promise<string> =>
  parkDelivery(dynamodbOf(account), account.tenant_id, reactorId, Date.now());
