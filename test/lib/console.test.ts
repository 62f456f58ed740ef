import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consoleHeaders } from '../../console/headers.ts';
import { parseSettings } from '../../lib/settings.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { aStaticSite } from '../support/a-static-site.ts';
import { CONSOLE, DOMAIN, synthesized } from '../support/synthesized.ts';

const REGION = 'eu-west-1';
const SETTINGS = { ...DOMAIN, ...CONSOLE };
const stacks = synthesized(SETTINGS, REGION);
const consoleOf = (all: readonly Stack[]) => aStaticSite(all, 'Cloakroom-Console-eu-west-1');
const { ofType, only, headers } = consoleOf(stacks);

describe('the firewall of the console', () => {
  const addressesOf = (all: readonly Stack[]) =>
    consoleOf(all)
      .ofType('AWS::WAFv2::IPSet')
      .map(({ properties: { IPAddressVersion, Addresses, Scope } }) => [Scope, IPAddressVersion, Addresses]);

  it('blocks all requests but those of the networks', () => {
    const { DefaultAction, Rules, Scope } = only('AWS::WAFv2::WebACL').properties;
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
    const [{ Statement }] = consoleOf(everyone).only('AWS::WAFv2::WebACL').properties.Rules;
    expect(Statement).toHaveProperty('IPSetReferenceStatement');
  });

  it('stores no samples of requests, and stands before the distribution', () => {
    const { Rules, VisibilityConfig } = only('AWS::WAFv2::WebACL').properties;
    for (const { SampledRequestsEnabled } of [VisibilityConfig, Rules[0].VisibilityConfig])
      expect(SampledRequestsEnabled).toBe(false);
    const { id } = only('AWS::WAFv2::WebACL');
    expect(only('AWS::CloudFront::Distribution').properties.DistributionConfig.WebACLId).toEqual({
      'Fn::GetAtt': [id, 'Arn'],
    });
  });
});

describe('the files of the console', () => {
  it('begin with the page', () => {
    const { DistributionConfig: config } = only('AWS::CloudFront::Distribution').properties;
    expect(config.DefaultRootObject).toBe('index.html');
  });

  it('are deleted by an upload of newer ones, and the page is never cached', () => {
    const uploads = ofType('Custom::CDKBucketDeployment').map(({ properties }) => properties);
    expect(uploads).toHaveLength(2);
    for (const { Prune } of uploads) expect(Prune).toBe(true);
    expect(uploads[1]).toMatchObject({
      Exclude: ['assets/*'],
      SystemMetadata: { 'cache-control': 'no-cache' },
    });
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
  it('are those of the shared module, for the domain of the API', () => {
    expect(headers()).toEqual(consoleHeaders('https://vault.example.com'));
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
