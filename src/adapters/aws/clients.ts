import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient, TranslateConfig } from '@aws-sdk/lib-dynamodb';
import { madeOnce } from '../../core/shared/made-once.ts';
import { CONTROL, createClient, runLimits, USUAL, type AwsConnections } from './client-settings.ts';
import { documentClient } from './document-client.ts';

/** The settings by which a client finds its service. */
interface Located {
  readonly config: {
    readonly useFipsEndpoint: () => Promise<boolean>;
    readonly useDualstackEndpoint: () => Promise<boolean>;
    readonly endpointProvider: (parameters: {
      readonly Region: string;
      readonly UseFIPS: boolean;
      readonly UseDualStack: boolean;
    }) => { readonly url: URL };
  };
}

/**
 * Opens a connection in advance, so that the first request does not wait for TLS. If that fails,
 * the request connects by itself (docs/decisions/0013#connect-before-the-first-request).
 */
function connecting<Client extends Located>(connections: AwsConnections, client: Client): Client {
  const { useFipsEndpoint, useDualstackEndpoint, endpointProvider } = client.config;
  // Lambda sets the region. If an endpoint is configured, as locally, connects only to that.
  const region = process.env['AWS_REGION'];
  const isElsewhere = Object.keys(process.env).some((name) => name.startsWith('AWS_ENDPOINT_URL'));
  const open = async (Region: string) => {
    const [UseFIPS, UseDualStack] = await Promise.all([useFipsEndpoint(), useDualstackEndpoint()]);
    connections.open(endpointProvider({ Region, UseFIPS, UseDualStack }).url.hostname);
  };
  if (region !== undefined && !isElsewhere) open(region).catch(() => undefined);
  return client;
}

/**
 * How stores convert items. Members that are `undefined` are not written. A number beyond those of
 * JavaScript is read as the nearest one, which no schema accepts. By default the client throws, so
 * an item that an attacker has inserted would fail every read of its partition.
 */
export const DOCUMENT_OPTIONS: TranslateConfig = {
  marshallOptions: { removeUndefinedValues: true },
  unmarshallOptions: { wrapNumbers: Number },
};

/*
 * One function for each client, instead of one object that has them all: the bundle of a function
 * contains only the SDKs of the clients that it creates.
 */

/** The client that all stores share. */
export const dynamoDbClient = (aws: AwsConnections): DynamoDBDocumentClient =>
  aws.clients?.dynamoDb ??
  documentClient(connecting(aws, createClient(DynamoDBClient, aws, USUAL)), DOCUMENT_OPTIONS);

export const kmsClient = (aws: AwsConnections): KMSClient =>
  aws.clients?.kms ?? connecting(aws, createClient(KMSClient, aws, USUAL));

/** The only method that the service calls, so that a test can replace a client. */
export type LambdaCalls = Pick<LambdaClient, 'send'>;
export type SqsCalls = Pick<SQSClient, 'send'>;

/** A client that its first call creates, because most instances need none. */
function madeWithFirstCall<Client extends { readonly send: (...args: never) => unknown }>(
  make: () => Client,
): Pick<Client, 'send'> {
  const client = madeOnce(make);
  return {
    get send(): Client['send'] {
      return client().send.bind(client());
    },
  };
}

export const sqsClient = (aws: AwsConnections): SqsCalls =>
  aws.clients?.sqs ?? madeWithFirstCall(() => createClient(SQSClient, aws, USUAL));

/** Creates, changes and deletes the functions of reactors. */
export const lambdaControlClient = (aws: AwsConnections): LambdaCalls =>
  aws.clients?.lambda ?? madeWithFirstCall(() => createClient(LambdaClient, aws, CONTROL));

/** Starts and ends running instances. A call is sent once, so that it takes no other's turn. */
export const lambdaOnceClient = (aws: AwsConnections): LambdaCalls =>
  aws.clients?.lambda ??
  madeWithFirstCall(() => createClient(LambdaClient, aws, { ...CONTROL, maxAttempts: 1 }));

/** Runs reactors, which take at most `responseWithinMs`. A run is never sent twice. */
export const lambdaInvokeClient = (aws: AwsConnections, responseWithinMs: number): LambdaCalls =>
  aws.clients?.lambda ??
  madeWithFirstCall(() => createClient(LambdaClient, aws, runLimits(responseWithinMs)));
