import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { KMSClient } from '@aws-sdk/client-kms';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { madeOnce } from '../../core/shared/made-once.ts';
import type { Clock } from '../../core/shared/clock.ts';
import type { Platform } from '../../core/shared/platform.ts';
import { ConnectionKeeper, EarlyAgent, SOCKETS_MAX } from './connections.ts';
import { makePrompt, type RetryStrategy } from './prompt-retries.ts';
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
export const USUAL: ClientLimits = { maxAttempts: 3, responseWithinMs: 4_000, reusesConnections: true };
/** Calls of a control plane are slower, and their caller knows which it may repeat. */
export const CONTROL: ClientLimits = { maxAttempts: 2, responseWithinMs: 15_000, reusesConnections: true };
/**
 * Runs of a customer's code are never retried. There is one attempt, with a timeout in ms as long
 * as the code may take.
 */
export const runLimits = (responseWithinMs: number): ClientLimits => ({
  maxAttempts: 1,
  responseWithinMs,
  reusesConnections: false,
});

/** The part of a client's settings that decides how it reaches AWS. */
type Reach = Pick<
  DynamoDBClientConfig,
  'requestHandler' | 'retryStrategy' | 'endpoint' | 'region' | 'credentials'
>;

type ClientSettings = Reach & Pick<DynamoDBClientConfig, 'sha256' | 'maxAttempts'>;

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
  /** Decides whether a call may still be repeated. */
  readonly clock: Clock;
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
export function createAwsConnections({ worldClock: clock }: Pick<Platform, 'worldClock'>): AwsConnections {
  const agent = new EarlyAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }, clock);
  const keepers = new Map<number, ConnectionKeeper>();

  function keeper({ responseWithinMs }: ClientLimits): ConnectionKeeper {
    const known = keepers.get(responseWithinMs);
    // The SDK only warns after the timeout, unless `throwOnRequestTimeout` is set.
    const timeouts = { requestTimeout: responseWithinMs, throwOnRequestTimeout: true };
    const found =
      known ?? new ConnectionKeeper({ connectionTimeout: CONNECTION_TIMEOUT_MS, ...timeouts }, agent, clock);
    keepers.set(responseWithinMs, found);
    return found;
  }

  return {
    clock,
    reach: (limits) => ({
      requestHandler: limits.reusesConnections ? keeper(limits) : newConnections(limits),
    }),
    open: (host) => {
      agent.open(host, HTTPS_PORT);
    },
  };
}

/** A client of the SDK makes this of its settings. */
interface Resolved {
  /** Makes a signer; an endpoint that needs a special signature has a scheme. */
  signer: (scheme?: object) => Promise<object>;
  retryStrategy: () => Promise<RetryStrategy>;
}

interface Unprepared {
  readonly middlewareStack: { remove(name: string): boolean };
  readonly config: object;
}

/**
 * Makes a client of the SDK, which retries exponentially with jitter. A failure that remains
 * becomes `dependency_unavailable`. It differs from the SDK's in this:
 *
 * - It signs with our SHA-256 and one signer. The SDK makes a signer for each call, with a copy of
 *   all settings of the client. A signer asks for the credentials and the region each time.
 * - Its retries are prompt ({@link makePrompt}).
 * - It has no logger. The SDK's would log nothing here, but it walks through every input and output
 *   to remove sensitive values before it drops the line.
 */
export function createClient<Client extends Unprepared>(
  Client: new (settings: ClientSettings) => Client,
  { reach, clock }: Pick<AwsConnections, 'reach' | 'clock'>,
  limits: ClientLimits,
): Client {
  const { maxAttempts, responseWithinMs } = limits;
  const client = new Client({ sha256: Sha256, maxAttempts, ...reach(limits) });
  client.middlewareStack.remove('loggerMiddleware');
  const config = client.config as Resolved;
  const { signer, retryStrategy } = config;
  const usual = madeOnce(() => signer());
  config.signer = (scheme) => (scheme === undefined ? usual() : signer(scheme));
  const withinMs = maxAttempts * responseWithinMs;
  config.retryStrategy = madeOnce(async () => makePrompt(await retryStrategy(), { clock, withinMs }));
  return client;
}
