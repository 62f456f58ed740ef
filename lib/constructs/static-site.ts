import { CfnOutput, CfnResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
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
  type ResponseHeadersCorsBehavior,
  type ResponseSecurityHeadersBehavior,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { acceptFindings, namesInFindings } from '../accept-findings.ts';
import { EDGE_REGION } from '../deployment-names.ts';
import { logRetention } from '../log-retention.ts';

/** Names of these files contain a hash of their content. All others may change at any time. */
export const HASHED = 'assets/*';
/** The header `Cache-Control` of files whose names contain a hash of their content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** One upload has the files that share a header `Cache-Control`. Patterns select them. */
export interface Upload {
  readonly id: string;
  /** If it is missing, all files but `except` are uploaded. */
  readonly only?: string;
  readonly except?: readonly string[];
  readonly cacheControl: string;
}

export interface StaticSiteProps {
  /** Names the distribution and the output. */
  readonly name: 'Console' | 'Fields';
  readonly domain: string;
  readonly certificateArn: string;
  readonly folder: string;
  /** The uploads in their order: what others refer to comes first. */
  readonly uploads: readonly Upload[];
  /** Whether an upload deletes files of earlier versions. */
  readonly prune: boolean;
  /** The headers of every file. `Strict-Transport-Security` is added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly logRetentionDays: number;
  readonly defaultRootObject?: string;
  readonly webAclArn?: string;
  /** Accepted findings about the distribution, with their reasons. */
  readonly findings: Readonly<Record<string, string>>;
}

export const NO_ACCESS_LOG =
  'Behind it are static files without data. What a person does with the page is a request of the API, which its own log and the audit trail record.';

/** The CDK makes one function for all uploads of a stack, whose id begins so. */
const UPLOAD_FUNCTION = 'Custom::CDKBucketDeployment';
/** The CDK's function that empties the bucket when the stack is deleted. */
const EMPTIER = 'Custom::S3AutoDeleteObjectsCustomResourceProvider';
const UPLOADS =
  'The CDK writes the policy of its upload: it reads the files of a deployment, and lists, writes and deletes those of this bucket, which has nothing else.';

const uploadRoleFindings = (account: string) => ({
  'AwsSolutions-IAM5[Action::s3:GetBucket*]': UPLOADS,
  'AwsSolutions-IAM5[Action::s3:GetObject*]': UPLOADS,
  'AwsSolutions-IAM5[Action::s3:List*]': UPLOADS,
  'AwsSolutions-IAM5[Action::s3:Abort*]': UPLOADS,
  'AwsSolutions-IAM5[Action::s3:DeleteObject*]': UPLOADS,
  'AwsSolutions-IAM5[Resource::<Files8E6940B8.Arn>/*]': UPLOADS,
  [`AwsSolutions-IAM5[Resource::arn:aws:s3:::cdk-hnb659fds-assets-${account}-${EDGE_REGION}/*]`]: UPLOADS,
  'PCI.DSS.321-IAMNoInlinePolicy':
    'The policy is written for the one role that has it and must not be attached to another one.',
});

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

const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';

/** CloudFront also rejects this header by name. It sends it to requests that have an `Origin`. */
const corsOf = (origin: string): ResponseHeadersCorsBehavior => ({
  accessControlAllowOrigins: [origin],
  accessControlAllowMethods: ['GET', 'HEAD'],
  accessControlAllowHeaders: ['*'],
  accessControlAllowCredentials: false,
  originOverride: true,
});

/**
 * Static files in a private bucket, behind CloudFront at a domain of their own. It has no rights
 * but to upload and delete them, and deleting its stack leaves nothing. A stack has at most one:
 * the id `Default` leaves its own part out of the logical ids.
 */
export class StaticSite extends Construct {
  constructor(scope: Construct, id: string, props: StaticSiteProps) {
    super(scope, id);
    const { name, domain } = props;
    const bucket = this.#bucket();
    const distribution = this.#distribution(props, bucket);
    const logGroup = this.#logGroup(props);
    this.#upload(props, bucket, logGroup);
    this.#emptyWith(logGroup);
    new CfnOutput(this, `${name}Domain`, {
      value: distribution.distributionDomainName,
      description: `Point ${domain} here (CNAME or alias)`,
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

  #distribution(props: StaticSiteProps, bucket: IBucket): Distribution {
    const { name, domain, certificateArn, defaultRootObject, webAclArn } = props;
    const distribution = new Distribution(this, name, {
      comment: `Cloakroom ${name.toLowerCase()}`,
      domainNames: [domain],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(webAclArn !== undefined && { webAclId: webAclArn }),
      ...(defaultRootObject !== undefined && { defaultRootObject }),
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket, {
          // Names of CloudFront are unique in the account, and so is that of the stack.
          originAccessControl: new S3OriginAccessControl(this, 'Access', {
            originAccessControlName: Stack.of(this).stackName,
          }),
        }),
        // A script of another page needs no preflight request, which S3 would reject.
        allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.#headers(props),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      },
    });
    acceptFindings(distribution, props.findings);
    acceptFindings(distribution, { 'AwsSolutions-CFR3': NO_ACCESS_LOG });
    return distribution;
  }

  #headers({ headers }: StaticSiteProps): ResponseHeadersPolicy {
    const all = Object.entries(headers);
    const security = all.flatMap(([name, value]) => SECURITY_HEADERS[name]?.(value) ?? []);
    const { [ALLOW_ORIGIN]: origin } = headers;
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: Stack.of(this).stackName,
      ...(origin !== undefined && { corsBehavior: corsOf(origin) }),
      securityHeadersBehavior: Object.assign({}, ...security, {
        strictTransportSecurity: {
          accessControlMaxAge: Duration.days(730),
          includeSubdomains: true,
          override: true,
        },
      }) as ResponseSecurityHeadersBehavior,
      customHeadersBehavior: {
        customHeaders: all
          .filter(([name]) => !(name in SECURITY_HEADERS) && name !== ALLOW_ORIGIN)
          .map(([header, value]) => ({ header, value, override: true })),
      },
    });
  }

  /** The log of the CDK's own functions. Their usual logs would outlive the stack. */
  #logGroup({ logRetentionDays }: StaticSiteProps): LogGroup {
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
    const provider = Stack.of(this).node.findChild(EMPTIER).node;
    const role = provider.findChild('Role');
    const handler = provider.findChild('Handler');
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

  #upload({ folder, uploads, prune }: StaticSiteProps, bucket: IBucket, logGroup: LogGroup): void {
    const role = new Role(this, 'UploadRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    let previous: BucketDeployment | undefined;
    for (const { id, only, except = [], cacheControl } of uploads) {
      const upload = new BucketDeployment(this, id, {
        sources: [Source.asset(folder)],
        destinationBucket: bucket,
        prune,
        outputObjectKeys: false,
        memoryLimit: 256,
        role,
        logGroup,
        ...(only === undefined ? { exclude: [...except] } : { exclude: ['*'], include: [only] }),
        cacheControl: [CacheControl.fromString(cacheControl)],
      });
      if (previous !== undefined) upload.node.addDependency(previous);
      previous = upload;
    }
    acceptFindings(role, uploadRoleFindings(namesInFindings(this).account));
    for (const child of Stack.of(this).node.children)
      if (child.node.id.startsWith(UPLOAD_FUNCTION)) acceptFindings(child, UPLOAD_FUNCTION_FINDINGS);
  }
}
