import {
  isWithin,
  networkOf,
  networkProblem,
  normalizedNetwork,
} from '../../../src/core/access/source-networks.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const NO_ADDRESS = /must be an IPv4 or IPv6 address or network/;

describe('a network of source addresses', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:db8::', '2001:db8::/128'],
    ['2001:0DB8:0:0::/48', '2001:db8::/48'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
  ])('%s is %s', (text, stored) => {
    expect([networkProblem(text), normalizedNetwork(text)]).toEqual([undefined, stored]);
  });

  it.each([
    ['203.0.113.7/24', /bits behind its prefix: 203\.0\.113\.0\/24/],
    ['2001:db8::1/64', /bits behind its prefix: 2001:db8::\/64/],
    ['::ffff:203.0.113.7', /must be an IPv4 address/],
    ['::ffff:cb00:7107/120', /must be an IPv4 address/],
    ['0:0:0:0:0:ffff:203.0.113.0/120', /must be an IPv4 address/],
    ['203.0.113.0/33', /prefix of 0 to 32 bits/],
    ['203.0.113.0/', /prefix of 0 to 32 bits/],
    ['203.0.113.0/024', /prefix of 0 to 32 bits/],
    ['203.0.113.0/-1', /prefix of 0 to 32 bits/],
    ['2001:db8::/129', /prefix of 0 to 128 bits/],
    ['203.0.113.0/24/24', NO_ADDRESS],
    ['203.0.113', NO_ADDRESS],
    ['0x7f.0.0.1', NO_ADDRESS],
    ['010.0.0.1', NO_ADDRESS],
    ['3405803783', NO_ADDRESS],
    ['fe80::1%eth0', NO_ADDRESS],
    [' 203.0.113.7', NO_ADDRESS],
    ['[2001:db8::1]', NO_ADDRESS],
    ['example.com', NO_ADDRESS],
    ['', NO_ADDRESS],
  ])('%s is none', (text, problem) => {
    expect(networkProblem(text)).toMatch(problem);
  });

  it.each([
    [['203.0.113.0/24'], '203.0.113.255', true],
    [['203.0.113.0/24'], '203.0.114.0', false],
    [['203.0.113.0/24'], '::ffff:203.0.113.9', true],
    [['198.51.100.0/24', '203.0.113.7/32'], '203.0.113.7', true],
    [['::/0'], '203.0.113.7', false],
    [['::/0'], '::ffff:203.0.113.7', false],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['2001:db8::/32'], '2001:DB8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['0.0.0.0/0', '::/0'], 'unknown', false],
    [['0.0.0.0/0', '::/0'], '', false],
  ])('%j contains %s: %s', (networks, address, expected) => {
    expect(isWithin(networks, address)).toBe(expected);
  });

  it('contains an address exactly if their first bits are equal', () => {
    const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
    const number = ([a, b, c, d]: readonly number[]) =>
      ((a ?? 0) << 24) | ((b ?? 0) << 16) | ((c ?? 0) << 8) | (d ?? 0);
    fc.assert(
      fc.property(octets, octets, fc.integer({ min: 0, max: 32 }), (one, other, bits) => {
        const mask = bits === 0 ? 0 : -1 << (32 - bits);
        const start = number(one) & mask;
        const network = `${[24, 16, 8, 0].map((by) => (start >>> by) & 255).join('.')}/${String(bits)}`;
        expect(networkProblem(network)).toBeUndefined();
        expect(isWithin([network], other.join('.'))).toBe((number(other) & mask) === start);
        // A network is refused exactly if it has bits behind its prefix.
        const unmasked = `${one.join('.')}/${String(bits)}`;
        expect(networkProblem(unmasked) === undefined).toBe(number(one) === start);
      }),
      { numRuns: cases(200) },
    );
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the same for all texts of an address, and never an exception', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const whole = new URL(`http://[${address}]`).hostname.slice(1, -1);
        if (!address.includes('.')) expect(networkOf(address)).toBe(networkOf(whole));
        expect(networkOf(address)).toMatch(/^[\da-f]{1,4}(:[\da-f]{1,4}){3}::\/64$|^[\d.]+$/);
      }),
      { numRuns: cases(200) },
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[\da-f.:]{2,45}$/), (text) => {
        expect(networkOf(text).length).toBeGreaterThan(0);
      }),
      { numRuns: cases(200) },
    );
  });
});
