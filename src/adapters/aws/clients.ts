import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  CLIENT_SETTINGS,
  CONTROL_CLIENT_SETTINGS,
  invokeClientSettings,
  withoutLogger,
} from './client-settings.ts';

/** The client of all stores. Members that are `undefined` are not written. */
export const dynamoDbClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(withoutLogger(new DynamoDBClient(CLIENT_SETTINGS)), {
    marshallOptions: { removeUndefinedValues: true },
  });

export const kmsClient = (): KMSClient => withoutLogger(new KMSClient(CLIENT_SETTINGS));

export const sqsClient = (): SQSClient => withoutLogger(new SQSClient(CLIENT_SETTINGS));

/** For the functions of reactors: their creation, change and removal. */
export const lambdaControlClient = (): LambdaClient =>
  withoutLogger(new LambdaClient(CONTROL_CLIENT_SETTINGS));

/** For runs of reactors, which take at most `answerWithinMs` and are never sent twice. */
export const lambdaInvokeClient = (answerWithinMs: number): LambdaClient =>
  withoutLogger(new LambdaClient(invokeClientSettings(answerWithinMs)));
