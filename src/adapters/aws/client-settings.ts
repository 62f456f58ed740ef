import { Sha256 } from './sha256.ts';

/**
 * How every AWS client of the service behaves: few, quick attempts, since a caller waits for the
 * answer. The SDK's own retries are exponential with jitter; what is left after them surfaces as
 * `dependency_unavailable`.
 */
export const CLIENT_SETTINGS = {
  sha256: Sha256,
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 4_000,
    // Without it the SDK only warns.
    throwOnRequestTimeout: true,
    httpsAgent: { maxSockets: 50 },
    httpAgent: { maxSockets: 50 },
  },
} as const;

/** Calls of a control plane: slower, and repeated by the caller itself, who knows what may be. */
export const CONTROL_CLIENT_SETTINGS = {
  sha256: Sha256,
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 15_000, throwOnRequestTimeout: true },
} as const;

/**
 * Calls that run somebody's code, which must not be repeated: one attempt, and as long a wait as
 * the code may take, in ms.
 */
export function invokeClientSettings(answerWithinMs: number) {
  return {
    sha256: Sha256,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: answerWithinMs,
      throwOnRequestTimeout: true,
      httpsAgent: { maxSockets: 50 },
    },
  } as const;
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
