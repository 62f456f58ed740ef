import ipaddr from 'ipaddr.js';
import { madeOnce } from '../shared/made-once.ts';

/** Global unicast addresses of IPv6 (IANA): no destination on the internet has another address. */
const globalV6 = madeOnce(() => ipaddr.parseCIDR('2000::/3'));

/** Special ranges inside 2000::/3 that `ipaddr.js` reports as plain unicast. */
const specialV6 = madeOnce(() =>
  ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) => ipaddr.parseCIDR(range)),
);

/**
 * Whether the service must not connect to an address: loopback, private, link-local (including the
 * metadata and runtime endpoints of Lambda), carrier-grade NAT, multicast, documentation,
 * benchmarking, reserved, unspecified, and IPv4 in any IPv6 form (docs/contract.md#destination;
 * IANA special-purpose address registries, RFC 6890). A text that is not an address is forbidden
 * too.
 */
export function isForbiddenAddress(text: string): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return true;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return true;
  if (address.kind() === 'ipv4') return false;
  return !address.match(globalV6()) || specialV6().some((range) => address.match(range));
}
