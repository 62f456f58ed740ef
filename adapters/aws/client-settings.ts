/**
 * How every AWS client of the service behaves: few, quick attempts, since a caller waits for the answer. The SDK's own
 * retries are exponential with jitter; what is left after them surfaces as `dependency_unavailable`.
 */
export const CLIENT_SETTINGS = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 4_000,
    httpsAgent: { maxSockets: 50 },
    httpAgent: { maxSockets: 50 },
  },
} as const;
