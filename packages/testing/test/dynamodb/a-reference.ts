import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DOCUMENT_OPTIONS } from '../../../../src/adapters/aws/clients.ts';
import { inProcessClient } from '../../../../test/support/in-process-dynamodb.ts';
import { synthesis } from '../../../../test/support/synthesis.ts';
import { createDynamoDb } from '../../../local-aws/src/dynamodb/create-dynamodb.ts';
import { TABLES } from '../../src/dynamodb/table-definitions.ts';
import type { Engine } from './calls.ts';

const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' };

const definitions = () =>
  synthesis(
    'tables',
    TABLES.map(({ name }) => name),
  );

/** The empty tables of the templates in the local account's DynamoDB, behind the real client. */
export async function aReference(): Promise<Engine & { readonly close: () => Promise<void> }> {
  const dynamodb = await createDynamoDb(ACCOUNT);
  for (const definition of definitions()) await dynamodb.createTable(definition);
  const client = inProcessClient(dynamodb);
  const documents = DynamoDBDocumentClient.from(client, DOCUMENT_OPTIONS);
  return {
    send: (command) => documents.send(command),
    expire: (now) => dynamodb.expireItems(Math.floor(now / 1_000)),
    close: async () => {
      client.destroy();
      await dynamodb.close();
    },
  };
}
