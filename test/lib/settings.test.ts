import { parseSettings, SETTING_NAMES, settingsSchema, type Settings } from '../../lib/settings.ts';

const ofOrigins = (message: string) =>
  [
    'nonsense_%%',
    'https://*.example.com',
    '*',
    'a@b',
    'psp.example.com/path',
    'ftp://psp.example.com',
    'psp.example.com:99999',
    'psp..example.com',
    '0x7f.1',
    'https://',
  ].map((value) => [value, message] as const);

/** Values that each setting refuses, with what the message must contain. */
const REFUSED: Readonly<Record<keyof Settings, readonly (readonly [value: unknown, message: string])[]>> = {
  serviceName: [['1st', 'letters, digits and hyphens']],
  headerPrefixes: [
    ['', 'must not be empty'],
    ['A-B', 'letters and digits'],
  ],
  clientCompatibility: [['Lenient', 'strict or lenient']],
  cvcLifetimeSeconds: [
    ['', 'whole number'],
    ['1.5', 'whole number'],
    ['0', 'at least 1'],
  ],
  egressAllowList: [
    [Array(20).fill(`${'a.'.repeat(50)}example.com`), 'at most 1,250 characters'],
    ...ofOrigins('without a path or a pattern'),
  ],
  proxyRedirects: [['none', "'told' or 'raw'"]],
  architecture: [['arm', 'arm64 or x86_64']],
  reactorImages: [
    ['', 'not be empty'],
    ['node18', 'node16 or node24'],
    ['node24,node24', 'an image twice'],
  ],
  reactorPackages: [['yes', 'none or allowed']],
  hotConcurrency: [
    ['', 'whole number'],
    ['-1', 'whole number'],
    ['101', 'at most 100'],
  ],
  hotInstances: [['2001', 'at most 2000']],
  reactorsPerTenant: [['0', 'at least 1']],
  deployment: [['blue-green', 'all-at-once or canary']],
  throttleRate: [['1e3', 'whole number']],
  throttleBurst: [['many', 'whole number']],
  edge: [['waf', 'none or cloudfront-waf']],
  edgeRateLimit: [['9', 'at least 10']],
  edgeKeyRateLimit: [['9', 'at least 10']],
  edgePublicKeyRateLimit: [['9', 'at least 10']],
  edgeSecretVersions: [['AWSCURRENT', 'ids of versions']],
  domainName: [
    ['https://vault.example.com', 'a domain name'],
    ['*.example.com', 'a domain name'],
  ],
  certificateArn: [
    ['arn:aws:acm:', 'the ARN of a certificate'],
    ['arn:aws:iam::111122223333:role/x', 'the ARN of a certificate'],
  ],
  console: [['console example.com', 'a domain name']],
  consoleCertificateArn: [['arn:aws:acm:us-east-1:', 'in us-east-1']],
  consoleNetworks: [['203.0.113.7', 'networks such as']],
  fields: [['https://fields.example.net', 'a domain name']],
  fieldsCertificateArn: [['arn:aws:acm:eu-west-1:111122223333:certificate/x', 'in us-east-1']],
  fieldsOrigins: [
    ['https://*.example.com', 'origins such as'],
    ['capacitor://localhost', 'origins such as'],
  ],
  fieldsDigits: [['yes', 'true or false']],
  fieldsFonts: [['no/such/folder', 'a folder with *.woff2 files']],
  docsUrl: [['http://docs.example.com', 'an https address']],
  alarms: [['few', 'basic or all']],
  alarmEmail: [['ops', 'an e-mail address']],
  alarmTopicArn: [
    ['arn:aws:sns:eu-west-1:111122223333:alarms.fifo', 'no FIFO topic'],
    ['alarms', 'the ARN of a topic'],
  ],
  alarmReveals: [['-1', 'whole number']],
  alarmSilence: [
    ['4', '0, or 5 to 1440'],
    ['1441', '0, or 5 to 1440'],
  ],
  concurrencyQuota: [['9', 'at least 10']],
  reservedConcurrency: [
    ['proxy', 'such as proxy=300'],
    ['proxies=0', 'at least 1 for proxies'],
    ['webhook-sender=1', 'at least 2 for webhook-sender'],
    ['Proxy=5', 'such as proxy=300'],
    ['constructor=5', 'constructor is none of applications, audit-sealer'],
    ['proxy=5,proxy=6', 'must name proxy once'],
    ['proxy=600,reactors=301', 'must leave 100 of concurrencyQuota (1000) to all other functions'],
  ],
  warmThroughput: [
    ['', 'whole number'],
    ['3999', '0, or 4000 to 40000'],
    ['40001', '0, or 4000 to 40000'],
  ],
  tableMaxWrites: [
    ['999', '0, or 1000 to 1000000'],
    ['-1', 'whole number'],
  ],
  keyRotationDays: [['0', 'at least 1']],
  auditRetentionDays: [['364', 'at least 365']],
  logRetentionDays: [
    ['', 'whole number'],
    ['8', 'one of 1, 3, 5'],
  ],
  backup: [['weekly', 'none or daily']],
  backupCopyTo: [['arn:aws:backup:eu-west-1:111122223333:plan:x', 'the ARN of a backup vault']],
  backupRetentionDays: [['0', 'at least 1']],
  tags: [
    ['team', 'tags such as team=payments'],
    ['aws:team=a', 'neither aws: nor cloakroom:'],
    ['cloakroom:tenant=a', 'neither aws: nor cloakroom:'],
    ['team=a,team=b', 'a name twice'],
    [`a=${'v'.repeat(99)},b=${'v'.repeat(98)}`, 'at most 200 characters'],
  ],
};

