import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isAllowListEntry } from '../src/core/egress/destination.ts';
import { PACKAGES_SETTINGS } from '../src/core/reactors/author-packages.ts';
import { IMAGES } from '../src/core/reactors/layer.ts';
import { nearestName } from '../src/core/shared/known-names.ts';
import { CVC_LIFETIME_SECONDS } from '../src/core/tokens/cvc-lifetime.ts';
import { fieldsOrigins, policyProblem } from './fields-origins.ts';
import { reservationProblem, reservedConcurrency } from './reserved-concurrency.ts';

const text = z.string({ error: 'must be a text' });

const textList = z.union(
  [
    z.array(z.string()),
    z.string().transform((list) =>
      list
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ),
  ],
  { error: 'must be a list of texts' },
);

/** Digits alone: an empty text would count as 0. */
const NOT_A_NUMBER = 'must be a whole number';
const number = z.union([z.int(NOT_A_NUMBER), z.string().regex(/^\d+$/, NOT_A_NUMBER).transform(Number)], {
  error: NOT_A_NUMBER,
});

const wholeNumber = (least: number, most: number) =>
  number.pipe(
    z
      .number()
      .min(least, `must be at least ${String(least)}`)
      .max(most, `must be at most ${String(most)}`),
  );

/** Writes a second that a new table serves (Amazon DynamoDB Developer Guide, Warm throughput). */
const NEW_TABLE_WRITES = 4_000;
/** Units a second that a table may serve by default (the same guide, Quotas). */
const TABLE_QUOTA = 40_000;

/** A partition serves the least, and no table needs the most. */
const MAX_WRITES = { least: 1_000, most: 1_000_000 };

/** Lambda accepts 4 KB of variables, in which functions have the list beside all others. */
const EGRESS_MAX_CHARACTERS = 1_250;

const domain = z
  .union([z.literal(''), z.hostname({ error: 'must be a domain name' })], { error: 'must be a domain name' })
  .default('');

/** The ARN of a certificate, in any Region or in one; empty for none. */
function certificate(region: string, where: string) {
  const error = `must be the ARN of a certificate${where}`;
  const arn = new RegExp(`^(?:arn:aws[a-z-]*:acm:${region}:\\d{12}:certificate/[\\w-]+)?$`);
  return z.string({ error }).regex(arn, error).default('');
}

const vaultArn = text.regex(
  /^(?:arn:aws[a-z-]*:backup:[a-z\d-]+:\d{12}:backup-vault:[\w-]{2,50})?$/,
  'must be the ARN of a backup vault',
);

/** CloudFront reads its certificates in one Region. */
const certificateOfCloudFront = certificate('us-east-1', ' in us-east-1');

const imageList = textList.pipe(
  z
    .array(z.enum(IMAGES, { error: `must be ${IMAGES.join(' or ')}` }))
    .min(1, 'must not be empty')
    .refine((images) => new Set(images).size === images.length, { error: 'must not have an image twice' }),
);

/** The function that makes those of reactors has them in a variable, beside all others. */
const TAGS_MAX_CHARACTERS = 200;

/** All services of AWS accept these. AWS and the service reserve names for their own tags. */
const tagList = textList.pipe(
  z
    .array(
      z
        .string()
        .regex(
          /^(?!aws:|cloakroom:)[\w .:/+@-]{1,128}=[\w .:/+=@-]{0,256}$/i,
          'must be tags such as team=payments, whose names begin with neither aws: nor cloakroom:',
        ),
    )
    .refine((tags) => new Set(tags.map((tag) => tag.split('=')[0]?.toLowerCase())).size === tags.length, {
      error: 'must not have a name twice',
    })
    .refine((tags) => tags.join().length <= TAGS_MAX_CHARACTERS, {
      error: `must have at most ${String(TAGS_MAX_CHARACTERS)} characters in all`,
    }),
);

function hasFonts(folder: string): boolean {
  try {
    return readdirSync(resolve(folder)).some((file) => file.endsWith('.woff2'));
  } catch {
    return false;
  }
}

/** The settings that a site needs: the policies of both sites name the API. */
const SITES = [
  {
    site: 'console',
    what: 'a console',
    needs: ['domainName', 'consoleCertificateArn', 'consoleNetworks'],
    differsFrom: ['domainName'],
  },
  {
    site: 'fields',
    what: 'card fields',
    needs: ['domainName', 'fieldsCertificateArn', 'fieldsOrigins'],
    differsFrom: ['domainName', 'console'],
  },
] as const;

