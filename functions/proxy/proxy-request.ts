import type { ProxyRequest } from '../../src/core/proxy/forward.ts';
import type { ApiRequest } from '../../src/http/api-request.ts';

/**
 * A character that a path contains unencoded (RFC 3986, section 3.3). The gateway has decoded the
 * others.
 */
const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment).replace(/%(?:21|24|26|27|28|29|2A|2B|2C|3B|3D|3A|40)/g, decodeURIComponent);

/**
 * The path after `/proxy`, encoded again. `/proxy/` is `/proxy`; below it a trailing slash is
 * forwarded.
 */
function suffixOf(rawPath: string): string {
  const rest = rawPath.slice('/proxy'.length);
  return rest === '/' ? '' : rest.split('/').map(encodeSegment).join('/');
}

export function proxyRequest(request: ApiRequest): ProxyRequest {
  const { reserved, headers } = request;
  const extra = [
    ['Keep-Alive', reserved.get('proxy-keep-alive')],
    ['Connection', reserved.get('proxy-connection')],
    [reserved.nameOf('trace-id'), request.traceId],
  ] as const;
  return {
    method: request.method,
    destination: reserved.get('proxy-url'),
    destinationHeader: reserved.nameOf('proxy-url'),
    suffix: suffixOf(request.rawPath),
    query: request.rawQuery,
    headers,
    isReserved: (name) => reserved.isReserved(name),
    extraHeaders: extra.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    body: request.body,
    ownHost: headers['host'],
  };
}
