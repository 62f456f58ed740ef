// What an idle deployment costs a month, counted from the synthesized templates: `npm run costs` prints it, `-- --write` puts it into
// docs/deploy.md, and the documentation check compares. List prices of us-east-1 in US dollars, 2026, without free tiers.
import { readFileSync, writeFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { format, resolveConfig } from 'prettier';
import { DUE_PARTITIONS } from '../adapters/dynamodb/keys.ts';
import { DUE_WORKS, type DueWork } from '../core/sweep/sweep.ts';
import { runSweep } from '../functions/sweeper/run-sweep.ts';
import { buildService } from '../lib/service.ts';
import { parseSettings } from '../lib/settings.ts';

const MONTHLY = {
  key: 1,
  /** Each metric that an alarm looks at. */
  alarmMetric: 0.1,
  customMetric: 0.3,
  dashboard: 3,
  secret: 0.4,
  webAcl: 5,
  webAclRule: 1,
} as const;

const MINUTES = 43_800;
const SECONDS = MINUTES * 60;
const PER_REQUEST = { readUnit: 0.125e-6, lambda: 0.2e-6, gigabyteSecond: 13.3334e-6, sqs: 0.4e-6 } as const;
/** Provisioned concurrency, a gigabyte and second. */
const PROVISIONED = { arm64: 3.3334e-6, x86_64: 4.1667e-6 } as const;
/** As `adapters/lambda/reactor-functions.ts` makes them. */
const REACTOR_GIGABYTES = 0.5;
/** Lambda asks an idle queue by five connections, each of which waits 20 seconds (AWS Lambda Developer Guide, Amazon SQS). */
const POLLS_A_MINUTE = 5 * 3;
/** How long a sweep that finds nothing takes is not known here, so it is assumed. */
const IDLE_SWEEP_SECONDS = 0.3;

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

function resourcesOf(settings: Readonly<Record<string, string>>): readonly Resource[] {
  const app = new App({ analyticsReporting: false });
  buildService(app, parseSettings(settings), 'us-east-1');
  return app
    .synth()
    .stacks.flatMap(({ template }) =>
      Object.values((template as { readonly Resources: Readonly<Record<string, Resource>> }).Resources),
    );
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** An alarm looks at one metric, or at those of its expression. */
function metricsOf({ Properties: { Metrics: metrics } = {} }: Resource): number {
  if (!Array.isArray(metrics)) return 1;
  return metrics.filter((each: object) => 'MetricStat' in each).length;
}

/** The metrics that a run of the sweep makes: what it says in log lines costs nothing of its own. */
async function customMetrics(): Promise<number> {
  const made = new Set<string>();
  let dimension = '';
  const metrics = {
    addDimension: (_name: string, value: string) => (dimension = value),
    addMetric: (name: string) => made.add(`${name} ${dimension}`),
    addMetadata: () => undefined,
    publishStoredMetrics: () => (dimension = ''),
  };
  const works = DUE_WORKS.map((name): DueWork => ({
    name,
    async *due() {
      yield await Promise.resolve([]);
    },
  }));
  const none = () => Promise.resolve(0);
  const deps = { clock: Date.now, works, parkedDeliveries: none, coldReactors: none, metrics };
  await runSweep(deps as unknown as Parameters<typeof runSweep>[0], 60_000);
  return made.size;
}

type Row = readonly [what: string, count: string, dollars: number];

async function rowsOf(settings: Readonly<Record<string, string>>): Promise<readonly Row[]> {
  const resources = resourcesOf(settings);
  const all = (type: string) => resources.filter(({ Type }) => Type === type);
  const count = (type: string) => all(type).length;
  const alarmMetrics = all('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0);
  const rules = all('AWS::WAFv2::WebACL').reduce((sum, acl) => sum + lengthOf(acl.Properties?.['Rules']), 0);
  const queues = count('AWS::Lambda::EventSourceMapping');
  const custom = await customMetrics();
  const sweeper = all('AWS::Lambda::Function').find(
    ({ Properties: { Description: text } = {} }) => text === 'Removes what is due',
  );
  const gigabytes = Number(sweeper?.Properties?.['MemorySize']) / 1024;
  const queries = DUE_WORKS.length * DUE_PARTITIONS.length;
  const sweep =
    queries * 0.5 * PER_REQUEST.readUnit +
    PER_REQUEST.lambda +
    IDLE_SWEEP_SECONDS * gigabytes * PER_REQUEST.gigabyteSecond;
  const rows: readonly Row[] = [
    ['KMS keys', String(count('AWS::KMS::Key')), count('AWS::KMS::Key') * MONTHLY.key],
    ['Metrics that alarms look at', String(alarmMetrics), alarmMetrics * MONTHLY.alarmMetric],
    ['Metrics of our own', String(custom), custom * MONTHLY.customMetric],
    [
      'Dashboards',
      String(count('AWS::CloudWatch::Dashboard')),
      count('AWS::CloudWatch::Dashboard') * MONTHLY.dashboard,
    ],
    [
      'Secrets',
      String(count('AWS::SecretsManager::Secret')),
      count('AWS::SecretsManager::Secret') * MONTHLY.secret,
    ],
    ['Queues that Lambda asks', String(queues), queues * POLLS_A_MINUTE * MINUTES * PER_REQUEST.sqs],
    ['Sweeps that find nothing', `${String(MINUTES)} of ${String(queries)} queries`, sweep * MINUTES],
    [
      'Firewall',
      `${String(rules)} rules`,
      count('AWS::WAFv2::WebACL') * MONTHLY.webAcl + rules * MONTHLY.webAclRule,
    ],
  ];
  return rows.filter(([, , dollars]) => dollars > 0);
}

const hot = (architecture: keyof typeof PROVISIONED) =>
  REACTOR_GIGABYTES * SECONDS * PROVISIONED[architecture];

/** The table of docs/deploy.md: of a deployment, and of one with an edge. */
async function costsTable(): Promise<string> {
  const plain = await rowsOf({});
  const edge = await rowsOf({
    edge: 'cloudfront-waf',
    domainName: 'vault.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
  });
  const cell = (row: Row | undefined) => (row === undefined ? '|' : `${row[1]} | ${row[2].toFixed(2)}`);
  const names = [...new Set([...plain, ...edge].map(([name]) => name))];
  const named = (rows: readonly Row[], name: string) => rows.find((row) => row[0] === name);
  const total = (rows: readonly Row[]) => rows.reduce((sum, [, , dollars]) => sum + dollars, 0).toFixed(2);
  const lines = [
    '| A month, idle | Count | Dollars | With an edge | Dollars |',
    '| --- | --- | --- | --- | --- |',
    ...names.map((name) => `| ${name} | ${cell(named(plain, name))} | ${cell(named(edge, name))} |`),
    `| **All of it** | | **${total(plain)}** | | **${total(edge)}** |`,
    `| Each instance of a reactor that is kept running, arm64 | | ${hot('arm64').toFixed(2)} | | ${hot('arm64').toFixed(2)} |`,
    `| The same, x86_64 | | ${hot('x86_64').toFixed(2)} | | ${hot('x86_64').toFixed(2)} |`,
  ];
  return lines.join('\n');
}

const DOCUMENT = 'docs/deploy.md';
const BLOCK = /<!-- costs -->[^]*?<!-- end -->/;

/** The document with the costs of the templates as they are. */
export async function withCosts(): Promise<string> {
  const text = readFileSync(DOCUMENT, 'utf8');
  if (!BLOCK.test(text)) throw new Error(`${DOCUMENT} has no place for the costs`);
  const table = await costsTable();
  const written = text.replace(BLOCK, () => `<!-- costs -->\n\n${table}\n\n<!-- end -->`);
  return format(written, { ...(await resolveConfig(DOCUMENT)), filepath: DOCUMENT });
}

if (import.meta.main) {
  console.log(await costsTable());
  if (process.argv.includes('--write')) writeFileSync(DOCUMENT, await withCosts());
}
