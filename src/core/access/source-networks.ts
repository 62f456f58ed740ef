import ipaddr from 'ipaddr.js';

/** A key has at most so many networks. */
export const NETWORKS_MAX = 20;

const isOneSpelling = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));

/**
 * The reason why a text is no network of source addresses; `undefined` if it is one: an IPv4 or
 * IPv6 address, or such a network in CIDR notation without bits behind its prefix
 * (docs/contract.md#keys-of-an-application).
 */
export function networkProblem(text: string): string | undefined {
  const [address = '', prefix, ...others] = text.split('/');
  if (others.length > 0 || !isOneSpelling(address)) return 'must be an IPv4 or IPv6 address or network';
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv6' && (parsed as ipaddr.IPv6).isIPv4MappedAddress())
    return 'must be an IPv4 address or network: an IPv6 network contains no IPv4 address';
  if (prefix === undefined) return undefined;
  const bits = parsed.kind() === 'ipv4' ? 32 : 128;
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bits)
    return `must have a prefix of 0 to ${String(bits)} bits`;
  const network =
    parsed.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text);
  return network.toNormalizedString() === parsed.toNormalizedString()
    ? undefined
    : `must not have bits behind its prefix: ${network.toString()}/${prefix}`;
}

/** The form that is stored and shown: an address without a prefix is a network of one host. */
export function normalizedNetwork(text: string): string {
  const [address = '', prefix] = text.split('/');
  const parsed = ipaddr.parse(address);
  return `${parsed.toString()}/${prefix ?? (parsed.kind() === 'ipv4' ? '32' : '128')}`;
}

/**
 * Whether one of the networks contains an address. An IPv4 address in IPv6 is that IPv4 address.
 */
export function isWithin(networks: readonly string[], source: string): boolean {
  if (!ipaddr.isValid(source)) return false;
  const address = ipaddr.process(source);
  return networks.some((network) => {
    const range = ipaddr.parseCIDR(network);
    return range[0].kind() === address.kind() && address.match(range);
  });
}

/**
 * The network of an address: a whole IPv4 address, or the first 64 bits of IPv6, since one host may
 * use the rest freely. A text that is not an address is its own network.
 */
export function networkOf(source: string): string {
  if (!ipaddr.isValid(source)) return source;
  const address = ipaddr.process(source);
  if (address.kind() === 'ipv4') return address.toString();
  const groups = (address as ipaddr.IPv6).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
