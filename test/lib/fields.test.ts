import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fieldsConfig } from '../../lib/fields-files.ts';
import { parseSettings } from '../../lib/settings.ts';
import { fieldsHeaders, originOf } from '../../packages/fields/headers.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { aStaticSite } from '../support/a-static-site.ts';
import { DOMAIN, FIELDS, synthesized } from '../support/synthesized.ts';

const SETTINGS = { ...DOMAIN, ...FIELDS };
const TENANT = '0195b0a0-0000-7000-8000-000000000001';
const { template, ofType, only, headers } = aStaticSite(
  synthesized(SETTINGS, 'eu-west-1'),
  'Cloakroom-Fields-eu-west-1',
);
const uploads = ofType('Custom::CDKBucketDeployment').map(({ properties }) => properties);

/** The policy that frames have under some settings, by its directives. */
function directivesUnder(settings: Readonly<Record<string, unknown>>): readonly (readonly string[])[] {
  const { 'Content-Security-Policy': policy = '' } = fieldsHeaders(fieldsConfig(parseSettings(settings)));
  // Browsers split a policy at these characters (CSP 3, 2.2.1; a comma separates policies).
  return policy.split(/[;,]/).map((directive) => directive.trim().split(/[\t\n\f\r ]+/));
}

describe('the files of card fields', () => {
  it('stay for ever once a page may have pinned them: no upload deletes any', () => {
    expect(uploads).toHaveLength(3);
    for (const { Prune, RetainOnDelete } of uploads) {
      expect(Prune).toBe(false);
      // The default retains what an upload has written, if CloudFormation replaces the upload.
      expect(RetainOnDelete).toBeUndefined();
    }
    expect(JSON.stringify(template)).not.toContain('LifecycleConfiguration');
  });

  it('are cached as their names allow: the frame never, the newest script for minutes', () => {
    const cached = uploads.map(({ Include = [], SystemMetadata }) => [
      Include.join(),
      SystemMetadata['cache-control'],
    ]);
    expect(cached).toEqual([
      ['assets/*', 'public, max-age=31536000, immutable'],
      ['', 'no-cache'],
      ['fields.js', 'public, max-age=300'],
    ]);
  });

  it('may be read by everyone: there is no firewall', () => {
    const { DistributionConfig: config } = only('AWS::CloudFront::Distribution').properties;
    expect(config).not.toHaveProperty('WebACLId');
    expect(ofType('AWS::WAFv2::WebACL')).toEqual([]);
  });

  it('have the address and the checksum of their script among the outputs', () => {
    expect(template?.Outputs).toMatchObject({
      FieldsDomain: { Value: { 'Fn::GetAtt': [only('AWS::CloudFront::Distribution').id, 'DomainName'] } },
      FieldsScript: { Value: expect.stringMatching(/^https:\/\/fields\.example\.net\/assets\//) },
      FieldsIntegrity: { Value: expect.any(String) },
    });
  });
});

describe('the headers of card fields', () => {
  it('are those of the shared module, for the domain of the API', () => {
    expect(headers()).toEqual(fieldsHeaders(fieldsConfig(parseSettings(SETTINGS))));
  });

  it('let a page read a script that it has a checksum of, without its cookies', () => {
    const { CorsConfig } = only('AWS::CloudFront::ResponseHeadersPolicy').properties
      .ResponseHeadersPolicyConfig;
    expect(CorsConfig).toMatchObject({
      AccessControlAllowOrigins: { Items: ['*'] },
      AccessControlAllowCredentials: false,
      OriginOverride: true,
    });
  });

  it('let a frame be embedded by the listed origins alone, and call the API alone', () => {
    const policy = headers()['Content-Security-Policy']?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        'connect-src https://vault.example.com',
        'frame-ancestors https://shop.example.com https://other.example.com',
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(headers()).not.toHaveProperty('X-Frame-Options');
  });

  it('are few enough for CloudFront, which sends ten of names that it does not know', () => {
    const { CustomHeadersConfig } = only('AWS::CloudFront::ResponseHeadersPolicy').properties
      .ResponseHeadersPolicyConfig;
    expect(CustomHeadersConfig.Items.length).toBeLessThanOrEqual(10);
  });
});

describe('the config of card fields', () => {
  it('has the API, the first prefix, the origins with their tenants, and whether digits are shown', () => {
    const settings = parseSettings({ ...SETTINGS, headerPrefixes: 'ACME,SVC', fieldsDigits: 'true' });
    expect(fieldsConfig(settings)).toEqual({
      apiUrl: 'https://vault.example.com',
      headerPrefix: 'ACME',
      origins: ['https://shop.example.com', `https://other.example.com=${TENANT}`],
      digits: true,
    });
  });
});

describe('the settings of card fields', () => {
  it.each([
    [{ domainName: '', certificateArn: '' }, 'setting domainName is needed with card fields'],
    [{ fieldsCertificateArn: '' }, 'setting fieldsCertificateArn is needed with card fields'],
    [{ fieldsOrigins: '' }, 'setting fieldsOrigins is needed with card fields'],
    [{ fields: DOMAIN.domainName }, 'setting fields must differ from domainName'],
    [{ fields: 'Vault.example.com' }, 'setting fields must differ from domainName'],
    [
      { fields: 'console.example.com', console: 'console.example.com' },
      'setting fields must differ from console',
    ],
    [{ fields: 'not a domain' }, 'setting fields must be a domain name'],
    [
      { fieldsCertificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/z' },
      'setting fieldsCertificateArn must be the ARN of a certificate in us-east-1',
    ],
    [{ fieldsDigits: 'yes' }, 'setting fieldsDigits must be true or false'],
    [{ fieldsFonts: 'no/such/folder' }, 'setting fieldsFonts must be a folder with *.woff2 files'],
    [{ fieldsFonts: 'lib' }, 'setting fieldsFonts must be a folder with *.woff2 files'],
    [
      { fieldsOrigins: `https://shop.example.com,https://shop.example.com=${TENANT}` },
      'setting fieldsOrigins must name https://shop.example.com with a tenant or without',
    ],
  ])('rejects %j by name', (change, message) => {
    expect(() => parseSettings({ ...SETTINGS, ...change })).toThrow(message);
  });

  it('reject more origins than a policy of CloudFront has place for', () => {
    const origins = (count: number, host: string) =>
      Array.from({ length: count }, (_, at) => `https://${host}${String(at)}.example.com`);
    const parse = (fieldsOrigins: readonly string[]) => () => parseSettings({ ...SETTINGS, fieldsOrigins });
    expect(parse(origins(20, 'shop'))).not.toThrow();
    expect(parse(origins(21, 'shop'))).toThrow('setting fieldsOrigins must be at most 20');
    expect(parse(origins(20, `${'a'.repeat(60)}.s`))).toThrow(
      /^setting fieldsOrigins must be shorter: their policy has 19\d\d characters, and may have 1700$/,
    );
  });

  it.each([
    'https://shop.example.com/',
    'https://shop.example.com/pay',
    'https://Shop.example.com',
    'https://shop.example.com:443',
    'https://shop.example.com:0',
    'https://shop.example.com:65536',
    'https://shop.example.com.',
    'https://*.example.com',
    'https://*',
    'https://shop.example.com:*',
    'https://0x7f.1',
    'https://[::1]',
    'https://user@shop.example.com',
    'https://münchen.example',
    'http://shop.example.com',
    'http://localhost.example.com',
    'http://localhost:80',
    'http://localhost:3000/',
    'http://0.0.0.0:3000',
    'shop.example.com',
    '*',
    'null',
    "'self'",
    'data:',
    'https:',
    `https://shop.example.com=${TENANT.toUpperCase()}`,
    'https://shop.example.com=',
    'https://shop.example.com=shop',
    `https://shop.example.com=${TENANT}=${TENANT}`,
    'https://shop.example.com;script-src *',
    'https://sh;op.example.com',
    'https://sh,op.example.com',
    'https://sh op.example.com',
    'https://shop.example.com\n',
  ])('rejects the origin %j', (origin) => {
    expect(() => parseSettings({ fieldsOrigins: [origin] })).toThrow('setting fieldsOrigins.0 must be');
  });

  it.each([
    'https://shop.example.com',
    'https://shop.example.com:8443',
    'https://xn--mnchen-3ya.example',
    `https://shop.example.com=${TENANT}`,
    'http://localhost:3000',
    `http://localhost:3000=${TENANT}`,
    'http://127.0.0.1:3000',
    'http://localhost:*',
    'http://127.0.0.1:*',
  ])('accept the origin %j, and frames allow it', (origin) => {
    const { fieldsOrigins } = parseSettings({ fieldsOrigins: origin });
    expect(fieldsOrigins).toEqual([origin]);
    expect(directivesUnder({ fieldsOrigins: origin })).toContainEqual(['frame-ancestors', originOf(origin)]);
  });

  it('accept several tenants on one origin, which the policy names once', () => {
    const other = TENANT.replace(/1$/, '2');
    const fieldsOrigins = [TENANT, other].map((tenant) => `https://shop.example.com=${tenant}`);
    expect(directivesUnder({ fieldsOrigins })).toContainEqual([
      'frame-ancestors',
      'https://shop.example.com',
    ]);
  });

  it('accept a folder with fonts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fonts-'));
    try {
      writeFileSync(join(folder, 'text.woff2'), '');
      expect(parseSettings({ fieldsFonts: folder }).fieldsFonts).toBe(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('need no domain of the fields for the service on a laptop', () => {
    expect(parseSettings({ fieldsOrigins: 'http://localhost:*', fieldsDigits: true })).toMatchObject({
      fields: '',
      fieldsCertificateArn: '',
      fieldsOrigins: ['http://localhost:*'],
      fieldsDigits: true,
      fieldsFonts: '',
    });
    expect(parseSettings({})).toMatchObject({ fields: '', fieldsOrigins: [], fieldsDigits: false });
  });

  const names = directivesUnder({}).map(([name]) => name);
  const valid = fc.constantFrom(
    'https://shop.example.com',
    'http://localhost:*',
    `https://b.example=${TENANT}`,
  );
  const hostile = fc.constantFrom(
    ...';, \t\n\f\r\0"\'*/\\=%:.Aé\u00a0\u2028'.split(''),
    ...["'unsafe-inline'", 'script-src *', 'https:', 'data:', '; report-uri //a.example'],
  );
  const entry = fc.oneof(valid, fc.string({ unit: 'binary', maxLength: 40 }), {
    weight: 4,
    arbitrary: fc
      .tuple(valid, fc.nat(24), hostile)
      .map(([text, at, added]) => text.slice(0, at) + added + text.slice(at)),
  });

  it('never let the text of an origin add a directive or a source', () => {
    const seen = { accepted: 0, rejected: 0 };
    fc.assert(
      fc.property(fc.oneof(fc.array(entry, { minLength: 1, maxLength: 2 }), entry), (fieldsOrigins) => {
        let directives: ReturnType<typeof directivesUnder>;
        try {
          directives = directivesUnder({ fieldsOrigins });
        } catch {
          seen.rejected += 1;
          return;
        }
        seen.accepted += 1;
        expect(directives.map(([name]) => name)).toEqual(names);
        const [, ...sources] = directives.find(([name]) => name === 'frame-ancestors') ?? [];
        const allowed = parseSettings({ fieldsOrigins }).fieldsOrigins.map(originOf);
        expect(sources).toEqual(allowed.length === 0 ? ["'none'"] : [...new Set(allowed)]);
        const unchanged = directivesUnder({}).filter(([name]) => name !== 'frame-ancestors');
        expect(directives.filter(([name]) => name !== 'frame-ancestors')).toEqual(unchanged);
      }),
      { numRuns: cases(3_000) },
    );
    expect(Math.min(seen.accepted, seen.rejected)).toBeGreaterThan(0);
  });
});
