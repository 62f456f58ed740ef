// The policy packs of cdk-nag (AWS Solutions, PCI DSS, Serverless) over every stack, in every variant that settings make of them. A
// finding without a written reason fails. `--report` prints the reasons.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, PCIDSS321Checks, ServerlessChecks } from 'cdk-nag';
import { buildService } from '../lib/service.ts';
import { parseSettings } from '../lib/settings.ts';

/** Settings that change which resources there are. */
const CERTIFICATE = {
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
};
const VARIANTS: readonly Readonly<Record<string, string>>[] = [
  {},
  { alarmEmail: 'on-call@example.com', ...CERTIFICATE },
  { edge: 'cloudfront-waf', ...CERTIFICATE },
];
const REGION = 'eu-west-1';

interface Found {
  readonly rule: string;
  readonly path: string;
}

/** All that the packs find in an app, acknowledged or not. */
function findingsOf(app: App): readonly Found[] {
  return [new AwsSolutionsChecks(app), new PCIDSS321Checks(app), new ServerlessChecks(app)].flatMap((pack) =>
    pack
      .validateScope(app)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map(({ constructPath = '' }) => ({ rule: ruleName, path: constructPath })),
      ),
  );
}

/** The acknowledgements of a tree: where each stands, and why. */
function acknowledgementsOf(app: App): readonly (Found & { readonly reason: string })[] {
  return app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Readonly<Record<string, string>>))
      .map(([id, reason]) => ({ rule: id.replace(/^annotation::/i, ''), path: node.path, reason })),
  );
}

const asks = process.argv.includes('--report');
const problems: string[] = [];
const used = new Set<string>();
let acknowledged = 0;
for (const settings of VARIANTS) {
  const app = new App();
  buildService(app, parseSettings(settings), REGION);
  const variant = JSON.stringify(settings);
  for (const { rule, path } of findingsOf(app)) problems.push(`${variant} ${path}: ${rule}`);
  const reasons = acknowledgementsOf(app);
  acknowledged += reasons.length;
  for (const { rule, path, reason } of reasons) {
    used.add(rule);
    if (asks) console.log(`${path}\n  ${rule}\n  ${reason}\n`);
  }
}

for (const problem of problems) console.error(problem);
console.log(
  `${String(VARIANTS.length)} variants, ${String(used.size)} rules acknowledged at ${String(acknowledged)} places, ${String(problems.length)} findings without a reason`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
