import { generateKeyPairSync } from 'node:crypto';
import { runSealer } from '../../functions/audit-sealer/run-sealer.ts';
import { newSealerMemory } from '../../src/core/trail/seal-trail.ts';
import { TRAIL_SHARDS } from '../../src/core/audit/audit-record.ts';
import { aSealSigner } from '../../test/support/fakes/a-seal-signer.ts';
import { tablesInMemory } from '../../test/support/stores-in-memory.ts';
import { createIndexStore } from '../../src/adapters/dynamodb/index-store.ts';
import { createSealHead, createSealStore } from '../../src/adapters/dynamodb/seal-store.ts';
import { createTrailReader } from '../../src/adapters/dynamodb/trail-reader.ts';
import {
  DUE_PARTITIONS,
  PARKED_PARTITION,
  RETRIED_PARTITION,
  WAITING_PARTITION,
} from '../../src/adapters/dynamodb/keys.ts';
import { REACTOR_MEMORY_MB } from '../../src/core/reactors/layer.ts';
import { DUE_WORKS, type DueWork } from '../../src/core/sweep/sweep.ts';
import { runSweep } from '../../functions/sweeper/run-sweep.ts';
import { ALARM_NAMES, alarmsOf } from '../../lib/alarms.ts';
import { PRICES } from '../../lib/prices.ts';
import { parseSettings } from '../../lib/settings.ts';
import { functionOf, logDollars, loggedBytes } from './request-costs.ts';
import { templateResources, type Resource } from './template-resources.ts';
import { printedMetrics } from '../../src/lambda/printed-metrics.ts';
import { auditCheckReports } from '../../src/lambda/audit-metrics.ts';
import { createLog } from '../../src/lambda/request-log.ts';

const MINUTES = 43_800;
const SECONDS = MINUTES * 60;
/**
 * Lambda polls an idle queue with five connections, each of which waits 20 seconds (AWS Lambda
 * Developer Guide, Amazon SQS).
 */
const POLLS_A_MINUTE = 5 * 3;
/** The duration of a sweep without work on AWS is unknown, so it is assumed. */
const IDLE_SWEEP_SECONDS = 0.3;
/** The duration of a seal without records is assumed for the same reason. */
const IDLE_SEAL_SECONDS = 0.2;

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** AWS charges an alarm for one metric, or for each metric that its expression names. */
function metricsOf({ Properties: { Metrics: metrics } = {} }: Resource): number {
  if (!Array.isArray(metrics)) return 1;
  return metrics.filter((each: object) => 'MetricStat' in each).length;
}

/** A log line from which CloudWatch makes metrics. */
interface EmbeddedMetrics {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly { readonly Metrics: readonly { readonly Name: string }[] }[];
  };
  readonly Work?: string;
}

/** The log of a sweep without work: bytes, and the metrics that CloudWatch extracts. */
async function idleSweep(): Promise<{ readonly logBytes: number; readonly metrics: readonly string[] }> {
  const works = DUE_WORKS.map((name): DueWork => ({
    name,
    async *due() {
      yield await Promise.resolve([]);
    },
  }));
  const none = () => Promise.resolve(0);
  const lines: string[] = [];
  const metrics = printedMetrics((line) => lines.push(line), 'Cloakroom', 'sweeper');
  const onFailure = (error: unknown) => {
    throw error;
  };
  const deps = {
    // It is the first minute of an hour, whose run has all metrics.
    clock: () => 0,
    works,
    keepHot: () => Promise.resolve(),
    parkedDeliveries: none,
    coldReactors: none,
    outdatedReactors: none,
    metrics,
    onFailure,
  };
  await runSweep(deps, 60_000);
  return { logBytes: loggedBytes(lines), metrics: metricsIn(lines) };
}

/** The metrics that CloudWatch makes of lines, by name and kind of work. */
const metricsIn = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((text) => {
    const { _aws: embedded, Work: work = '' } = JSON.parse(text) as EmbeddedMetrics;
    return embedded.CloudWatchMetrics.flatMap(({ Metrics: all }) => all.map(({ Name }) => `${Name} ${work}`));
  });

/** The metrics of the hourly check. AWS charges a metric for each hour in which it has a value. */
function checkMetrics(): readonly string[] {
  const lines: string[] = [];
  const reports = auditCheckReports((line) => lines.push(line), 'Cloakroom');
  reports.onAuditChecked({ failures: 0, broken: [], isFinished: true, lagMs: 0 });
  reports.onTrailProtection([]);
  reports.onDataProtection([]);
  return metricsIn(lines);
}

