import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { ConnectionKeeper, earlyAgent, SOCKETS_MAX } from './connections.ts';
import { Sha256 } from './sha256.ts';

/** The connections that all clients below share, except those that run code. */
export const CONNECTIONS = earlyAgent();

/** In ms. */
export const CONNECTION_TIMEOUT_MS = 1_000;

/**
 * The settings of every AWS client. Attempts are few and quick, since a caller waits for the
 * response. The SDK retries exponentially with jitter. A failure that remains becomes
 * `dependency_unavailable`.
 */
export const CLIENT_SETTINGS = {
  sha256: Sha256,
  maxAttempts: 3,
  requestHandler: new ConnectionKeeper(
    // The SDK only warns after the timeout, unless `throwOnRequestTimeout` is set.
    { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: 4_000, throwOnRequestTimeout: true },
    CONNECTIONS,
  ),
} as const;

/**
 * Control plane calls are slower. Their caller retries them, since it knows which calls are
 * repeatable.
 */
export const controlClientSettings = () => ({
  sha256: Sha256,
  maxAttempts: 2,
  requestHandler: new ConnectionKeeper(
    { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: 15_000, throwOnRequestTimeout: true },
    CONNECTIONS,
  ),
});

/**
 * Runs of a customer's code are never retried. There is one attempt, with a timeout in ms as long
 * as the code may take.
 */
export function invokeClientSettings(responseWithinMs: number) {
  // Connections are not reused: if an idle one is dead, the service cannot know whether the code
  // has run.
  const connections = { keepAlive: false, maxSockets: SOCKETS_MAX };
  return {
    sha256: Sha256,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: responseWithinMs,
      throwOnRequestTimeout: true,
      httpsAgent: new HttpsAgent(connections),
      httpAgent: new HttpAgent(connections),
    }),
  };
}

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
