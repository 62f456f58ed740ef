import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { KMSClient } from '@aws-sdk/client-kms';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Platform } from '../../core/shared/platform.ts';
import { ConnectionKeeper, EarlyAgent, SOCKETS_MAX } from './connections.ts';
import { Sha256 } from './sha256.ts';

/** In ms. */
export const CONNECTION_TIMEOUT_MS = 1_000;

/** Limits that a client has for one call. */
export interface ClientLimits {
  readonly maxAttempts: number;
  /** How long it waits for the response to an attempt, in ms. */
  readonly responseWithinMs: number;
  /**
   * Whether an attempt may use a connection of an earlier one. If an idle connection is dead, the
   * client cannot know whether the service has received the call.
   */
  readonly reusesConnections: boolean;
}

/** Attempts are few and quick, since a caller waits for the response. */
const USUAL: ClientLimits = { maxAttempts: 3, responseWithinMs: 4_000, reusesConnections: true };
/** Calls of a control plane are slower, and their caller knows which it may repeat. */
const CONTROL: ClientLimits = { maxAttempts: 2, responseWithinMs: 15_000, reusesConnections: true };

/** The part of a client's settings that decides how it reaches AWS. */
type Reach = Pick<
  DynamoDBClientConfig,
  'requestHandler' | 'retryStrategy' | 'endpoint' | 'region' | 'credentials'
>;

/** Clients of services that are in this process. */
export interface LocalClients {
  readonly dynamoDb: DynamoDBDocumentClient;
  readonly kms: KMSClient;
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly lambda: Pick<LambdaClient, 'send'>;
}

/** How all AWS clients of one instance reach AWS. A simulation has no network. */
export interface AwsConnections {
  /** Replaces all clients. Only packages/testing, whose services are in memory, has them. */
  readonly clients?: LocalClients;
  readonly reach: (limits: ClientLimits) => Reach;
  /** Opens a connection to a host in advance, if this is useful. */
  readonly open: (host: string) => void;
}

const HTTPS_PORT = 443;

function newConnections({ responseWithinMs }: ClientLimits): NodeHttpHandler {
  const connections = { keepAlive: false, maxSockets: SOCKETS_MAX };
  return new NodeHttpHandler({
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: responseWithinMs,
    throwOnRequestTimeout: true,
    httpsAgent: new HttpsAgent(connections),
    httpAgent: new HttpAgent(connections),
  });
}

/** The connections of one instance. Its clients share them, except those that reuse none. */
export function createAwsConnections({ clock }: Pick<Platform, 'clock'>): AwsConnections {
  const agent = new EarlyAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }, clock);
  const keepers = new Map<number, ConnectionKeeper>();

  function keeper({ responseWithinMs }: ClientLimits): ConnectionKeeper {
    const known = keepers.get(responseWithinMs);
    // The SDK only warns after the timeout, unless `throwOnRequestTimeout` is set.
    const timeouts = { requestTimeout: responseWithinMs, throwOnRequestTimeout: true };
    const found =
      known ?? new ConnectionKeeper({ connectionTimeout: CONNECTION_TIMEOUT_MS, ...timeouts }, agent);
    keepers.set(responseWithinMs, found);
    return found;
  }

  return {
    reach: (limits) => ({
      requestHandler: limits.reusesConnections ? keeper(limits) : newConnections(limits),
    }),
    open: (host) => {
      agent.open(host, HTTPS_PORT);
    },
  };
}

const settingsOf = ({ reach }: AwsConnections, limits: ClientLimits) => ({
  sha256: Sha256,
  maxAttempts: limits.maxAttempts,
  ...reach(limits),
});

/**
 * The settings of every AWS client. The SDK retries exponentially with jitter. A failure that
 * remains becomes `dependency_unavailable`.
 */
export const clientSettings = (connections: AwsConnections) => settingsOf(connections, USUAL);

export const controlClientSettings = (connections: AwsConnections) => settingsOf(connections, CONTROL);

/**
 * Runs of a customer's code are never retried. There is one attempt, with a timeout in ms as long
 * as the code may take.
 */
export const invokeClientSettings = (connections: AwsConnections, responseWithinMs: number) =>
  settingsOf(connections, { maxAttempts: 1, responseWithinMs, reusesConnections: false });

/**
 * A client without the SDK's logger. The logger would log nothing here, but it walks through every
 * input and output to remove sensitive values before it drops the line.
 */
export function withoutLogger<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
