import type { ProxyCall } from '../../src/core/stored-proxies/exchange.ts';
import type { NamedDestination, ProxyRequest } from '../../src/core/proxy-expressions/forward.ts';
import { invalid } from '../../src/core/shared/service-error.ts';
import type { ApiRequest } from '../../src/http/api-request.ts';
import { ownHosts } from '../../src/http/own-hosts.ts';
import { makesNoPage, withoutBrowserFields } from './browser-call.ts';
import { withoutProxyKey } from '../../src/http/read-proxy-key.ts';
import type { ProxyDeps } from './dependencies.ts';

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

/** The names of the deployment. */
type Names = Pick<ProxyDeps, 'headerPrefixes' | 'publicUrl'>;

/**
 * Both kinds of proxy forward these parts of a request. `query` lacks the parameters of the
 * service.
 */
function forwardedRequest(request: ApiRequest, query: string, names: Names): ProxyRequest {
  const { reserved } = request;
  const { headerPrefixes, publicUrl } = names;
  const headers = makesNoPage(request, headerPrefixes) ? withoutBrowserFields(request) : request.headers;
  return {
    method: request.method,
    suffix: suffixOf(request.rawPath),
    query,
    headers,
    isReserved: (name) => reserved.isReserved(name),
    extraHeaders: [[reserved.nameOf('trace-id'), request.traceId]],
    body: request.body,
    ownHosts: ownHosts(request, publicUrl),
  };
}

/** Reads a request to the ephemeral proxy. */
export function proxyRequest(request: ApiRequest, names: Names): ProxyRequest & NamedDestination {
  const { reserved } = request;
  const { extraHeaders, ...forwarded } = forwardedRequest(request, request.rawQuery, names);
  const ofConnection = [
    ['Keep-Alive', reserved.get('proxy-keep-alive')],
    ['Connection', reserved.get('proxy-connection')],
  ] as const;
  const isBare = makesNoPage(request, names.headerPrefixes);
  const sent = ofConnection.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return {
    ...forwarded,
    extraHeaders: [...sent, ...extraHeaders, ...(isBare ? [['Accept-Encoding', 'identity'] as const] : [])],
    destination: reserved.get('proxy-url'),
    destinationHeader: reserved.nameOf('proxy-url'),
  };
}

/** A call through a stored proxy. Throws `validation_failed` for headers of the ephemeral one. */
export function proxyCall(request: ApiRequest, names: Names): ProxyCall {
  const { headerPrefixes, publicUrl } = names;
  const { reserved, remainingMs } = request;
  // The fields of a connection can make others disappear on the way.
  for (const name of ['proxy-url', 'proxy-connection', 'proxy-keep-alive'] as const)
    if (reserved.get(name) !== undefined)
      throw invalid(reserved.nameOf(name), 'is not for a stored proxy, whose callers do not decide it');
  const forwarded = forwardedRequest(request, withoutProxyKey(request.rawQuery, headerPrefixes), names);
  const baseUrl = publicUrl ?? request.baseUrl;
  const query = request.rawQuery === '' ? '' : `?${request.rawQuery}`;
  return {
    ...forwarded,
    remainingMs,
    traceId: request.traceId,
    url: `${baseUrl}/proxy${forwarded.suffix}${query}`,
    service: { baseUrl, headerPrefix: headerPrefixes[0] ?? '' },
  };
}
