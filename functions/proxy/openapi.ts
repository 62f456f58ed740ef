import { PROXY_LIMITS } from '../../src/core/proxy/forward.ts';
import type { DescribedOperation } from '../../src/wire/described-operation.ts';
import { duration, megabytes } from '../../src/wire/words.ts';

/**
 * The proxy has no body of its own to describe: it forwards the request and returns the
 * destination's response.
 */
export const proxy: Readonly<Record<string, DescribedOperation>> = {
  proxy: {
    tag: 'Proxy',
    summary: 'Forward a request',
    description:
      "Sends the request to the destination in `SVC-PROXY-URL`, with the path after `/proxy` and the query appended. Detokenization expressions (`{{ <token id> }}`) in the body, query values and headers are filled in, encoded for their place. The destination's response is returned byte for byte; without the header `SVC-PROXY-DESTINATION-STATUS` the failure is the proxy's own.",
    parameters: { suffix: 'Appended to the path of the destination; it may contain slashes.' },
    response: { description: "The destination's response, whatever its status." },
    failures: {
      400: 'A bad expression, an unknown token, or a destination that is not allowed.',
      403: 'Only private applications and sessions with `token:use` may call the proxy, and only with tokens that the permission covers by a rule without `through`. Or the tenant has turned the ephemeral proxy off.',
      408: `The destination exceeded ${duration(PROXY_LIMITS.timeoutMs)}.`,
      502: `The destination is unreachable, has no valid certificate, or returned more than ${megabytes(PROXY_LIMITS.bodyMaxBytes)}.`,
    },
  },
};
