import type { RequestPlace } from '../../src/core/stored-proxies/change-proxy.ts';
import type { ApiRequest } from '../../src/http/api-request.ts';
import { ownHosts } from '../../src/http/own-hosts.ts';
import type { ProxiesDeps } from './dependencies.ts';

export const placeOf = (request: ApiRequest, { publicUrl }: ProxiesDeps): RequestPlace => ({
  traceId: request.traceId,
  ownHosts: ownHosts(request, publicUrl),
  isReserved: (name) => request.reserved.isReserved(name),
});
