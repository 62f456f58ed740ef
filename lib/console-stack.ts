import { CfnOutput, CfnResource, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  type HeadersFrameOption,
  type HeadersReferrerPolicy,
  HttpVersion,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
  type ResponseSecurityHeadersBehavior,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl } from 'aws-cdk-lib/aws-s3-deployment';
import { CfnIPSet, CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { consoleHeaders } from '../console/headers.ts';
import { acceptFindings } from './accept-findings.ts';
import { EDGE_REGION } from './deployment-names.ts';
import { consoleFiles } from './console-files.ts';
import { logRetention } from './log-retention.ts';
import type { Settings } from './settings.ts';

export interface ConsoleStackProps extends StackProps {
  readonly settings: Settings;
}

/** Names of these files contain a hash of their content. All others may change at any time. */
const HASHED = 'assets/*';

const NO_ACCESS_LOG =
  'Behind it are static files without data. What a person does with the page is a request of the API, which its own log and the audit trail record. The metrics of the firewall count who was blocked.';

/** The CDK makes one function for all uploads of a stack, whose id begins so. */
const UPLOAD_FUNCTION = 'Custom::CDKBucketDeployment';
/** The CDK's function that empties the bucket when the stack is deleted. */
const EMPTIER = 'Custom::S3AutoDeleteObjectsCustomResourceProvider';
const UPLOADS =
  'The CDK writes the policy of its upload: it reads the files of a deployment, and lists, writes and deletes those of this bucket, which has nothing else.';

const UPLOAD_ROLE_FINDINGS = {
  'AwsSolutions-IAM5[Action::s3:GetBucket*]': UPLOADS,
  'AwsSolutions-IAM5[Action::s3:GetObject*]': UPLOADS,
  'AwsSolutions-IAM5[Action::s3:List*]': UPLOADS,
  'AwsSolutions-IAM5[Action::s3:Abort*]': UPLOADS,
  'AwsSolutions-IAM5[Action::s3:DeleteObject*]': UPLOADS,
  'AwsSolutions-IAM5[Resource::<Files8E6940B8.Arn>/*]': UPLOADS,
  [`AwsSolutions-IAM5[Resource::arn:aws:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-${EDGE_REGION}/*]`]:
    UPLOADS,
  'PCI.DSS.321-IAMNoInlinePolicy':
    'The policy is written for the one role that has it and must not be attached to another one.',
};

const ONLY_DEPLOYMENTS =
  'Only CloudFormation invokes it, while the stack is deployed or deleted, and reports what it returns.';

const UPLOAD_FUNCTION_FINDINGS = {
  'AwsSolutions-L1':
    'The CDK chooses the runtime of its own function, and an update of the CDK the next one.',
  'PCI.DSS.321-LambdaInsideVPC': ONLY_DEPLOYMENTS,
  'Serverless-LambdaDLQ': ONLY_DEPLOYMENTS,
  'Serverless-LambdaLatestVersion':
    'The CDK chooses the runtime of its own function, and an update of the CDK the next one.',
  'Serverless-LambdaTracing': ONLY_DEPLOYMENTS,
};

/** CloudFront accepts these headers as members of their own, and not by name. */
const SECURITY_HEADERS: Readonly<Record<string, (value: string) => ResponseSecurityHeadersBehavior>> = {
  'Content-Security-Policy': (contentSecurityPolicy) => ({
    contentSecurityPolicy: { contentSecurityPolicy, override: true },
  }),
  'Referrer-Policy': (value) => ({
    referrerPolicy: { referrerPolicy: value as HeadersReferrerPolicy, override: true },
  }),
  'X-Content-Type-Options': () => ({ contentTypeOptions: { override: true } }),
  'X-Frame-Options': (value) => ({
    frameOptions: { frameOption: value as HeadersFrameOption, override: true },
  }),
};

/** The console's page, for the networks that the setting names. It has no rights of its own. */
export class ConsoleStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: ConsoleStackProps) {
    super(scope, id, props);
    const bucket = this.#bucket();
    const distribution = new Distribution(this, 'Console', {
      comment: 'Cloakroom console',
      domainNames: [settings.console],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', settings.consoleCertificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: this.#firewall(settings).attrArn,
      defaultRootObject: 'index.html',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket, {
          // Names of CloudFront are unique in the account, and so is that of the stack.
          originAccessControl: new S3OriginAccessControl(this, 'Access', {
            originAccessControlName: this.stackName,
          }),
        }),
        allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.#headers(settings),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      },
    });
    acceptFindings(distribution, {
      'AwsSolutions-CFR1': 'The setting consoleNetworks says who reaches the page, wherever they are.',
      'AwsSolutions-CFR3': NO_ACCESS_LOG,
    });
    const logGroup = this.#logGroup(settings);
    this.#upload(settings, bucket, logGroup);
    this.#emptyWith(logGroup);
    new CfnOutput(this, 'ConsoleDomain', {
      value: distribution.distributionDomainName,
      description: `Point ${settings.console} here (CNAME or alias)`,
    });
  }

  #bucket(): IBucket {
    const bucket = new Bucket(this, 'Files', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      // The upload alone would leave the files when the whole stack is deleted: to it, the tags of
      // the bucket say that another upload still uses it.
      autoDeleteObjects: true,
    });
    acceptFindings(bucket, {
      'AwsSolutions-S1': NO_ACCESS_LOG,
      'PCI.DSS.321-S3BucketLoggingEnabled': NO_ACCESS_LOG,
      'PCI.DSS.321-S3BucketReplicationEnabled': 'A deployment makes the files again from the source.',
      'PCI.DSS.321-S3BucketVersioningEnabled':
        'A deployment makes the files of any version again. Versions would outlive their deletion, and a bucket that has some cannot be deleted.',
      'PCI.DSS.321-S3DefaultEncryptionKMS':
        'The files are part of the published source, without data and secrets. A KMS key would cost more than everything else here.',
    });
    // Bucket lacks the exact types of the optional members of IBucket.
    return bucket as IBucket;
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
    acceptFindings(acl, { 'PCI.DSS.321-WAFv2LoggingEnabled': NO_ACCESS_LOG });
    return acl;
  }

  #headers({ domainName }: Settings): ResponseHeadersPolicy {
    const headers = Object.entries(consoleHeaders(`https://${domainName}`));
    const security = headers.flatMap(([name, value]) => SECURITY_HEADERS[name]?.(value) ?? []);
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: this.stackName,
      securityHeadersBehavior: Object.assign({}, ...security, {
        strictTransportSecurity: {
          accessControlMaxAge: Duration.days(730),
          includeSubdomains: true,
          override: true,
        },
      }) as ResponseSecurityHeadersBehavior,
      customHeadersBehavior: {
        customHeaders: headers
          .filter(([name]) => !(name in SECURITY_HEADERS))
          .map(([header, value]) => ({ header, value, override: true })),
      },
    });
  }

  /** The log of the CDK's own functions. Their usual logs would outlive the stack. */
  #logGroup({ logRetentionDays }: Settings): LogGroup {
    const logGroup = new LogGroup(this, 'Log', {
      retention: logRetention(logRetentionDays),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    acceptFindings(logGroup, {
      'PCI.DSS.321-CloudWatchLogGroupEncrypted':
        'The log has names of files. The key of the service is in another Region.',
    });
    return logGroup;
  }

  /** Lets the function that empties the bucket write this log, and create no other one. */
  #emptyWith(logGroup: LogGroup): void {
    const provider = this.node.findChild(EMPTIER).node;
    const [role, handler] = [provider.findChild('Role'), provider.findChild('Handler')];
    if (!CfnResource.isCfnResource(role) || !CfnResource.isCfnResource(handler))
      throw new Error(`${EMPTIER} has another form in this version of the CDK`);
    role.addPropertyDeletionOverride('ManagedPolicyArns');
    const statement = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    role.addPropertyOverride('Policies', [
      { PolicyName: 'Log', PolicyDocument: new PolicyDocument({ statements: [statement] }) },
    ]);
    handler.addPropertyOverride('LoggingConfig', { LogGroup: logGroup.logGroupName });
  }

  /**
   * Uploads the files, the page after what it refers to, and deletes those of the version before.
   */
  #upload(settings: Settings, bucket: IBucket, logGroup: LogGroup): void {
    const role = new Role(this, 'UploadRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    const shared = {
      sources: [consoleFiles(settings)],
      destinationBucket: bucket,
      prune: true,
      outputObjectKeys: false,
      memoryLimit: 256,
      role,
      logGroup,
    };
    const assets = new BucketDeployment(this, 'Assets', {
      ...shared,
      exclude: ['*'],
      include: [HASHED],
      cacheControl: [CacheControl.fromString('public, max-age=31536000, immutable')],
    });
    const page = new BucketDeployment(this, 'Page', {
      ...shared,
      exclude: [HASHED],
      cacheControl: [CacheControl.fromString('no-cache')],
    });
    page.node.addDependency(assets);
    acceptFindings(role, UPLOAD_ROLE_FINDINGS);
    for (const child of this.node.children.filter(({ node }) => node.id.startsWith(UPLOAD_FUNCTION)))
      acceptFindings(child, UPLOAD_FUNCTION_FINDINGS);
  }
}
