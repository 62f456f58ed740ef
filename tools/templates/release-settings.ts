/** A region for settings that need one. */
const REGION = 'eu-west-1';
const DOMAIN = {
  domainName: 'vault.example.com',
  certificateArn: `arn:aws:acm:${REGION}:123456789012:certificate/x`,
};
const EDGE = {
  ...DOMAIN,
  edge: 'cloudfront-waf',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
  deployment: 'canary',
};

export interface ReleaseSettings {
  readonly settings: Readonly<Record<string, string>>;
  readonly region: string;
}

const of = (settings: Readonly<Record<string, string>>, region = REGION): ReleaseSettings => ({
  settings,
  region,
});

/**
 * The settings under which the templates of a release are stored, and compared with those of today.
 * Together they change every resource that a setting can change.
 */
export const RELEASE_SETTINGS: Readonly<Record<string, ReleaseSettings>> = {
  default: of({}),
  name: of({ ...EDGE, serviceName: 'A-name-of-forty-letters-and-digits-01234' }),
  region: of(EDGE, 'us-east-1'),
  lenient: of({ clientCompatibility: 'lenient', headerPrefixes: 'SVC,ACME' }),
  x86: of({ architecture: 'x86_64', hotConcurrency: '0' }),
  domain: of(DOMAIN),
  edge: of(EDGE),
  canary: of({ deployment: 'canary' }),
  watched: of({ alarmEmail: 'on-call@example.com', logRetentionDays: '30' }),
  console: of({
    ...DOMAIN,
    console: 'console.example.com',
    consoleCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/y',
    consoleNetworks: '203.0.113.0/24,2001:db8::/32',
  }),
  fields: of({
    ...DOMAIN,
    fields: 'fields.example.net',
    fieldsCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/z',
    fieldsOrigins: 'https://shop.example.com,https://other.example.com=0195b0a0-0000-7000-8000-000000000001',
  }),
  warm: of({ warmThroughput: '10000', throttleRate: '10000' }),
};