type SiteSetting = (typeof SITES)[number]['needs' | 'differsFrom'][number] | 'fields';

/** Problems of the settings of the sites, each under the name of its setting. */
function problemsOfSites(
  settings: Readonly<Record<SiteSetting, string | readonly string[]>>,
): readonly (readonly [setting: string, problem: string])[] {
  return SITES.filter(({ site }) => settings[site] !== '').flatMap(({ site, what, needs, differsFrom }) => [
    ...needs
      .filter((name) => settings[name].length === 0)
      .map((name) => [name, `is needed with ${what}`] as const),
    ...differsFrom
      .filter((name) => String(settings[name]).toLowerCase() === String(settings[site]).toLowerCase())
      .map((name) => [site, `must differ from ${name}`] as const),
  ]);
}

/** Every error has the address, and callers pay for it in bytes. */
const DOCS_URL_MAX_LENGTH = 200;

/** The documentation is on no origin with keys: an error in one of its pages would get them. */
function problemsOfDocs({
  docsUrl,
  ...hosts
}: Readonly<Record<'docsUrl' | 'domainName' | 'console' | 'fields', string>>) {
  const docsHost = URL.canParse(docsUrl) ? new URL(docsUrl).hostname : undefined;
  return (['domainName', 'console', 'fields'] as const)
    .filter((name) => hosts[name].toLowerCase() === docsHost)
    .map((name) => ['docsUrl', `must be another host than ${name}`] as const);
}

/** Limits that exclude each other. */
function problemsOfRates({
  reservedConcurrency: reserved,
  concurrencyQuota,
  tableMaxWrites,
  warmThroughput,
}: {
  readonly reservedConcurrency: readonly string[];
  readonly concurrencyQuota: number;
  readonly tableMaxWrites: number;
  readonly warmThroughput: number;
}): readonly (readonly [setting: string, problem: string])[] {
  const problem = reservationProblem(reserved, concurrencyQuota);
  const isBelow = tableMaxWrites !== 0 && tableMaxWrites < warmThroughput;
  return [
    ...(problem === undefined ? [] : [['reservedConcurrency', problem] as const]),
    ...(isBelow
      ? [['tableMaxWrites', `must be at least warmThroughput (${String(warmThroughput)})`] as const]
      : []),
  ];
}

/** Problems of two settings that exclude or need each other. */
function problemsOfPairs(
  settings: Readonly<Record<'alarmEmail' | 'alarmTopicArn' | 'backup' | 'backupCopyTo', string>>,
) {
  const { alarmEmail, alarmTopicArn, backup, backupCopyTo } = settings;
  const problems: (readonly [setting: string, problem: string])[] = [];
  if (alarmTopicArn !== '' && alarmEmail !== '')
    problems.push(['alarmEmail', 'must be empty with alarmTopicArn: subscribe the address to that topic']);
  if (backup !== 'none' && backupCopyTo === '') problems.push(['backupCopyTo', 'is needed with a backup']);
  return problems;
}

/** The retentions that CloudWatch Logs knows, in days. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/**
 * Every deploy setting (docs/deploy.md#settings), read from the CDK context: `cdk.json`, or `-c` of
 * the CDK, or `--set` of `npm start`. Values may be strings; commas separate lists.
 */
