import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE_SETTINGS } from '../../tools/templates/release-settings.ts';

/** These settings include the edge. */
export const EDGE = {
  edge: 'cloudfront-waf',
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
};

/** The gateway alone has the domain. */
export const DOMAIN = {
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/x',
};

/** The console also needs a domain of the API. */
export const CONSOLE = {
  console: 'console.example.com',
  consoleCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/y',
  consoleNetworks: '203.0.113.0/24,2001:db8::/32',
};

/** Each of these settings reaches a variable of a function, and none has its default. */
export const ALL_CHANGED = {
  ...DOMAIN,
  edge: 'none',
  serviceName: 'Vault-3',
  architecture: 'x86_64',
  auditRetentionDays: 731,
  clientCompatibility: 'lenient',
  cvcLifetimeSeconds: 600,
  docsUrl: 'https://docs.example.com',
  egressAllowList: 'psp.example.com',
  headerPrefixes: 'SVC,OLD',
  reactorImages: 'node24',
  reactorPackages: 'allowed',
  hotConcurrency: 0,
  hotInstances: 7,
  reactorsPerTenant: 8,
  keyRotationDays: 30,
  proxyRedirects: 'raw',
  tags: 'team=payments',
};

/** All that the command line lays over an app that was built, each with another value. */
export const LAID = {
  headerPrefixes: 'BT,SVC',
  clientCompatibility: 'lenient',
  cvcLifetimeSeconds: '77',
  egressAllowList: 'localhost:3000,psp.example.com',
  proxyRedirects: 'raw',
  architecture: 'x86_64',
  reactorImages: 'node24,node16',
  reactorPackages: 'allowed',
  hotConcurrency: '3',
  hotInstances: '4',
  reactorsPerTenant: '5',
  throttleRate: '77',
  throttleBurst: '78',
  docsUrl: 'https://docs.example.com',
  keyRotationDays: '79',
  auditRetentionDays: '777',
  logRetentionDays: '731',
};

/** Card fields also need a domain of the API. */
export const FIELDS = {
  fields: 'fields.example.net',
  fieldsCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/z',
  fieldsOrigins: 'https://shop.example.com,https://other.example.com=0195b0a0-0000-7000-8000-000000000001',
};

/** These are versions of the secret of the edge. */
export const SECRETS = {
  next: 'a0000000-0000-4000-8000-000000000002',
  former: 'a0000000-0000-4000-8000-000000000001',
};

const REGION = 'eu-west-1';

/** An organisation sets its permissions boundary on all roles of an app. */
export const BOUNDED = [{}, null, { '@aws-cdk/core:permissionsBoundary': { name: 'OrgBoundary' } }] as const;

const assigned = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));

/** The copies are in another Region and account. */
export const BACKUP = {
  backup: 'daily',
  backupCopyTo: 'arn:aws:backup:eu-central-1:999999999999:backup-vault:copies',
  backupRetentionDays: 90,
};

/** These include each part of a deployment, and the settings that no stored template has. */
export const ALL_ON = {
  ...EDGE,
  ...CONSOLE,
  ...FIELDS,
  ...BACKUP,
  deployment: 'canary',
  fieldsDigits: true,
  edgeRateLimit: 5000,
  edgeKeyRateLimit: 70_000,
  edgePublicKeyRateLimit: 700,
  alarms: 'basic',
  alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:on-call',
  alarmReveals: 1_000,
  alarmSilence: 60,
  concurrencyQuota: 3000,
  reservedConcurrency: 'proxy=300,reactor-worker=50,reactors=200,webhook-sender=30',
  tableMaxWrites: 5_000,
  edgeSecretVersions: `${SECRETS.next},${SECRETS.former}`,
  tags: 'team=payments,cost center=42=a',
};

/** These settings have every alarm. */
export const WATCHED = { ...DOMAIN, ...BACKUP, alarmReveals: 200, alarmSilence: 60 };

/** Each setting that reaches a variable of a function has its longest value. */
export const LONGEST = {
  ...EDGE,
  serviceName: 'A-name-of-forty-letters-and-digits-01234',
  domainName: `${'a.'.repeat(115)}${'b'.repeat(23)}`,
  clientCompatibility: 'lenient',
  headerPrefixes: ['A', 'B', 'C', 'D', 'E'].map((letter) => letter.repeat(20)).join(),
  docsUrl: `https://docs.example.com/${'d'.repeat(175)}`,
  // They have 1,239 characters in all.
  egressAllowList: Array.from(
    { length: 20 },
    (_, at) => `${'c'.repeat(47)}.${'c'.repeat(9)}.c${String(10 + at)}`,
  ).join(),
  edgeSecretVersions: `${SECRETS.next},${SECRETS.former}`,
  // They have 200 characters in all.
  tags: `a=${'v'.repeat(98)},b=${'v'.repeat(97)}`,
};

