/**
 * The CORS rules of the API for pages of any origin, without cookies: any method, any request
 * header, and every response header is readable. Keys decide access, not origins. `*` does not
 * cover `authorization` (Fetch standard, CORS-preflight fetch), so it is named. The gateway and the
 * firewall send the same headers.
 */
export const CORS = {
  allowOrigin: '*',
  allowMethods: '*',
  allowHeaders: ['*', 'authorization'],
  exposeHeaders: ['*'],
} as const;
