/** Spellings of addresses that the service must never connect to. */
const HOSTILE_HOSTS: readonly string[] = [
  ...[
    'localhost',
    'localhost.',
    'LOCALHOST',
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0',
    '0.0.0.0',
    '127.0.0.1.',
    '%6c%6f%63%61%6c%68%6f%73%74',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...[
    '169.254.169.254',
    '169.254.170.2',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '224.0.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '1',
    'a..b',
    '-a.example',
    'exa mple.com',
    'example.com:8443',
    'example.com:80',
    'user@example.com',
    'user:pass@example.com',
    'example.com\\@127.0.0.1',
    'example.com#@127.0.0.1',
  ],
];
const PREFIXES = ['https://', 'HTTPS://', 'http://', 'https:', 'https:///'];

/** URLs of destinations that the proxy must reject. */
export const HOSTILE_URLS: readonly string[] = HOSTILE_HOSTS.flatMap((host) =>
  PREFIXES.map((prefix) => `${prefix}${host}`),
);

/** URLs with spellings of this machine and of other networks, on a port where a server listens. */
export const hostileUrlsOn = (port: number): readonly string[] =>
  HOSTILE_HOSTS.slice(3, 33)
    .filter((host) => !host.startsWith('%'))
    .map((host) => `https://${host}:${String(port)}/`);

/** Spells a URL as a header has it, which is ASCII. */
export const headerOf = (url: string): string =>
  encodeURI(url).replaceAll('%25', '%').replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%5C', '\\');