/** The cost of a sealer run that seals a minute without records, and its metrics. */
async function idleSeal(resources: readonly Resource[]) {
  const { gigabytes, traces } = functionOf(resources, 'Seals the audit trail');
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { table } = tablesInMemory();
  const deps = {
    trail: createTrailReader(table('Audit')),
    seals: createSealStore(table('AuditSeals')),
    indexes: createIndexStore(table('AuditIndex'), table('Audit')),
    memory: newSealerMemory(),
    head: createSealHead(table('Access')),
    signer: aSealSigner(privateKey),
    publicKey: () => Promise.resolve(publicKey),
    onIndexingFailed: () => undefined,
    clock: Date.now,
    metrics: printedMetrics(print, 'Cloakroom', 'audit'),
    writeLog: createLog(print).write,
  };
  await runSealer(deps, 60_000);
  // Consistent queries for marks, the newest seal, twice, and the head, twice: one unit each.
  const reads = (TRAIL_SHARDS + 2) * PRICES.infrequent.readUnit + 2 * PRICES.readUnit;
  const dollars =
    reads +
    // Each writes one item: the first is the seal, the second is the head.
    PRICES.infrequent.writeUnit +
    PRICES.writeUnit +
    PRICES.kmsSignature +
    PRICES.lambdaRequest +
    IDLE_SEAL_SECONDS * gigabytes * PRICES.gigabyteSecond +
    logDollars(loggedBytes(lines)) +
    (traces > 0 ? PRICES.trace : 0);
  return { dollars, metrics: metricsIn(lines) };
}

function firewallOf(resources: readonly Resource[]): { readonly rules: number; readonly dollars: number } {
  const acls = resources.filter(({ Type }) => Type === 'AWS::WAFv2::WebACL');
  const rules = acls.reduce((sum, acl) => sum + lengthOf(acl.Properties?.['Rules']), 0);
  return { rules, dollars: acls.length * PRICES.month.webAcl + rules * PRICES.month.webAclRule };
}

type Row = readonly [what: string, count: string, dollars: number];

/** Partitions that only the due index of the Reactors table has, and those that are counted too. */
const OF_REACTORS = [RETRIED_PARTITION, PARKED_PARTITION, WAITING_PARTITION];
const COUNTED = [PARKED_PARTITION];
/** The item that says which reactors have running instances is read to decide, and to count. */
const HOT_READS = 2;