const problemOf = (name: string, value: unknown): string => {
  try {
    parseSettings({ [name]: value });
  } catch (error) {
    return String(error);
  }
  return 'accepted';
};

describe.each(SETTING_NAMES)('the setting %s', (name) => {
  it('refuses what it does not know, in words that name it and the form', () => {
    for (const [value, message] of REFUSED[name as keyof Settings]) {
      expect(problemOf(name, value)).toMatch(new RegExp(`setting ${name}\\S* must`));
      expect(problemOf(name, value)).toContain(message);
    }
    for (const value of ['nonsense_%%', {}, 0.5, null])
      expect(problemOf(name, value)).toMatch(new RegExp(`setting ${name}\\S* must`));
  });

  it('accepts its own default', () => {
    const defaults = settingsSchema.parse({});
    expect(parseSettings({ [name]: defaults[name as keyof Settings] })).toEqual(defaults);
  });
});

it.each([
  'localhost',
  'localhost:9777',
  'http://LOCALHOST:9777',
  '127.0.0.1:80',
  '[::1]:8443',
  'https://psp.example.com',
])('egressAllowList accepts %s', (origin) => {
  expect(parseSettings({ egressAllowList: ` ${origin} ,` }).egressAllowList).toEqual([origin]);
});

it('functions reserve all but 100 of the quota, of which a new account has 10, so that it allows none', () => {
  const reserve = (concurrencyQuota: number, reservedConcurrency: string) => () =>
    parseSettings({ concurrencyQuota, reservedConcurrency });
  expect(reserve(1_000, 'proxy=900')().reservedConcurrency).toEqual(['proxy=900']);
  expect(reserve(10, '')().reservedConcurrency).toEqual([]);
  expect(reserve(10, 'proxy=1')).toThrow('must leave 100 of concurrencyQuota (10)');
});

it('a table has at least the maximum that it serves from the start', () => {
  const most = (tableMaxWrites: number) => parseSettings({ warmThroughput: 5_000, tableMaxWrites });
  expect(most(5_000).tableMaxWrites).toBe(5_000);
  expect(() => most(4_999)).toThrow('setting tableMaxWrites must be at least warmThroughput (5000)');
});

it('an unknown setting is refused with the nearest name, or with all that there are', () => {
  expect(() => parseSettings({ alarmsEmail: 'ops@example.com' })).toThrow(
    'unknown setting alarmsEmail (did you mean alarmEmail?)',
  );
  expect(problemOf('nothing', 1)).toBe(
    `SettingsError: unknown setting nothing (there are: ${SETTING_NAMES.join(', ')})`,
  );
});
