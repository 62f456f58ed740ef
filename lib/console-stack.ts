import { Stack, type StackProps } from 'aws-cdk-lib';
import { CfnIPSet, CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { consoleHeaders } from '../console/headers.ts';
import { forwardCertificateEvents } from './certificate-events.ts';
import { acceptFindings } from './accept-findings.ts';
import { consoleFiles } from './console-files.ts';
import { FOR_EVER, HASHED, NO_ACCESS_LOG, StaticSite } from './constructs/static-site.ts';
import type { Settings } from './settings.ts';

export interface ConsoleStackProps extends StackProps {
  readonly settings: Settings;
  /** The Region of the service, where its alarms are. */
  readonly serviceRegion: string;
}

/** The console's page, for the networks that the setting names. It has no rights of its own. */
export class ConsoleStack extends Stack {
  constructor(scope: Construct, id: string, { settings, serviceRegion, ...props }: ConsoleStackProps) {
    super(scope, id, props);
    forwardCertificateEvents(this, settings.consoleCertificateArn, serviceRegion);
    new StaticSite(this, 'Default', {
      name: 'Console',
      domain: settings.console,
      certificateArn: settings.consoleCertificateArn,
      folder: consoleFiles(this, settings),
      uploads: [
        { id: 'Assets', only: HASHED, cacheControl: FOR_EVER },
        { id: 'Page', except: [HASHED], cacheControl: 'no-cache' },
      ],
      prune: true,
      headers: consoleHeaders(`https://${settings.domainName}`),
      logRetentionDays: settings.logRetentionDays,
      defaultRootObject: 'index.html',
      webAclArn: this.#firewall(settings).attrArn,
      findings: {
        'AwsSolutions-CFR1': 'The setting consoleNetworks says who reaches the page, wherever they are.',
      },
    });
  }

  /** Blocks every request from elsewhere, before CloudFront looks for a file. */
  #firewall({ consoleNetworks }: Settings): CfnWebACL {
    const sets = (['IPV4', 'IPV6'] as const).flatMap((version) => {
      const addresses = consoleNetworks.filter((network) => network.includes(':') === (version === 'IPV6'));
      if (addresses.length === 0) return [];
      const set = new CfnIPSet(this, version, { scope: 'CLOUDFRONT', ipAddressVersion: version, addresses });
      return [{ ipSetReferenceStatement: { arn: set.attrArn } }];
    });
    const [only, ...others] = sets;
    const visibility = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, 'Firewall', {
      scope: 'CLOUDFRONT',
      defaultAction: { block: {} },
      visibilityConfig: visibility('Firewall'),
      rules: [
        {
          name: 'KnownNetworks',
          priority: 1,
          action: { allow: {} },
          // AWS WAF charges for each rule, and accepts no statement `or` of one.
          statement: others.length === 0 && only !== undefined ? only : { orStatement: { statements: sets } },
          visibilityConfig: visibility('KnownNetworks'),
        },
      ],
    });
    acceptFindings(acl, {
      'PCI.DSS.321-WAFv2LoggingEnabled': `${NO_ACCESS_LOG} The metrics of the firewall count who was blocked.`,
    });
    return acl;
  }
}