async function rowsOf(resources: readonly Resource[]): Promise<readonly Row[]> {
  const all = (type: string) => resources.filter(({ Type }) => Type === type);
  const count = (type: string) => all(type).length;
  const alarmMetrics = all('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0);
  const firewall = firewallOf(resources);
  const queues = count('AWS::Lambda::EventSourceMapping');
  const { logBytes, metrics: custom } = await idleSweep();
  const { gigabytes, traces } = functionOf(resources, 'Removes what is due');
  const queries = DUE_WORKS.length * DUE_PARTITIONS.length + OF_REACTORS.length + COUNTED.length;
  const sweep =
    (queries * 0.5 + HOT_READS) * PRICES.readUnit +
    PRICES.lambdaRequest +
    IDLE_SWEEP_SECONDS * gigabytes * PRICES.gigabyteSecond +
    logDollars(logBytes) +
    // X-Ray records the first request of each second, so all of them.
    (traces > 0 ? PRICES.trace : 0);
  const seal = await idleSeal(resources);
  const ownMetrics = new Set([...custom, ...seal.metrics, ...checkMetrics()]).size;
  const rows: readonly Row[] = [
    ['KMS keys', String(count('AWS::KMS::Key')), count('AWS::KMS::Key') * PRICES.month.key],
    ['Metrics that alarms look at', String(alarmMetrics), alarmMetrics * PRICES.month.alarmMetric],
    ['Metrics of our own', String(ownMetrics), ownMetrics * PRICES.month.customMetric],
    [
      'Dashboards',
      String(count('AWS::CloudWatch::Dashboard')),
      count('AWS::CloudWatch::Dashboard') * PRICES.month.dashboard,
    ],
    [
      'Secrets',
      String(count('AWS::SecretsManager::Secret')),
      count('AWS::SecretsManager::Secret') * PRICES.month.secret,
    ],
    ['Queues that Lambda asks', String(queues), queues * POLLS_A_MINUTE * MINUTES * PRICES.sqsRequest],
    ['Seals of nothing', `${String(MINUTES)} signatures`, seal.dollars * MINUTES],
    ['Sweeps that find nothing', `${String(MINUTES)} of ${String(queries)} queries`, sweep * MINUTES],
    ['Firewall', `${String(firewall.rules)} rules`, firewall.dollars],
  ];
  return rows.filter(([, , dollars]) => dollars > 0);
}

const hot = (architecture: keyof typeof PRICES.provisionedGigabyteSecond) =>
  (REACTOR_MEMORY_MB / 1024) * SECONDS * PRICES.provisionedGigabyteSecond[architecture];

/** KMS rotates a key once a year and charges the first two rotations, so the price rises twice. */
export function rotationDollars(resources: readonly Resource[], year: number): number {
  const rotated = resources.filter(
    ({ Type, Properties }) => Type === 'AWS::KMS::Key' && Properties?.['EnableKeyRotation'] === true,
  );
  return rotated.length * Math.min(year - 1, 2) * PRICES.month.keyRotation;
}

/** The settings of a deployment with a domain, to which the others are added. */
const DOMAIN = {
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/x',
};

/**
 * The costs that sites of static files add in a month: their firewalls. Nothing else of them costs
 * idle.
 */
function siteRows(): readonly string[] {
  const row = (name: string, settings: Readonly<Record<string, string>>) => {
    const { rules, dollars } = firewallOf(templateResources({ ...DOMAIN, ...settings }));
    const count = rules === 0 ? 'no rule' : `${String(rules)} rule`;
    const cell = `${count} | ${dollars.toFixed(2)}`;
    return `| ${name} | ${cell} | ${cell} |`;
  };
  return [
    row('The firewall of a console', {
      console: 'console.example.com',
      consoleCertificateArn: DOMAIN.certificateArn,
      consoleNetworks: '203.0.113.0/24,2001:db8::/32',
    }),
    row('Card fields, which have none', {
      fields: 'fields.example.net',
      fieldsCertificateArn: DOMAIN.certificateArn,
      fieldsOrigins: 'https://shop.example.com',
    }),
  ];
}

/** The cost of an idle deployment, and of one with an edge. */
export async function idleTable(): Promise<string> {
  const resources = templateResources({});
  const withEdge = templateResources({ ...DOMAIN, edge: 'cloudfront-waf' });
  const plain = await rowsOf(resources);
  const edge = await rowsOf(withEdge);
  const cell = (row: Row | undefined) => (row === undefined ? '|' : `${row[1]} | ${row[2].toFixed(2)}`);
  const names = [...new Set([...plain, ...edge].map(([name]) => name))];
  const named = (rows: readonly Row[], name: string) => rows.find((row) => row[0] === name);
  const sumOf = (rows: readonly Row[]) => rows.reduce((sum, [, , dollars]) => sum + dollars, 0);
  const inYear = (year: number) =>
    [sumOf(plain) + rotationDollars(resources, year), sumOf(edge) + rotationDollars(withEdge, year)].map(
      (dollars) => dollars.toFixed(2),
    );
  const total = (name: string, year: number) => {
    const [without, withIt] = inYear(year);
    return `| ${name} | | **${String(without)}** | | **${String(withIt)}** |`;
  };
  const lines = [
    '| A month, idle | Count | Dollars | With an edge | Dollars |',
    '| --- | --- | --- | --- | --- |',
    ...names.map((name) => `| ${name} | ${cell(named(plain, name))} | ${cell(named(edge, name))} |`),
    total('**All of it**, in the first year', 1),
    total('In the second year, after a rotation of the KMS key', 2),
    total('From the third year on, after two', 3),
    `| Each provisioned instance of a reactor, arm64 | | ${hot('arm64').toFixed(2)} | | ${hot('arm64').toFixed(2)} |`,
    `| The same, x86_64 | | ${hot('x86_64').toFixed(2)} | | ${hot('x86_64').toFixed(2)} |`,
    ...siteRows(),
  ];
  return lines.join('\n');
}

const alarmsIn = (settings: Readonly<Record<string, string>>): ReadonlyMap<string, number> =>
  new Map(
    templateResources(settings)
      .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
      .map((alarm) => [String(alarm.Properties?.['AlarmName']).replace('Cloakroom-', ''), metricsOf(alarm)]),
  );

/** The monthly cost of each alarm, and of the sets among which a setting chooses. */
export function alarmTable(): string {
  const backupCopyTo = 'arn:aws:backup:eu-central-1:123456789012:backup-vault:copies';
  const settings = { ...DOMAIN, backup: 'daily', backupCopyTo, alarmReveals: '1000', alarmSilence: '60' };
  const all = alarmsIn({ ...settings, alarms: 'all' });
  const basic = alarmsIn({ ...settings, alarms: 'basic' });
  const cells = (count: number) => `${String(count)} | ${(count * PRICES.month.alarmMetric).toFixed(2)}`;
  const total = (of: ReadonlyMap<string, number>) =>
    cells([...of.values()].reduce((sum, each) => sum + each, 0));
  const wanted = alarmsOf({ ...parseSettings({ ...settings, alarms: 'basic' }) });
  return [
    '| Alarm | In `basic` | Metrics that it watches | Dollars a month |',
    '| --- | --- | --- | --- |',
    ...ALARM_NAMES.map(
      (name) => `| ${name} | ${wanted.has(name) ? 'yes' : ''} | ${cells(all.get(name) ?? 0)} |`,
    ),
    `| **alarms=all** | | ${total(all)} |`,
    `| **alarms=basic** | | ${total(basic)} |`,
  ].join('\n');
}