export const settingsSchema = z
  .object({
    /** Prefix of the stacks' names; two services in one account and region need two. */
    serviceName: text
      .regex(
        /^[A-Za-z][A-Za-z0-9-]{0,39}$/,
        'must be 1 to 40 letters, digits and hyphens, starting with a letter',
      )
      .default('Cloakroom'),
    /**
     * Prefixes of reserved headers in requests, in order of precedence; responses use the first.
     */
    headerPrefixes: textList
      .pipe(
        z
          .array(
            z
              .string()
              .regex(
                /^[A-Za-z][A-Za-z0-9]{0,19}$/,
                'must be 1 to 20 letters and digits, starting with a letter',
              ),
          )
          .min(1, 'must not be empty')
          .max(5, 'must be at most 5'),
      )
      .default(['SVC']),
    /** `lenient` accepts requests of clients already in the field (docs/lenient.md). */
    clientCompatibility: z
      .enum(['strict', 'lenient'], { error: 'must be strict or lenient' })
      .default('strict'),
    /** Seconds until a cvc is deleted. */
    cvcLifetimeSeconds: wholeNumber(1, CVC_LIFETIME_SECONDS.most).default(CVC_LIFETIME_SECONDS.default),
    /**
     * Origins that the proxy and webhooks may reach although the egress rules deny them: `host`,
     * `host:port`, or with a scheme.
     */
    egressAllowList: textList
      .pipe(
        z
          .array(
            z.string().refine(isAllowListEntry, {
              error:
                'must be a host, such as psp.example.com, localhost:9777 or http://localhost:9777, without a path or a pattern',
            }),
          )
          .max(20, 'must be at most 20')
          .refine((list) => list.join().length <= EGRESS_MAX_CHARACTERS, {
            error: `must have at most ${EGRESS_MAX_CHARACTERS.toLocaleString('en')} characters in all`,
          }),
      )
      .default([]),
    /**
     * How a proxy returns the address of a redirect: `told` under a name that no client follows, or
     * `raw` as `Location`, which clients follow with their keys.
     */
    proxyRedirects: z.enum(['told', 'raw'], { error: "must be 'told' or 'raw'" }).default('told'),
    /** Applies to the reactors' functions and to the Node.js in their layer. */
    architecture: z.enum(['arm64', 'x86_64'], { error: 'must be arm64 or x86_64' }).default('arm64'),
    /**
     * The Node.js that code of reactors may run on: the first is the default. An image that is left
     * out takes no reactor more; those that it has run on.
     */
    reactorImages: imageList.default([...IMAGES]),
    /**
     * `allowed` lets reactors bring packages of their own, which are code with the data of cards.
     * With `none` those that have some go on.
     */
    reactorPackages: z.enum(PACKAGES_SETTINGS, { error: 'must be none or allowed' }).default('none'),
    /** Provisioned instances of a reactor in the budget; 0 provisions none and costs nothing. */
    hotConcurrency: wholeNumber(0, 100).default(1),
    /** The budget: the most provisioned instances of all reactors together. */
    hotInstances: wholeNumber(0, 2_000).default(100),
    /** A tenant can have so many reactors. */
    reactorsPerTenant: wholeNumber(1, 1_000).default(100),
    /**
     * `canary` moves a tenth of the requests to new functions first, and back if they fail (docs/
     * deploy.md#canary).
     */
    deployment: z
      .enum(['all-at-once', 'canary'], { error: 'must be all-at-once or canary' })
      .default('all-at-once'),
    /** Requests a second of all callers together: the default limit of the API's routes. */
    throttleRate: wholeNumber(1, 100_000).default(1_000),
    /** Number of requests that the API accepts in a burst, on top of the rate. */
    throttleBurst: wholeNumber(1, 100_000).default(2_000),
    /**
     * `cloudfront-waf` puts CloudFront with AWS WAF in front of the API, which then accepts no
     * other requests. Needs a domain.
     */
    edge: z.enum(['none', 'cloudfront-waf'], { error: 'must be none or cloudfront-waf' }).default('none'),
    /** Requests that one address may send in five minutes before the edge responds with 429. */
    edgeRateLimit: wholeNumber(10, 2_000_000_000).default(10_000),
    /** Requests in five minutes with one key, from all addresses; public keys are not counted. */
    edgeKeyRateLimit: wholeNumber(10, 2_000_000_000).default(100_000),
    /** Requests in five minutes with one public key, for each address. */
    edgePublicKeyRateLimit: wholeNumber(10, 2_000_000_000).default(2_000),
    /**
     * Version ids of the edge secret: the one that the edge sends, then the previous one. Empty is
     * the first.
     */
    edgeSecretVersions: textList
      .pipe(
        z
          .array(z.string().regex(/^[A-Za-z0-9-]{32,64}$/, 'must be ids of versions'))
          .max(2, 'must be at most 2'),
      )
      .default([]),
    /** The service's own domain; empty for the domain of AWS. */
    domainName: domain,
    /**
     * ARN of the domain's certificate (ACM): for the edge in us-east-1, otherwise in the service's
     * region.
     */
    certificateArn: certificate('[a-z\\d-]+', ''),
    /**
     * Domain of the console, whose page is served to `consoleNetworks`. Empty deploys none, and
     * costs nothing.
     */
    console: domain,
    /** ARN of the console's certificate (ACM), which CloudFront reads in us-east-1. */
    consoleCertificateArn: certificateOfCloudFront,
    /** Networks that reach the console's page, in CIDR notation. */
    consoleNetworks: textList
      .pipe(
        z
          .array(
            z
              .union([z.cidrv4(), z.cidrv6()], {
                error: 'must be networks such as 203.0.113.0/24 or 2001:db8::/32',
              })
              .refine((network) => !network.endsWith('/0'), {
                error:
                  'must not be /0, which AWS WAF rejects: name two halves, such as 0.0.0.0/1,128.0.0.0/1',
              }),
          )
          .max(100, 'must be at most 100'),
      )
      .default([]),
    /**
     * Domain of card fields: frames of an origin of their own, and the script that puts them into a
     * page. Empty deploys none, and costs nothing.
     */
    fields: domain,
    /** ARN of the certificate of card fields (ACM), which CloudFront reads in us-east-1. */
    fieldsCertificateArn: certificateOfCloudFront,
    /**
     * The pages that may embed card fields: `https://shop.example.com`, or
     * `https://shop.example.com=<tenant id>`, which allows only keys of that tenant there.
     */
    fieldsOrigins: textList.pipe(fieldsOrigins).default([]),
    /** Whether a page learns the BIN and the last four digits of a complete number. */
    fieldsDigits: z
      .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
        error: 'must be true or false',
      })
      .default(false),
    /** Folder with fonts (`*.woff2`) that card fields may use. */
    fieldsFonts: text
      .refine((folder) => folder === '' || hasFonts(folder), 'must be a folder with *.woff2 files')
      .default(''),
    /**
     * Where the built documentation is: an https address of another host. Errors name their page
     * below it. Empty for none.
     */
    docsUrl: text
      .max(DOCS_URL_MAX_LENGTH, `must be at most ${String(DOCS_URL_MAX_LENGTH)} characters`)
      .refine(
        (url) =>
          url === '' ||
          (/^https:\/\/[a-z\d][\w.:-]*(?:\/(?!\.)[\w.~-]+)*\/?$/i.test(url) && URL.canParse(url)),
        'must be an https address',
      )
      .transform((url) => url.replace(/\/$/, ''))
      .default(''),
    /** `basic` leaves out alarms that may wait (docs/deploy.md#alarms). */
    alarms: z.enum(['basic', 'all'], { error: 'must be basic or all' }).default('all'),
    /** E-mail address for alarms; if empty, subscribe to the topic of the monitoring stack. */
    alarmEmail: z
      .union([z.literal(''), z.email('must be an e-mail address')], { error: 'must be an e-mail address' })
      .default(''),
    /**
     * ARN of an SNS topic that exists, in the service's Region, and lets CloudWatch and EventBridge
     * publish. Empty makes one.
     */
    alarmTopicArn: text
      .regex(
        /^(?:arn:aws[a-z-]*:sns:[a-z\d-]+:\d{12}:[\w-]{1,256})?$/,
        'must be the ARN of a topic of SNS that is no FIFO topic',
      )
      .default(''),
    /** Tokens in plaintext in five minutes at which an alarm rings; 0 for never. */
    alarmReveals: wholeNumber(0, 100_000_000).default(0),
    /** Minutes without a request after which an alarm rings; 0 for never. */
    alarmSilence: number
      .refine((minutes) => minutes === 0 || (minutes >= 5 && minutes <= 1_440), {
        error: 'must be 0, or 5 to 1440',
      })
      .default(0),
    /** The account's quota of concurrent executions, with which an alarm compares those in use. */
    concurrencyQuota: wholeNumber(10, 1_000_000).default(1_000),
    /**
     * Instances of Lambda that only the named functions may use, and the most that they may:
     * `proxy=300`, by the names of the folders of `functions/`. The account leaves 100 to others.
     */
    reservedConcurrency: textList.pipe(reservedConcurrency).default([]),
    /**
     * Requests a second that the tables serve from the start; 0 leaves them as AWS creates them and
     * costs nothing.
     */
    warmThroughput: number
      .refine((rate) => rate === 0 || (rate >= NEW_TABLE_WRITES && rate <= TABLE_QUOTA), {
        error: `must be 0, or ${String(NEW_TABLE_WRITES)} to ${String(TABLE_QUOTA)}`,
      })
      .default(0),
    /**
     * Write units a second at which DynamoDB throttles Tokens, Reactors and each of their indexes:
     * a cap of money, for all tenants together. 0 is none.
     */
    tableMaxWrites: number
      .refine((rate) => rate === 0 || (rate >= MAX_WRITES.least && rate <= MAX_WRITES.most), {
        error: `must be 0, or ${String(MAX_WRITES.least)} to ${String(MAX_WRITES.most)}`,
      })
      .default(0),
    /** Days until the data key of a tenant is rotated. */
    keyRotationDays: wholeNumber(1, 3_650).default(90),
    /** Retention of audit records in days, fixed when each is written. */
    auditRetentionDays: wholeNumber(365, 3_650).default(400),
    /** Retention of logs in days. */
    logRetentionDays: number
      .refine((days) => RETENTION_DAYS.includes(days), {
        error: `must be one of ${RETENTION_DAYS.join(', ')}`,
      })
      .default(365),
    /**
     * `daily` copies all tables but Ephemeral to `backupCopyTo` once a day
     * (docs/guides/keep-a-copy-elsewhere.md).
     */
    backup: z.enum(['none', 'daily'], { error: 'must be none or daily' }).default('none'),
    /** ARN of a vault of AWS Backup in another Region or account. */
    backupCopyTo: vaultArn.default(''),
    /** Days that a copy stays in that vault. */
    backupRetentionDays: wholeNumber(1, 3_650).default(35),
    /** Tags of everything that is deployed, and of the functions of reactors: `name=value`. */
    tags: tagList.default([]),
  })
  .strict()
  .superRefine(({ edge, domainName, certificateArn, ...settings }, context) => {
    const need = (name: string, why: string) =>
      context.addIssue({ code: 'custom', path: [name], message: `is needed ${why}` });
    const problem = policyProblem({ domainName, ...settings });
    for (const [name, message] of [
      ...problemsOfSites({ domainName, ...settings }),
      ...(problem === undefined ? [] : [['fieldsOrigins', problem] as const]),
      ...problemsOfDocs({ domainName, ...settings }),
      ...problemsOfRates(settings),
      ...problemsOfPairs(settings),
    ])
      context.addIssue({ code: 'custom', path: [name], message });
    if (edge !== 'none' && domainName === '') need('domainName', 'with an edge');
    if (domainName !== '' && certificateArn === '') need('certificateArn', 'with a domain');
    if (edge !== 'none' && certificateArn !== '' && !certificateArn.includes(':us-east-1:'))
      context.addIssue({
        code: 'custom',
        path: ['certificateArn'],
        message: 'must be in us-east-1 for the edge',
      });
  });

