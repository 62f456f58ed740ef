import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consoleHeaders } from '../../console/headers.ts';
import { parseSettings } from '../../lib/settings.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { CONSOLE, DOMAIN, synthesized } from '../support/synthesized.ts';

const REGION = 'eu-west-1';
const SETTINGS = { ...DOMAIN, ...CONSOLE };
const stacks = synthesized(SETTINGS, REGION);
const STACK = 'Cloakroom-Console-eu-west-1';

const resourcesOf = (all: readonly Stack[]) =>
  Object.entries(all.find(({ name }) => name === STACK)?.template.Resources ?? {}).map(([id, resource]) => ({
    id,
    type: resource.Type,
    properties: resource.Properties as any,
    deletion: resource.DeletionPolicy,
  }));
const ofType = (type: string, all: readonly Stack[] = stacks) =>
  resourcesOf(all).filter((each) => each.type === type);

function only(type: string, all: readonly Stack[] = stacks) {
  const [found, ...others] = ofType(type, all);
  if (found === undefined || others.length > 0) throw new Error(`${type}: ${String(others.length + 1)}`);
  return found.properties;
}

describe('the stack of the console', () => {
  it('does not exist without the setting, and changes no other stack', () => {
    const without = synthesized(DOMAIN, REGION);
    expect(stacks.filter(({ name }) => name !== STACK)).toEqual(without);
    expect(stacks.map(({ name }) => name)).toContain(STACK);
  });

  it('refers to no other stack, and has no exports', () => {
    const text = JSON.stringify(stacks.find(({ name }) => name === STACK));
    for (const reference of ['Fn::GetStackOutput', 'Fn::ImportValue', '"Export"'])
      expect(text).not.toContain(reference);
  });

  it('needs the Region of the service, which its name has', () => {
    expect(() => synthesized(SETTINGS)).toThrow('setting console needs a region');
  });

  it('retains nothing: its deletion empties and deletes the bucket', () => {
    const retained = resourcesOf(stacks).filter(({ deletion }) => deletion?.startsWith('Retain') === true);
    expect(retained).toEqual([]);
    expect(only('Custom::S3AutoDeleteObjects').BucketName).toEqual({ Ref: expect.stringMatching(/^Files/) });
    // Versions of files would prevent its deletion.
    expect(only('AWS::S3::Bucket')).not.toHaveProperty('VersioningConfiguration');
  });

  it('leaves no log: all functions write that of the stack, and may create no other', () => {
    const functions = ofType('AWS::Lambda::Function');
    const log = { Ref: ofType('AWS::Logs::LogGroup')[0]?.id };
    expect(functions.map(({ properties }) => properties.LoggingConfig)).toEqual([
      { LogGroup: log },
      { LogGroup: log },
    ]);
    const text = JSON.stringify(resourcesOf(stacks));
    expect(text).not.toContain('AWSLambdaBasicExecutionRole');
    expect(text).not.toContain('logs:CreateLogGroup');
  });
});

describe('the firewall of the console', () => {
  const addressesOf = (all: readonly Stack[]) =>
    ofType('AWS::WAFv2::IPSet', all).map(({ properties: { IPAddressVersion, Addresses, Scope } }) => [
      Scope,
      IPAddressVersion,
      Addresses,
    ]);

  it('blocks all requests but those of the networks', () => {
    const { DefaultAction, Rules, Scope } = only('AWS::WAFv2::WebACL');
    expect([Scope, DefaultAction]).toEqual(['CLOUDFRONT', { Block: {} }]);
    expect(addressesOf(stacks)).toEqual([
      ['CLOUDFRONT', 'IPV4', ['203.0.113.0/24']],
      ['CLOUDFRONT', 'IPV6', ['2001:db8::/32']],
    ]);
    const arns = ofType('AWS::WAFv2::IPSet').map(({ id }) => ({
      IPSetReferenceStatement: { Arn: { 'Fn::GetAtt': [id, 'Arn'] } },
    }));
    expect(Rules).toMatchObject([
      { Name: 'KnownNetworks', Action: { Allow: {} }, Statement: { OrStatement: { Statements: arns } } },
    ]);
  });

  it('has no empty set: AWS WAF accepts no rule with a choice of one', () => {
    const everyone = synthesized(
      { ...SETTINGS, consoleNetworks: '0.0.0.0/1,128.0.0.0/1', headerPrefixes: 'ACME,SVC' },
      REGION,
    );
    expect(addressesOf(everyone)).toEqual([['CLOUDFRONT', 'IPV4', ['0.0.0.0/1', '128.0.0.0/1']]]);
    const [{ Statement }] = only('AWS::WAFv2::WebACL', everyone).Rules;
    expect(Statement).toHaveProperty('IPSetReferenceStatement');
  });

  it('stores no samples of requests, and stands before the distribution', () => {
    const { Rules, VisibilityConfig } = only('AWS::WAFv2::WebACL');
    for (const { SampledRequestsEnabled } of [VisibilityConfig, Rules[0].VisibilityConfig])
      expect(SampledRequestsEnabled).toBe(false);
    const [{ id } = { id: '' }] = ofType('AWS::WAFv2::WebACL');
    expect(only('AWS::CloudFront::Distribution').DistributionConfig.WebACLId).toEqual({
      'Fn::GetAtt': [id, 'Arn'],
    });
  });
});

