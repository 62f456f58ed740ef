// Tests what holds for every site of static files: the console, and card fields.
import { siteStackName, SITES } from '../../lib/deployment-names.ts';
import { aStaticSite } from '../support/a-static-site.ts';
import { CONSOLE, DOMAIN, FIELDS, synthesized } from '../support/synthesized.ts';

const REGION = 'eu-west-1';
const SETTINGS = { Console: { ...DOMAIN, ...CONSOLE }, Fields: { ...DOMAIN, ...FIELDS } };
const ADDRESSES = {
  Console: [CONSOLE.console, CONSOLE.consoleCertificateArn],
  Fields: [FIELDS.fields, FIELDS.fieldsCertificateArn],
};

describe.each(SITES)('the stack of a site: %s', (site) => {
  const stacks = synthesized(SETTINGS[site], REGION);
  const name = siteStackName('Cloakroom', site, REGION);
  const { template, resources, ofType, only } = aStaticSite(stacks, name);
  const distribution = only('AWS::CloudFront::Distribution');
  const config = distribution.properties.DistributionConfig;

  it('does not exist without the setting, and changes no other stack but the alarm of its certificate', () => {
    const [, certificate] = ADDRESSES[site];
    const changed = JSON.stringify(stacks.filter((stack) => stack.name !== name));
    const without = JSON.stringify(synthesized(DOMAIN, REGION));
    expect(changed.replace(`,"${certificate}"`, '')).toBe(without);
    expect(resources).not.toEqual([]);
  });

  it('does not change with the other site', () => {
    const both = synthesized({ ...DOMAIN, ...CONSOLE, ...FIELDS }, REGION);
    expect(aStaticSite(both, name).template).toEqual(template);
  });

  it('refers to no other stack, and has no exports', () => {
    const text = JSON.stringify(template);
    for (const reference of ['Fn::GetStackOutput', 'Fn::ImportValue', '"Export"'])
      expect(text).not.toContain(reference);
  });

  it('needs the Region of the service, which its name has', () => {
    expect(() => synthesized(SETTINGS[site])).toThrow(`setting ${site.toLowerCase()} needs a region`);
  });

  it('retains nothing: its deletion empties and deletes the bucket', () => {
    expect(resources.filter(({ deletion }) => deletion?.startsWith('Retain') === true)).toEqual([]);
    expect(only('Custom::S3AutoDeleteObjects').properties.BucketName).toEqual({
      Ref: only('AWS::S3::Bucket').id,
    });
    // Versions of files would prevent its deletion.
    expect(only('AWS::S3::Bucket').properties).not.toHaveProperty('VersioningConfiguration');
  });

  it('leaves no log: all functions write that of the stack, and may create no other', () => {
    const log = { Ref: only('AWS::Logs::LogGroup').id };
    expect(ofType('AWS::Lambda::Function').map(({ properties }) => properties.LoggingConfig)).toEqual([
      { LogGroup: log },
      { LogGroup: log },
    ]);
    const text = JSON.stringify(resources);
    expect(text).not.toContain('AWSLambdaBasicExecutionRole');
    expect(text).not.toContain('logs:CreateLogGroup');
  });

  it('has its files in a bucket that is not public', () => {
    const { PublicAccessBlockConfiguration, BucketEncryption } = only('AWS::S3::Bucket').properties;
    expect(PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(BucketEncryption.ServerSideEncryptionConfiguration).toHaveLength(1);
  });

  it('has files that this distribution alone reads, and only encrypted in transit', () => {
    const { Statement } = only('AWS::S3::BucketPolicy').properties.PolicyDocument;
    const allowed = Statement.filter(({ Effect }: any) => Effect === 'Allow');
    const readers = allowed.filter(({ Action }: any) => Action === 's3:GetObject');
    expect(readers).toMatchObject([{ Principal: { Service: 'cloudfront.amazonaws.com' } }]);
    expect(JSON.stringify(readers[0].Condition)).toContain(`"Ref":"${distribution.id}"`);
    // Only the role that empties the bucket is also named.
    expect(allowed).toHaveLength(2);
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Action: 's3:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
    const [origin] = config.Origins;
    expect(origin.S3OriginConfig).toEqual({ OriginAccessIdentity: '' });
    expect(origin.OriginAccessControlId).toEqual({ 'Fn::GetAtt': [expect.any(String), 'Id'] });
    expect(only('AWS::CloudFront::OriginAccessControl').properties.OriginAccessControlConfig).toMatchObject({
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    });
  });

  it('is served over HTTPS with TLS 1.2 or newer, at the address of the setting', () => {
    const [domain, certificate] = ADDRESSES[site];
    expect(config).toMatchObject({
      Aliases: [domain],
      HttpVersion: 'http2and3',
      ViewerCertificate: { AcmCertificateArn: certificate, MinimumProtocolVersion: 'TLSv1.2_2021' },
      DefaultCacheBehavior: { AllowedMethods: ['GET', 'HEAD'], ViewerProtocolPolicy: 'https-only' },
    });
  });

  it('sends its headers with every file, and lets browsers use only HTTPS for two years', () => {
    const { id, properties } = only('AWS::CloudFront::ResponseHeadersPolicy');
    expect(config).not.toHaveProperty('CacheBehaviors');
    expect(config.DefaultCacheBehavior.ResponseHeadersPolicyId).toEqual({ Ref: id });
    const { SecurityHeadersConfig } = properties.ResponseHeadersPolicyConfig;
    expect(SecurityHeadersConfig.StrictTransportSecurity).toEqual({
      AccessControlMaxAgeSec: 63_072_000,
      IncludeSubdomains: true,
      Override: true,
    });
  });

  it('uploads each file once, what others refer to first', () => {
    const uploads = ofType('Custom::CDKBucketDeployment');
    const [assets, ...others] = uploads.map(({ properties }) => properties);
    expect(assets).toMatchObject({
      Exclude: ['*'],
      Include: ['assets/*'],
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
    });
    expect(others.find(({ Include }) => Include === undefined).Exclude).toEqual([
      'assets/*',
      ...others.flatMap(({ Include = [] }) => Include),
    ]);
    for (const [index, { dependsOn }] of uploads.entries())
      expect(dependsOn).toEqual(index === 0 ? [] : expect.arrayContaining([uploads[index - 1]?.id]));
  });

  it('has names that are unique in the account, as those of CloudFront must be', () => {
    const names = [
      only('AWS::CloudFront::ResponseHeadersPolicy').properties.ResponseHeadersPolicyConfig.Name,
      only('AWS::CloudFront::OriginAccessControl').properties.OriginAccessControlConfig.Name,
    ];
    expect(names).toEqual([name, name]);
    const longest = siteStackName('a'.repeat(40), site, 'ap-southeast-1');
    expect(longest.length).toBeLessThanOrEqual(64);
  });
});
