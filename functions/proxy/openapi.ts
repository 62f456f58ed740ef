import { PROXY_LIMITS } from '../../src/core/proxy/forward.ts';
import type { DescribedOperation } from '../../src/http/openapi/operation.ts';
import { duration, megabytes } from '../../src/http/openapi/words.ts';

/**
 * Forwarding has no body of its own to describe: what comes is passed on, and so is what the
 * destination answers.
 */
export const proxy: Readonly<Record<string, DescribedOperation>> = {
  proxy: {
    tag: 'Proxy',
    summary: 'Forward a request',
    description:
      "Sends the request to the destination in `SVC-PROXY-URL`, with what follows `/proxy` in the path and the query appended. Detokenization expressions (`{{ <token id> }}`) in the body, query values and headers are filled in, encoded for where they stand. The destination's answer is returned byte for byte; without the header `SVC-PROXY-DESTINATION-STATUS` the failure is the proxy's own.",
    parameters: { suffix: 'Appended to the path of the destination; it may hold slashes.' },
    answer: { description: "The destination's answer, whatever its status." },
    failures: {
      400: 'A bad expression, an unknown token, or a destination that is not allowed.',
      403: 'Only private applications and sessions with `token:use` use the proxy, and only tokens that it covers.',
      408: `The destination took longer than ${duration(PROXY_LIMITS.timeoutMs)}.`,
      502: `The destination cannot be reached, has no valid certificate, or answered more than ${megabytes(PROXY_LIMITS.bodyMaxBytes)}.`,
    },
  },
};
