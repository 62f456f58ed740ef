import type { WorkerSettings } from '../worker-settings.ts';
import { binding, methodOf, prototypeOf, type Binding } from './bindings.ts';
import {
  apply,
  dataProperty,
  defineProperty,
  includes,
  slice,
  toNumber,
  startsWith,
  type Method,
} from './primordials.ts';
import { EACCES } from './refusal.ts';

/**
 * `address` as the kernel parses it, in one spelling; `undefined` for anything else. Native, so
 * nothing that reactor code replaces affects it.
 */
const canonical = binding('cares_wrap')['canonicalizeIP'] as (address: string) => string | undefined;

/**
 * Prefixes of canonical addresses: this machine, and the link (Lambda's own services; RFC 3927, RFC
 * 4291, fd00:ec2::/32 of AWS, NAT64 of RFC 6052).
 */
const THIS_MACHINE = ['127.', '0.'] as const;
const THE_LINK = ['169.254.', 'fe8', 'fe9', 'fea', 'feb', 'fd00:ec2:', '64:ff9b:'] as const;
/** Multicast and broadcast, this machine included (RFC 5771, RFC 4291 2.7). */
const MANY_6 = ['ff'] as const;
/** IPv4 addresses are multicast or broadcast if their first number is this or higher. */
const MANY_4 = 224;
const MAPPED = '::ffff:';

function startsWithAny(text: string, prefixes: readonly string[]): boolean {
  for (let at = 0; at < prefixes.length; at += 1) if (startsWith(text, prefixes[at] ?? '')) return true;
  return false;
}

/** Contains the addresses that this machine has besides loopback. */
const ownAddresses: string[] = [];

function isThisMachine(address: string): boolean {
  if (address === '::1' || address === '::' || startsWithAny(address, THIS_MACHINE)) return true;
  for (let at = 0; at < ownAddresses.length; at += 1) if (ownAddresses[at] === address) return true;
  return false;
}

/**
 * The IPv4 address inside an IPv6 one (mapped, or compatible: RFC 4291 2.5.5), else the address
 * itself.
 */
function unmapped(address: string): string {
  if (startsWith(address, MAPPED)) return slice(address, MAPPED.length);
  const rest = startsWith(address, '::') ? slice(address, 2) : '';
  return rest !== '' && canonical(rest) !== undefined ? rest : address;
}

/** Multicast, and the reserved range above it. */
function isMany(address: string): boolean {
  if (includes(address, ':')) return startsWithAny(address, MANY_6);
  let first = 0;
  for (let at = 0; at < address.length && address[at] !== '.'; at += 1)
    first = first * 10 + toNumber(address[at]);
  return first >= MANY_4;
}

let localPorts: readonly number[] = [];

function isAdmitted(port: unknown): boolean {
  for (let at = 0; at < localPorts.length; at += 1) if (localPorts[at] === port) return true;
  return false;
}

/** Whether reactor code may connect to this address. Anything but an address is refused. */
function mayReach(address: unknown, port: unknown): boolean {
  if (typeof address !== 'string' || typeof port !== 'number') return false;
  // Only link-local addresses need a zone, and libuv truncates the text before it to 39 characters
  // when it connects, to 45 here.
  if (includes(address, '%')) return false;
  const known = canonical(address);
  if (known === undefined) return false;
  const plain = unmapped(known);
  if (isThisMachine(plain)) return isAdmitted(port);
  return !startsWithAny(plain, THE_LINK) && !isMany(plain);
}

function guard(owner: Binding, name: string, allows: (args: readonly unknown[]) => boolean): void {
  const original = methodOf(owner, name);
  owner[name] = function (this: unknown, ...args: unknown[]) {
    // `args` are own members of the guard's own array: the checked value is the one that is passed
    // on.
    return allows(args) ? apply(original, this, args) : EACCES;
  } satisfies Method;
}

const never = () => false;

/**
 * The lowest level that JavaScript can reach: every module that opens a connection (http, https,
 * http2, tls, net, dgram) uses these.
 */
export function guardNetwork(settings: WorkerSettings): void {
  ({ localPorts } = settings);
  const interfaces = binding('os')['getInterfaceAddresses'] as (context: object) => unknown[];
  const found = interfaces({}) as readonly string[];
  // Seven values an address (os.js of Node 16): name, address, netmask, family, hardware address,
  // internal, scope.
  for (let at = 1; at < found.length; at += 7) ownAddresses.push(found[at] ?? '');

  const tcp = prototypeOf('tcp_wrap', 'TCP');
  guard(tcp, 'connect', (args) => mayReach(args[1], args[2]));
  guard(tcp, 'connect6', (args) => mayReach(args[1], args[2]));
  // No peer could connect, and a file descriptor may be the loop's own connection.
  for (const name of ['listen', 'open']) guard(tcp, name, never);

  const udp = prototypeOf('udp_wrap', 'UDP');
  for (const name of ['connect', 'connect6']) guard(udp, name, (args) => mayReach(args[0], args[1]));
  for (const name of ['send', 'send6']) {
    // A connected socket has the arguments (request, buffers, count, hasCallback).
    guard(udp, name, (args) => args.length <= 4 || mayReach(args[4], args[3]));
  }
  for (const name of ['open', 'addMembership', 'addSourceSpecificMembership', 'setBroadcast'])
    guard(udp, name, never);

  const pipe = prototypeOf('pipe_wrap', 'Pipe');
  for (const name of ['connect', 'bind', 'listen', 'open', 'fchmod']) guard(pipe, name, never);

  guardNameServers();
}

/** c-ares and libc resolve names below all this; code could choose the servers of c-ares. */
function guardNameServers(): void {
  const channel = prototypeOf('cares_wrap', 'ChannelWrap');
  const original = methodOf(channel, 'setServers');
  channel['setServers'] = function (this: unknown, servers: unknown) {
    const named = servers as readonly (readonly unknown[])[];
    const list: unknown[] = [];
    for (let at = 0; at < named.length; at += 1) {
      const server = named[at];
      // Copied, because a getter may return another value the next time.
      const copy = [server?.[0], server?.[1], server?.[2]];
      if (!mayReach(copy[1], copy[2])) return EACCES;
      defineProperty(list, at, dataProperty(copy));
    }
    return apply(original, this, [list]);
  } satisfies Method;
}
