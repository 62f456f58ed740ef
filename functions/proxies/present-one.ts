import type { Proxy } from '../../src/core/stored-proxies/stored-proxy.ts';
import type { RouteResult } from '../../src/http/route.ts';
import { presentProxy } from '../../src/wire/proxy.ts';

/** Builds the response about one proxy. */
export const presentOne = (proxy: Proxy): RouteResult => ({
  body: presentProxy(proxy),
  state: proxy.stored,
});
