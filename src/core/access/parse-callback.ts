import { parseDestination, type EgressAllowList } from '../egress/destination.ts';
import { addressOf, PLAIN_PATH } from './callback-address.ts';

const ownOrigin = (text: string): EgressAllowList => (URL.canParse(text) ? [new URL(text).origin] : []);

/**
 * An address of `callbacks` in one spelling, or the problem of its text
 * (docs/contract.md#where-plaintext-may-go). Whether a deployment sends there is checked apart.
 */
export function parseCallback(text: string): { readonly address: string } | { readonly problem: string } {
  const parsed = parseDestination(text, { allowList: ownOrigin(text) });
  if (typeof parsed === 'string') return { problem: parsed };
  if (/[?#]/.test(text)) return { problem: 'must end with its path' };
  return PLAIN_PATH.test(parsed.url.pathname)
    ? { address: addressOf(parsed.url) }
    : { problem: 'must have a path of letters, digits, `-`, `_`, `.` and `~`' };
}

/**
 * The reason why nothing is ever sent to an address; `undefined` if it may be: by this deployment,
 * or by any.
 */
export function callbackProblem(address: string, allowList: EgressAllowList | 'any'): string | undefined {
  const parsed = parseDestination(address, {
    allowList: allowList === 'any' ? ownOrigin(address) : allowList,
  });
  return typeof parsed === 'string' ? parsed : undefined;
}
