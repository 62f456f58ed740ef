// Written by `npm run build -- props` of lib/settings.ts.

/** The settings of a deployment (docs/deploy.md#settings). Each has a default. */
export interface CloakroomProps {
  /**
   * Prefix of the stacks' names; two services in one account and region need two.
   * @default 'Cloakroom'
   */
  readonly serviceName?: string | undefined;
  /**
   * Prefixes of reserved headers in requests, in order of precedence; responses use the
   * first.
   * @default ['SVC']
   */
  readonly headerPrefixes?: readonly string[] | undefined;
  /**
   * `lenient` accepts requests of clients already in the field (docs/lenient.md).
   * @default 'strict'
   */
  readonly clientCompatibility?: 'strict' | 'lenient' | undefined;
  /**
   * Seconds until a cvc is deleted.
   * @default 3600
   */
  readonly cvcLifetimeSeconds?: number | undefined;
  /**
   * Origins that the proxy and webhooks may reach although the egress rules deny them:
   * `host`, `host:port`, or with a scheme.
   * @default none
   */
  readonly egressAllowList?: readonly string[] | undefined;
  /**
   * How a proxy returns the address of a redirect: `told` under a name that no client
   * follows, or `raw` as `Location`, which clients follow with their keys.
   * @default 'told'
   */
  readonly proxyRedirects?: 'told' | 'raw' | undefined;
  /**
   * Applies to the reactors' functions and to the Node.js in their layer.
   * @default 'arm64'
   */
  readonly architecture?: 'arm64' | 'x86_64' | undefined;
  /**
   * The Node.js that code of reactors may run on: the first is the default. An image that is
   * left out takes no reactor more; those that it has run on.
   * @default ['node16','node24']
   */
  readonly reactorImages?: readonly string[] | undefined;
  /**
   * `allowed` lets reactors bring packages of their own, which are code with the data of
   * cards. With `none` those that have some go on.
   * @default 'none'
   */
  readonly reactorPackages?: 'none' | 'allowed' | undefined;
  /**
   * Provisioned instances of a reactor in the budget; 0 provisions none and costs nothing.
   * @default 1
   */
  readonly hotConcurrency?: number | undefined;
  /**
   * The budget: the most provisioned instances of all reactors together.
   * @default 100
   */
  readonly hotInstances?: number | undefined;
  /**
   * A tenant can have so many reactors.
   * @default 100
   */
  readonly reactorsPerTenant?: number | undefined;
  /**
   * `canary` moves a tenth of the requests to new functions first, and back if they fail
   * (docs/ deploy.md#canary).
   * @default 'all-at-once'
   */
  readonly deployment?: 'all-at-once' | 'canary' | undefined;
  /**
   * Requests a second of all callers together: the default limit of the API's routes.
   * @default 1000
   */
  readonly throttleRate?: number | undefined;
  /**
   * Number of requests that the API accepts in a burst, on top of the rate.
   * @default 2000
   */
  readonly throttleBurst?: number | undefined;
  /**
   * `cloudfront-waf` puts CloudFront with AWS WAF in front of the API, which then accepts no
   * other requests. Needs a domain.
   * @default 'none'
   */
  readonly edge?: 'none' | 'cloudfront-waf' | undefined;
  /**
   * Requests that one address may send in five minutes before the edge responds with 429.
   * @default 10000
   */
  readonly edgeRateLimit?: number | undefined;
  /**
   * Requests in five minutes with one key, from all addresses; public keys are not counted.
   * @default 100000
   */
  readonly edgeKeyRateLimit?: number | undefined;
  /**
   * Requests in five minutes with one public key, for each address.
   * @default 2000
   */
  readonly edgePublicKeyRateLimit?: number | undefined;
  /**
   * Version ids of the edge secret: the one that the edge sends, then the previous one. Empty
   * is the first.
   * @default none
   */
  readonly edgeSecretVersions?: readonly string[] | undefined;
  /**
   * The service's own domain; empty for the domain of AWS.
   * @default none
   */
  readonly domainName?: string | undefined;
  /**
   * ARN of the domain's certificate (ACM): for the edge in us-east-1, otherwise in the
   * service's region.
   * @default none
   */
  readonly certificateArn?: string | undefined;
  /**
   * Domain of the console, whose page is served to `consoleNetworks`. Empty deploys none, and
   * costs nothing.
   * @default none
   */
  readonly console?: string | undefined;
  /**
   * ARN of the console's certificate (ACM), which CloudFront reads in us-east-1.
   * @default none
   */
  readonly consoleCertificateArn?: string | undefined;
  /**
   * Networks that reach the console's page, in CIDR notation.
   * @default none
   */
  readonly consoleNetworks?: readonly string[] | undefined;
  /**
   * Domain of card fields: frames of an origin of their own, and the script that puts them
   * into a page. Empty deploys none, and costs nothing.
   * @default none
   */
  readonly fields?: string | undefined;
  /**
   * ARN of the certificate of card fields (ACM), which CloudFront reads in us-east-1.
   * @default none
   */
  readonly fieldsCertificateArn?: string | undefined;
  /**
   * The pages that may embed card fields: `https://shop.example.com`, or
   * `https://shop.example.com=<tenant id>`, which allows only keys of that tenant there.
   * @default none
   */
  readonly fieldsOrigins?: readonly string[] | undefined;
  /**
   * Whether a page learns the BIN and the last four digits of a complete number.
   * @default false
   */
  readonly fieldsDigits?: boolean | undefined;
  /**
   * Folder with fonts (`*.woff2`) that card fields may use.
   * @default none
   */
  readonly fieldsFonts?: string | undefined;
  /**
   * Where the built documentation is: an https address of another host. Errors name their
   * page below it. Empty for none.
   * @default none
   */
  readonly docsUrl?: string | undefined;
  /**
   * `basic` leaves out alarms that may wait (docs/deploy.md#alarms).
   * @default 'all'
   */
  readonly alarms?: 'basic' | 'all' | undefined;
  /**
   * E-mail address for alarms; if empty, subscribe to the topic of the monitoring stack.
   * @default none
   */
  readonly alarmEmail?: string | undefined;
  /**
   * ARN of an SNS topic that exists, in the service's Region, and lets CloudWatch and
   * EventBridge publish. Empty makes one.
   * @default none
   */
  readonly alarmTopicArn?: string | undefined;
  /**
   * Tokens in plaintext in five minutes at which an alarm rings; 0 for never.
   * @default 0
   */
  readonly alarmReveals?: number | undefined;
  /**
   * Minutes without a request after which an alarm rings; 0 for never.
   * @default 0
   */
  readonly alarmSilence?: number | undefined;
  /**
   * The account's quota of concurrent executions, with which an alarm compares those in use.
   * @default 1000
   */
  readonly concurrencyQuota?: number | undefined;
  /**
   * Instances of Lambda that only the named functions may use, and the most that they may:
   * `proxy=300`, by the names of the folders of `functions/`. The account leaves 100 to
   * others.
   * @default none
   */
  readonly reservedConcurrency?: readonly string[] | undefined;
  /**
   * Requests a second that the tables serve from the start; 0 leaves them as AWS creates them
   * and costs nothing.
   * @default 0
   */
  readonly warmThroughput?: number | undefined;
  /**
   * Write units a second at which DynamoDB throttles Tokens, Reactors and each of their
   * indexes: a cap of money, for all tenants together. 0 is none.
   * @default 0
   */
  readonly tableMaxWrites?: number | undefined;
  /**
   * Days until the data key of a tenant is rotated.
   * @default 90
   */
  readonly keyRotationDays?: number | undefined;
  /**
   * Retention of audit records in days, fixed when each is written.
   * @default 400
   */
  readonly auditRetentionDays?: number | undefined;
  /**
   * Retention of logs in days.
   * @default 365
   */
  readonly logRetentionDays?: number | undefined;
  /**
   * `daily` copies all tables but Ephemeral to `backupCopyTo` once a day
   * (docs/guides/keep-a-copy-elsewhere.md).
   * @default 'none'
   */
  readonly backup?: 'none' | 'daily' | undefined;
  /**
   * ARN of a vault of AWS Backup in another Region or account.
   * @default none
   */
  readonly backupCopyTo?: string | undefined;
  /**
   * Days that a copy stays in that vault.
   * @default 35
   */
  readonly backupRetentionDays?: number | undefined;
  /**
   * Tags of everything that is deployed, and of the functions of reactors: `name=value`.
   * @default none
   */
  readonly tags?: readonly string[] | undefined;
}
