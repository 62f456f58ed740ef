import { AwsError } from '../../../src/aws-service.ts';
import { createDynamoDb } from '../../../src/dynamodb/create-dynamodb.ts';
import { aCall, account } from '../a-dynamodb.ts';
import type { Implementation } from './responses.ts';
import { tables } from './corpus/tables.ts';

/** Runs the local DynamoDB in memory, with the tables of the corpus. */
export async function localDynamoDb(): Promise<Implementation> {
  const service = await createDynamoDb(account);
  for (const table of tables) await service.createTable(table);
  return async (target, body) => {
    try {
      const response = await service.handle(aCall(target, body));
      return { status: response.status, body: response.body.toString() };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const { status, body } = service.failure(error);
      return { status, body: body.toString() };
    }
  };
}
