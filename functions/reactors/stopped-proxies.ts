import type { PinningProxy } from '../../src/core/reactors/proxy-pins.ts';
import type { RouteResult } from '../../src/http/route.ts';

/** The gateway accepts 10 KB of headers in all. */
const NAMED_MAX = 100;

/**
 * The header that names proxies whose code a change has replaced. A PATCH has no body to do so. It
 * ends with `...` if there are more.
 */
export function stoppedProxiesHeader(
  proxies: readonly PinningProxy[] = [],
): NonNullable<RouteResult['reservedHeaders']> {
  if (proxies.length === 0) return {};
  const ids = proxies.slice(0, NAMED_MAX).map(({ id }) => id);
  return { 'stopped-proxies': [...ids, ...(proxies.length > NAMED_MAX ? ['...'] : [])].join(',') };
}
