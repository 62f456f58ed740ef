import { isForbiddenAddress } from '../../../src/core/egress/is-forbidden-address.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';

const FORBIDDEN = [
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '169.254.170.2',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...[
    '192.0.0.1',
    '192.0.2.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '::8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:10::1',
    '2001:db8::1',
    '2002:808:808::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ],
  ...['', 'example.com', '1.2.3', '1.2.3.4.5', '8.8.8.8 ', '::g'],
];

describe('a forbidden address', () => {
  it.each(FORBIDDEN)('includes %s', (address) => expect(isForbiddenAddress(address)).toBe(true));

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
  ])('does not include %s', (address) => expect(isForbiddenAddress(address)).toBe(false));

  it('includes every IPv4 address inside an IPv6 one', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) =>
        [`::ffff:${address}`, `64:ff9b::${address}`, `::${address}`].every(isForbiddenAddress),
      ),
    );
  });
});
