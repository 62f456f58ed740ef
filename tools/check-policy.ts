// Runs cdk-nag over every stack, in every variant of the settings. Fails for a finding without a
// written reason, for a reason without a finding, and for a template that CloudFormation would
// reject. `--report` prints the reasons.
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, PCIDSS321Checks, ServerlessChecks } from 'cdk-nag';
import { withServiceApp } from './templates/service-app.ts';

/** Settings that change the set of resources. */
const CERTIFICATE = {
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/x',
};
/** CloudFront reads the certificate of the edge in its own Region. */
const EDGE = {
  edge: 'cloudfront-waf',
  ...CERTIFICATE,
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
};
const CONSOLE = {
  console: 'console.example.com',
  consoleCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/y',
  consoleNetworks: '203.0.113.0/24,2001:db8::/32',
};
const FIELDS = {
  fields: 'fields.example.net',
  fieldsCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/z',
  fieldsOrigins: 'https://shop.example.com',
};
const BACKUP = {
  backup: 'daily',
  backupCopyTo: 'arn:aws:backup:eu-central-1:123456789012:backup-vault:copies',
};
const VARIANTS: readonly Readonly<Record<string, string>>[] = [
  {},
  { alarmEmail: 'on-call@example.com', ...CERTIFICATE },
  EDGE,
  { deployment: 'canary' },
  BACKUP,
  { ...CERTIFICATE, ...CONSOLE },
  { ...CERTIFICATE, ...FIELDS },
];
/** Every kind of resource is in one of its templates. */
const WIDEST = {
  alarmEmail: 'on-call@example.com',
  deployment: 'canary',
  ...EDGE,
  ...CONSOLE,
  ...FIELDS,
  ...BACKUP,
};
const PLACE = { region: 'eu-west-1' };
/** A pipeline names its account, which is then in the findings. */
const APPS = [
  ...VARIANTS.map((settings) => [settings, PLACE] as const),
  [WIDEST, { ...PLACE, account: '123456789012' }] as const,
];

interface Found {
  readonly rule: string;
  readonly path: string;
}

/** All findings of the packs in an app, with or without a reason. */
function findingsOf(app: App): readonly Found[] {
  const packs = [new AwsSolutionsChecks(app), new PCIDSS321Checks(app), new ServerlessChecks(app)];
  // A pack omits accepted findings, which would hide a reason without a finding.
  for (const pack of packs) Object.assign(pack, { isAcknowledged: () => false });
  return packs.flatMap((pack) =>
    pack
      .validateScope(app)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath = '' }) => ({ rule: ruleName, path: constructPath })),
      ),
  );
}

/** The accepted findings of a tree: their places and reasons. */
function acknowledgementsOf(app: App): readonly (Found & { readonly reason: string })[] {
  return app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Readonly<Record<string, string>>))
      .map(([id, reason]) => ({ rule: id.replace(/^annotation::/i, ''), path: node.path, reason })),
  );
}

/** Whether the reason at a construct covers a finding at it or below. */
const speaksOf = (reason: Found, finding: Found): boolean =>
  reason.rule === finding.rule &&
  (finding.path === reason.path || finding.path.startsWith(`${reason.path}/`));

const keyOf = ({ rule, path }: Found) => `${path}: ${rule}`;

const asks = process.argv.includes('--report');
const problems: string[] = [];
const rules = new Set<string>();
const written = new Set<string>();
const needed = new Set<string>();
for (const [settings, place] of APPS) {
  const [findings, reasons] = withServiceApp(
    settings,
    place,
    (app) => [findingsOf(app), acknowledgementsOf(app)] as const,
  );
  for (const finding of findings)
    if (!reasons.some((reason) => speaksOf(reason, finding)))
      problems.push(`no reason: ${JSON.stringify(settings)} ${keyOf(finding)}`);
  for (const reason of reasons) {
    if (asks) console.log(`${reason.path}\n  ${reason.rule}\n  ${reason.reason}\n`);
    rules.add(reason.rule);
    written.add(keyOf(reason));
    if (findings.some((finding) => speaksOf(reason, finding))) needed.add(keyOf(reason));
  }
}
for (const reason of written) if (!needed.has(reason)) problems.push(`no finding: ${reason}`);

// Throws with what the schemas of CloudFormation reject.
withServiceApp(WIDEST, PLACE, (app) => app.synth(), { isValidated: true });

for (const problem of problems) console.error(problem);
console.log(
  `${String(APPS.length)} variants, ${String(rules.size)} rules acknowledged at ${String(written.size)} places, ${String(problems.length)} findings without a reason or reasons without a finding`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
