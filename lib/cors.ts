/**
 * What pages of any origin may do with the API, without cookies: any method, any request header,
 * and every response header can be read. Keys decide access, not origins. `*` does not cover
 * `authorization` (Fetch standard, CORS-preflight fetch), so it is named. The gateway and the
 * firewall respond alike.
 */
export const CORS = {
  allowOrigin: '*',
  allowMethods: '*',
  allowHeaders: ['*', 'authorization'],
  exposeHeaders: ['*'],
} as const;
