import type { CorsConfiguration } from './gateway-definition.ts';

type Headers = Readonly<Record<string, string>>;

/** The value of Access-Control-Allow-Origin, or `undefined` if the origin is not allowed. */
function allowedOrigin(cors: CorsConfiguration, origin: string): string | undefined {
  if (cors.allowOrigins.includes('*')) return '*';
  const wildcards = cors.allowOrigins
    .filter((allowed) => allowed.endsWith('://*'))
    .map((allowed) => allowed.slice(0, -1));
  const known = cors.allowOrigins.includes(origin) || wildcards.some((scheme) => origin.startsWith(scheme));
  return known ? origin : undefined;
}

function list(name: string, values: readonly string[]): Headers {
  return values.length === 0 ? {} : { [name]: values.join(',') };
}

function shared(cors: CorsConfiguration, origin: string): Headers {
  return {
    'access-control-allow-origin': origin,
    ...(cors.allowCredentials && { 'access-control-allow-credentials': 'true' }),
  };
}

/** The headers of the response to a preflight request: none if the origin is not allowed. */
export function preflightHeaders(cors: CorsConfiguration, origin: string): Headers {
  const allowed = allowedOrigin(cors, origin);
  if (allowed === undefined) return {};
  return {
    ...shared(cors, allowed),
    ...list('access-control-allow-methods', cors.allowMethods),
    ...list('access-control-allow-headers', cors.allowHeaders),
    ...(cors.maxAgeSeconds !== undefined && { 'access-control-max-age': String(cors.maxAgeSeconds) }),
  };
}

/** The headers that every response to a request with an Origin has. */
export function crossOriginHeaders(cors: CorsConfiguration, origin: string): Headers {
  const allowed = allowedOrigin(cors, origin);
  if (allowed === undefined) return {};
  return { ...shared(cors, allowed), ...list('access-control-expose-headers', cors.exposeHeaders) };
}