/** Returns the settings of each `cdk deploy` of docs/guides/deploy.md, in the order of the page. */
export function guideSettings(): readonly Readonly<Record<string, string>>[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs/guides/deploy.md'), 'utf8');
  const files = new Map(
    [...text.matchAll(/^cat > (\w+)\.settings <<'END'\n(.*?)^END$/gms)].map(
      ([, name = '', lines = '']) => [name, assigned(lines)] as const,
    ),
  );
  return [...text.matchAll(/^npx cdk deploy --all \$\(settings (\w+)\)(.*)$/gm)].map(
    ([, name = '', more = '']) => ({ ...files.get(name), ...assigned(more) }),
  );
}

/**
 * The settings whose templates the tests read. The first request makes all of them, since loading
 * the CDK takes longer than all syntheses. Others work too, but load the CDK again.
 */
export const TEMPLATE_SETTINGS: readonly (readonly [
  settings: Readonly<Record<string, unknown>>,
  region: string | null,
])[] = [
  ...Object.values(RELEASE_SETTINGS).map(({ settings, region }) => [settings, region] as const),
  [{}, null],
  [{ headerPrefixes: 'SVC,ACME', throttleRate: '7', throttleBurst: 9 }, null],
  [{ warmThroughput: '4000' }, null],
  [{ warmThroughput: 10_000 }, null],
  [{ warmThroughput: 40_000 }, null],
  [{ alarmEmail: 'on-call@example.com' }, null],
  [{ deployment: 'canary' }, null],
  [DOMAIN, null],
  [{ architecture: 'x86_64', hotConcurrency: 0 }, REGION],
  [{ serviceName: 'Vault-2', alarmEmail: 'on-call@example.com' }, REGION],
  [EDGE, REGION],
  [{ ...EDGE, ...DOMAIN, edge: 'none' }, REGION],
  [ALL_CHANGED, null],
  [{ alarmTopicArn: ALL_ON.alarmTopicArn }, 'us-east-1'],
  [WATCHED, REGION],
  [{ serviceName: 'x'.repeat(23) }, REGION],
  [DOMAIN, 'us-east-1'],
  [LONGEST, REGION],
  [ALL_ON, REGION],
  [LAID, REGION],
  [LAID, null],
  ...(['strict', 'lenient'] as const).map((clientCompatibility) => [{ clientCompatibility }, null] as const),
  [{ ...EDGE, ...CONSOLE, ...FIELDS, ...BACKUP, serviceName: 'Shop-2', deployment: 'canary' }, REGION],
  [BACKUP, REGION],
  [{ ...DOMAIN, ...CONSOLE }, REGION],
  [{ ...DOMAIN, ...CONSOLE, ...FIELDS }, REGION],
  [DOMAIN, REGION],
  // A site needs a Region.
  ...[CONSOLE, FIELDS].map((site) => [{ ...DOMAIN, ...site }, null] as const),
  [{ ...DOMAIN, ...CONSOLE, consoleNetworks: '0.0.0.0/1,128.0.0.0/1', headerPrefixes: 'ACME,SVC' }, REGION],
  ...[`${SECRETS.next},${SECRETS.former}`, SECRETS.next].map(
    (edgeSecretVersions) => [{ ...EDGE, edgeSecretVersions }, REGION] as const,
  ),
  ...guideSettings().map((settings) => [settings, REGION] as const),
];

/** Contents that the version of a function depends on. */
export const VERSIONS: readonly (string | null)[] = [null, 'a', 'a', 'b'];

const PIPELINE = {
  repository: 'owner/cloakroom',
  connection: 'arn:aws:codeconnections:eu-west-1:111111111111:connection/x',
  testing: '111111111111/eu-west-1',
  production: '222222222222/eu-west-1',
};

/** The first input of a pipeline is valid. The others lack an owner, and a Region. */
export const PIPELINES = [
  PIPELINE,
  { ...PIPELINE, repository: 'cloakroom' },
  { ...PIPELINE, production: '222222222222' },
];
