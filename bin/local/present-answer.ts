import type { GatewayAnswer } from '../../packages/local-aws/src/gateway/gateway-answers.ts';

/**
 * An answer of the gateway's own in the form of the service's errors, so that clients are tested
 * against the contract; a 429 has `Retry-After`, as the edge sends it (docs/decisions/0006).
 */
export function presentAnswer({ status, headers, body }: GatewayAnswer): GatewayAnswer {
  const { message } = JSON.parse(body) as { readonly message: string };
  return {
    status,
    headers: { ...headers, ...(status === 429 && { 'retry-after': '1' }) },
    body: JSON.stringify({ title: message, status, message }),
  };
}
