import {
  DynamoDBClient,
  ListTablesCommand,
  paginateScan,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb';
import { administratorSettings, type LocalAdministrator } from '../../packages/local-aws/src/control.ts';

/** DynamoDB of a local account, as the administrator of that account. */
export const dynamodbOf = (account: LocalAdministrator) => new DynamoDBClient(administratorSettings(account));

/** Every item of all tables, or of the named ones. */
export async function allItems(
  account: LocalAdministrator,
  isWanted: (tableName: string) => boolean = () => true,
): Promise<Record<string, AttributeValue>[]> {
  const client = dynamodbOf(account);
  const { TableNames: tables = [] } = await client.send(new ListTablesCommand({}));
  const items: Record<string, AttributeValue>[] = [];
  for (const TableName of tables.filter(isWanted)) {
    for await (const page of paginateScan({ client }, { TableName })) items.push(...(page.Items ?? []));
  }
  return items;
}

/**
 * All bytes of an item as Latin-1 text, including binary attributes, so that any plaintext in it is
 * found.
 */
export function bytesOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (Array.isArray(value)) return value.map(bytesOf).join('\n');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, member]) => `${name}=${bytesOf(member)}`)
      .join('\n');
  return String(value);
}

/** Whether the bytes of an item belong to the audit trail, its seals, or their head. */
export const isOfTrail = (bytes: string): boolean =>
  /^pk=S=(?:[^\n]*#log#|id#|open#|seal$|begin$|audit$)/m.test(bytes);
