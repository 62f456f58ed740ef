import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { ConnectionKeeper, earlyAgent, SOCKETS_MAX } from './connections.ts';
import { Sha256 } from './sha256.ts';

/** The connections of all clients below, but for those that run code. */
export const CONNECTIONS = earlyAgent();

const CONNECTION_TIMEOUT_MS = 1_000;

/**
 * How every AWS client of the service behaves: few, quick attempts, since a caller waits for the
 * answer. The SDK's own retries are exponential with jitter; what is left after them surfaces as
 * `dependency_unavailable`.
 */
export const CLIENT_SETTINGS = {
  sha256: Sha256,
  maxAttempts: 3,
  requestHandler: new ConnectionKeeper(
    // Without `throwOnRequestTimeout` the SDK only warns.
    { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: 4_000, throwOnRequestTimeout: true },
    CONNECTIONS,
  ),
} as const;

/** Calls of a control plane: slower, and repeated by the caller itself, who knows what may be. */
export const controlClientSettings = () => ({
  sha256: Sha256,
  maxAttempts: 2,
  requestHandler: new ConnectionKeeper(
    { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: 15_000, throwOnRequestTimeout: true },
    CONNECTIONS,
  ),
});

/**
 * Calls that run somebody's code, which must not be repeated: one attempt, and as long a wait as
 * the code may take, in ms. Each has a connection of its own: one that was kept may be dead, and
 * whether the code has run cannot be known then.
 */
export function invokeClientSettings(answerWithinMs: number) {
  const connections = { keepAlive: false, maxSockets: SOCKETS_MAX };
  return {
    sha256: Sha256,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: answerWithinMs,
      throwOnRequestTimeout: true,
      httpsAgent: new HttpsAgent(connections),
      httpAgent: new HttpAgent(connections),
    }),
  };
}

/**
 * A client without the SDK's logger. It logs nothing here, but reads through every input and answer
 * to leave out what is sensitive before it drops the line; and what is not logged cannot leak.
 */
export function withoutLogger<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
