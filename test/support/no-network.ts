// Tests may connect to this machine only: a connection to any address but loopback fails the
// test that makes it.
import net from 'node:net';

type Connect = typeof net.Socket.prototype.connect;
const connect = Reflect.get(net.Socket.prototype, 'connect');

function hostOf(args: unknown[]): string | undefined {
  const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof first === 'object' && first !== null && 'host' in first) return String(first.host);
  return typeof args[1] === 'string' ? args[1] : undefined;
}

net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const host = hostOf(args) ?? 'localhost';
  // Names below `.example` do not resolve (RFC 2606): only a test's own resolver can return an
  // address.
  if (!['localhost', '127.0.0.1', '::1'].includes(host) && !host.endsWith('.example'))
    throw new Error(`network is off in tests: ${host}`);
  return Reflect.apply(connect, this, args);
} as Connect;
