import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { EDGE_HEADER } from '../src/http/edge-secret.ts';
import { acceptFindings } from './accept-findings.ts';
import { forwardCertificateEvents } from './certificate-events.ts';
import { firewallRules, RESPONSE_BODIES, visibility } from './firewall-rules.ts';
import type { Settings } from './settings.ts';

/** Longest wait for the API, in seconds: longer than the gateway waits. */
const ORIGIN_SECONDS = 60;

export interface FirewallStackProps extends StackProps {
  readonly settings: Settings;
  /** The Region of the service, where its alarms are. */
  readonly serviceRegion: string;
}

/** AWS WAF in front of the edge. */
export class FirewallStack extends Stack {
  readonly arn: string;

  constructor(scope: Construct, id: string, { settings, serviceRegion, ...props }: FirewallStackProps) {
    super(scope, id, props);
    forwardCertificateEvents(this, settings.certificateArn, serviceRegion);
    const acl = new CfnWebACL(this, 'Firewall', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('Firewall'),
      customResponseBodies: RESPONSE_BODIES,
      rules: firewallRules(settings),
    });
    acceptFindings(acl, {
      'PCI.DSS.321-WAFv2LoggingEnabled':
        'Its log holds the headers of requests, API keys among them. The metrics of each rule tell what it does; the gateway logs every request without its headers.',
    });
    this.arn = acl.attrArn;
  }
}

export interface EdgeStackProps extends StackProps {
  readonly settings: Settings;
  readonly api: HttpApi;
  readonly firewallArn: string;
  /** Added to each request to the API, which accepts no others. */
  readonly secretValue: string;
}

/** CloudFront in front of the API, behind the firewall, at the service's own domain. */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    super(scope, id, props);
    const { settings, api, firewallArn, secretValue } = props;
    // Referenced by its id, which the alarms import too, so that no export disappears with the
    // edge.
    const host = `${api.apiId}.execute-api.${this.region}.${this.urlSuffix}`;
    const distribution = new Distribution(this, 'Edge', {
      comment: 'Cloakroom',
      domainNames: [settings.domainName],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', settings.certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: firewallArn,
      defaultBehavior: {
        origin: new HttpOrigin(host, {
          protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
          originSslProtocols: [OriginSslPolicy.TLS_V1_2],
          readTimeout: Duration.seconds(ORIGIN_SECONDS),
          customHeaders: { [EDGE_HEADER]: secretValue },
        }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        // Compression would make entity tags weak, which no condition takes.
        compress: false,
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      },
    });
    acceptFindings(distribution, {
      'AwsSolutions-CFR1': 'Whom a deployer serves is theirs to say; a rule in the firewall does it.',
      'AwsSolutions-CFR3':
        'Its log holds paths and queries, ids of tokens among them. The gateway logs every request by its route.',
    });
    new CfnOutput(this, 'EdgeDomain', {
      value: distribution.distributionDomainName,
      description: `Point ${settings.domainName} here (CNAME or alias)`,
    });
  }
}
