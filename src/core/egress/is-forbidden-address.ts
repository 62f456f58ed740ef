import ipaddr from 'ipaddr.js';
import { madeOnce } from '../shared/made-once.ts';

/** Global unicast addresses of IPv6 (IANA). Every destination on the internet has one of these. */
const globalV6 = madeOnce(() => ipaddr.parseCIDR('2000::/3'));

/** Special ranges inside 2000::/3 that `ipaddr.js` reports as plain unicast. */
const specialV6 = madeOnce(() =>
  ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) => ipaddr.parseCIDR(range)),
);

/**
 * Whether an address is forbidden: Lambda's endpoints and any other special-purpose address (IANA
 * registries, RFC 6890), IPv4 in IPv6, text that is no address (docs/contract.md#destination).
 */
export function isForbiddenAddress(text: string): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return true;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return true;
  if (address.kind() === 'ipv4') return false;
  return !address.match(globalV6()) || specialV6().some((range) => address.match(range));
}
