import { fc } from '../../test-kit/src/properties.ts';
import { isLoopbackHost } from '../src/loopback-host.ts';

describe('a Host header', () => {
  it.each([
    'localhost',
    'localhost:8787',
    'LocalHost:1',
    '127.0.0.1',
    '127.0.0.1:4566',
    '127.255.255.254:80',
    '[::1]',
    '[::1]:8787',
  ])('names this machine: %s', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  it.each([
    undefined,
    '',
    ':8787',
    'evil.example',
    'localhost.evil.example',
    'evil.localhost',
    'localhost.',
    'localhost@evil.example',
    'localhost:80:80',
    'localhost:x',
    '127.0.0.1.evil.example:80',
    '127.1',
    '127.0.0.256',
    '128.0.0.1',
    '0.0.0.0',
    '2130706433',
    '::1',
    '[::2]',
    '[::ffff:127.0.0.1]',
    ' localhost',
    'localhost, evil.example',
  ])('names another machine, or none: %j', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });

  it('names this machine by any address of 127.0.0.0/8 and any port, and by no domain', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.domain(), fc.nat(65_535), (address, domain, port) => {
        expect(isLoopbackHost(`${address}:${String(port)}`)).toBe(/^127\./.test(address));
        expect(isLoopbackHost(`${domain}:${String(port)}`)).toBe(false);
      }),
    );
  });
});