export type Settings = z.output<typeof settingsSchema>;

export const SETTING_NAMES = Object.keys(settingsSchema.shape);

/** A setting with an unknown name or an invalid value. The message names it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

function unknownSetting(name: string): string {
  const near = nearestName(name, SETTING_NAMES);
  const hint = near === undefined ? `there are: ${SETTING_NAMES.join(', ')}` : `did you mean ${near}?`;
  return `unknown setting ${name} (${hint})`;
}

/** Parses settings from a context. Throws {@link SettingsError} that names every invalid one. */
export function parseSettings(settings: Readonly<Record<string, unknown>>): Settings {
  const result = settingsSchema.safeParse(settings);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map(unknownSetting)
      : `setting ${issue.path.join('.')} ${issue.message}`,
  );
  throw new SettingsError(problems.join('; '));
}

/** A copy beside the tables would be lost together with them. Throws {@link SettingsError}. */
export function requireElsewhere(
  { backupCopyTo }: Pick<Settings, 'backupCopyTo'>,
  { region, account }: { readonly region?: string | undefined; readonly account?: string | undefined },
): void {
  const [, , , ofVault, owner] = backupCopyTo.split(':');
  if (ofVault === undefined || ofVault !== region || owner !== account) return;
  throw new SettingsError(
    `setting backupCopyTo must be a vault of another Region or account than ${owner ?? ''} in ${region}`,
  );
}
