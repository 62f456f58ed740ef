import type { GatewayResponse } from '../../packages/local-aws/src/gateway/gateway-responses.ts';

/**
 * A response of the gateway itself in the form of the service's errors, so that clients are tested
 * against the contract. A 429 has `Retry-After`, as from the edge (docs/decisions/0006).
 */
export function presentResponse({ status, headers, body }: GatewayResponse): GatewayResponse {
  const { message } = JSON.parse(body) as { readonly message: string };
  return {
    status,
    headers: { ...headers, ...(status === 429 && { 'retry-after': '1' }) },
    body: JSON.stringify({ title: message, status, message }),
  };
}
