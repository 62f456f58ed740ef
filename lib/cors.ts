/**
 * The CORS headers of the gateway and of the firewall. Keys decide access, not origins
 * (docs/contract.md#browsers).
 */
export const CORS = {
  allowOrigin: '*',
  allowMethods: '*',
  // `*` does not cover `authorization` (Fetch standard, CORS-preflight fetch).
  allowHeaders: ['*', 'authorization'],
  exposeHeaders: ['*'],
} as const;