describe('the files of the console', () => {
  it('are in a bucket that is not public', () => {
    const { PublicAccessBlockConfiguration, BucketEncryption } = only('AWS::S3::Bucket');
    expect(PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(BucketEncryption.ServerSideEncryptionConfiguration).toHaveLength(1);
  });

  it('are read by this distribution alone, and only encrypted in transit', () => {
    const { Statement } = only('AWS::S3::BucketPolicy').PolicyDocument;
    const [{ id } = { id: '' }] = ofType('AWS::CloudFront::Distribution');
    const allowed = Statement.filter(({ Effect }: any) => Effect === 'Allow');
    const readers = allowed.filter(({ Action }: any) => Action === 's3:GetObject');
    expect(readers).toMatchObject([{ Principal: { Service: 'cloudfront.amazonaws.com' } }]);
    expect(JSON.stringify(readers[0].Condition)).toContain(`"Ref":"${id}"`);
    // Only the role that empties the bucket is also named.
    expect(allowed).toHaveLength(2);
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Action: 's3:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
    const [origin] = only('AWS::CloudFront::Distribution').DistributionConfig.Origins;
    expect(origin.S3OriginConfig).toEqual({ OriginAccessIdentity: '' });
    expect(origin.OriginAccessControlId).toEqual({ 'Fn::GetAtt': [expect.any(String), 'Id'] });
    expect(only('AWS::CloudFront::OriginAccessControl').OriginAccessControlConfig).toMatchObject({
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    });
  });

  it('are served over HTTPS with TLS 1.2 or newer, at the address of the setting', () => {
    const { DistributionConfig: config } = only('AWS::CloudFront::Distribution');
    expect(config).toMatchObject({
      Aliases: ['console.example.com'],
      DefaultRootObject: 'index.html',
      HttpVersion: 'http2and3',
      ViewerCertificate: {
        AcmCertificateArn: CONSOLE.consoleCertificateArn,
        MinimumProtocolVersion: 'TLSv1.2_2021',
      },
      DefaultCacheBehavior: { AllowedMethods: ['GET', 'HEAD'], ViewerProtocolPolicy: 'https-only' },
    });
  });

  it('are uploaded with the page last, and older ones are deleted', () => {
    const uploads = ofType('Custom::CDKBucketDeployment').map(({ properties }) => properties);
    const [assets, page] = uploads;
    expect(uploads).toHaveLength(2);
    expect(assets).toMatchObject({
      Exclude: ['*'],
      Include: ['assets/*'],
      Prune: true,
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
    });
    expect(page).toMatchObject({
      Exclude: ['assets/*'],
      Prune: true,
      SystemMetadata: { 'cache-control': 'no-cache' },
    });
    const { Resources = {} } = stacks.find(({ name }) => name === STACK)?.template ?? {};
    const [first, last] = ofType('Custom::CDKBucketDeployment').map(({ id }) => id);
    expect(Resources[last ?? '']).toMatchObject({ DependsOn: expect.arrayContaining([first]) });
  });

  it('are what the command makes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'console-'));
    try {
      execFileSync(process.execPath, ['tools/build-console.ts', folder]);
      expect(existsSync(join(folder, 'index.html'))).toBe(true);
      expect(readdirSync(join(folder, 'assets'))).not.toEqual([]);
      // The stack writes it.
      expect(existsSync(join(folder, 'config.json'))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the headers of the console', () => {
  /** All headers of the policy, by the names that browsers see. */
  function headersOf(): Readonly<Record<string, string>> {
    const { CustomHeadersConfig, SecurityHeadersConfig } = only(
      'AWS::CloudFront::ResponseHeadersPolicy',
    ).ResponseHeadersPolicyConfig;
    const { ContentSecurityPolicy, ContentTypeOptions, FrameOptions, ReferrerPolicy } = SecurityHeadersConfig;
    return {
      'Content-Security-Policy': ContentSecurityPolicy.ContentSecurityPolicy,
      'Referrer-Policy': ReferrerPolicy.ReferrerPolicy,
      'X-Content-Type-Options': ContentTypeOptions.Override ? 'nosniff' : '',
      'X-Frame-Options': FrameOptions.FrameOption,
      ...Object.fromEntries(CustomHeadersConfig.Items.map(({ Header, Value }: any) => [Header, Value])),
    };
  }

  it('are those of the shared module, for the domain of the API', () => {
    expect(headersOf()).toEqual(consoleHeaders('https://vault.example.com'));
    expect(
      only('AWS::CloudFront::Distribution').DistributionConfig.DefaultCacheBehavior.ResponseHeadersPolicyId,
    ).toEqual({ Ref: ofType('AWS::CloudFront::ResponseHeadersPolicy')[0]?.id });
  });

  it('let browsers use only HTTPS for two years', () => {
    const { SecurityHeadersConfig } = only(
      'AWS::CloudFront::ResponseHeadersPolicy',
    ).ResponseHeadersPolicyConfig;
    expect(SecurityHeadersConfig.StrictTransportSecurity).toEqual({
      AccessControlMaxAgeSec: 63_072_000,
      IncludeSubdomains: true,
      Override: true,
    });
  });

  it('allow the page its own scripts, its own origin and the API, and no frame', () => {
    const { 'Content-Security-Policy': policy = '' } = consoleHeaders('https://vault.example.com');
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self' https://vault.example.com",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it('have names that are unique in the account, as those of CloudFront must be', () => {
    const names = [
      only('AWS::CloudFront::ResponseHeadersPolicy').ResponseHeadersPolicyConfig.Name,
      only('AWS::CloudFront::OriginAccessControl').OriginAccessControlConfig.Name,
    ];
    expect(names).toEqual([STACK, STACK]);
    const longest = `${'a'.repeat(40)}-Console-ap-southeast-1`;
    expect(longest.length).toBeLessThanOrEqual(64);
  });
});

describe('the settings of the console', () => {
  it.each([
    [{ domainName: '', certificateArn: '' }, 'setting domainName is needed with a console'],
    [{ consoleCertificateArn: '' }, 'setting consoleCertificateArn is needed with a console'],
    [{ consoleNetworks: '' }, 'setting consoleNetworks is needed with a console'],
    [{ console: DOMAIN.domainName }, 'setting console must differ from domainName'],
    [{ console: 'not a domain' }, 'setting console must be a domain name'],
    [
      { consoleCertificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/y' },
      'setting consoleCertificateArn must be the ARN of a certificate in us-east-1',
    ],
    [{ consoleNetworks: '203.0.113.7' }, 'setting consoleNetworks.0 must be networks such as'],
    [{ consoleNetworks: '10.0.0.0/8,everyone' }, 'setting consoleNetworks.1 must be networks such as'],
    [{ consoleNetworks: '0.0.0.0/0' }, 'setting consoleNetworks.0 must not be /0'],
    [{ consoleNetworks: '::/0' }, 'setting consoleNetworks.0 must not be /0'],
    [{ consoleNetworks: Array(101).fill('10.0.0.0/8').join() }, 'setting consoleNetworks must be at most'],
  ])('rejects %j by name', (change, message) => {
    expect(() => parseSettings({ ...SETTINGS, ...change })).toThrow(message);
  });

  it('are not needed without a console', () => {
    expect(parseSettings({})).toMatchObject({
      console: '',
      consoleCertificateArn: '',
      consoleNetworks: [],
    });
  });
});
