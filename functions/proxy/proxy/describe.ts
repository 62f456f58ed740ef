import { PROXY_LIMITS } from '../../../src/core/proxy-expressions/forward.ts';
import type { OperationDescription } from '../../../src/wire/operation-description.ts';
import { duration, megabytes } from '../../../src/wire/words.ts';

/**
 * The proxy has no body of its own to describe: it forwards the request and returns the
 * destination's response.
 */
export const description: OperationDescription = {
  sdk: 'proxy',
  recorded: 'nothing',
  does: 'Forwards the request with plaintext in place of expressions; see [the proxy](#the-ephemeral-proxy) and [stored proxies](#stored-proxies)',
  tag: 'Proxy',
  summary: 'Forward a request',
  description:
    "With the key of a stored proxy in `SVC-PROXY-KEY` (or in the query parameter `svc-proxy-key`): sends the request to the destination of the proxy, through its transforms. Otherwise sends it to the destination in `SVC-PROXY-URL`. Both with the path after `/proxy` and the query appended. Detokenization expressions (`{{ <token id> }}`) in the body, query values and headers are filled in, encoded for their place. The destination's response is returned byte for byte, with the address of a redirect in `SVC-PROXY-LOCATION`; without the header `SVC-PROXY-DESTINATION-STATUS` the failure is the proxy's own.",
  parameters: { suffix: 'Appended to the path of the destination; it may contain slashes.' },
  response: { description: "The destination's response, whatever its status." },
  failures: {
    400: 'A bad expression, an unknown token, a destination or a path that is not allowed. `transform_failed`: a request transform of the stored proxy failed, and nothing was sent.',
    401: 'The API key or the key of the proxy is missing, unknown, revoked or expired, or the request is not signed as the proxy expects.',
    403: 'The request is for the script of a worker. The stored proxy does not admit the method, the path or the address. Only private applications and sessions with `token:use` may call the proxy, and only with tokens that the permission covers by a rule without `through`, or with one that names the stored proxy. Or the tenant has turned the ephemeral proxy off.',
    408: `The destination exceeded ${duration(PROXY_LIMITS.timeoutMs)}.`,
    409: 'The application of the stored proxy does not exist any more; or the same signed delivery is still running.',
    424: '`transform_failed`: a response transform of the stored proxy failed on an answer with a 2xx, or does not run for its status. For other statuses, the status is that of the destination.',
    502: `The destination is unreachable, has no valid certificate, or encoded its answer to a stored proxy, or returned more than ${megabytes(PROXY_LIMITS.bodyMaxBytes)}.`,
  },
};
