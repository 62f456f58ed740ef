import { readFileSync } from 'node:fs';
import { reactorLayerName } from '../../lib/deployment-names.ts';
import { perImage } from '../../lib/environments.ts';
import type { LocalClients } from '../../src/adapters/aws/client-settings.ts';
import { machineEgressInstance, type EgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import type { InvocationQueue } from '../../src/core/reactors/invocation-store.ts';
import { dependencies as operator } from '../../functions/operator/dependencies.ts';
import { dependencies as worker } from '../../functions/reactor-worker/dependencies.ts';
import { dependencies as reactors } from '../../functions/reactors/dependencies.ts';
import { dependencies as sender } from '../../functions/webhook-sender/dependencies.ts';
import { ALL_CHANGED, BACKUP, LONGEST, synthesized } from '../support/synthesized.ts';

type Properties = Record<string, any>;

/** The resources of a type in the templates, by their logical ids. */
function resources(type: string, settings: Readonly<Record<string, unknown>> = {}, region?: string) {
  const found = synthesized(settings, region).flatMap(({ template }) => Object.entries(template.Resources));
  return found.flatMap(([id, { Type, Properties: properties }]) =>
    Type === type ? [[id, properties as Properties] as const] : [],
  );
}

/** The logical id of each function begins with its word here. */
const FUNCTIONS = {
  tokens: 'Tokens',
  applications: 'Applications',
  proxy: 'ProxyFunction',
  proxies: 'Proxies',
  reactors: 'Reactors',
  logs: 'Logs',
  'reactor-worker': 'Worker',
  'webhook-sender': 'Sender',
  sweeper: 'Sweeper',
  operator: 'OperatorFunction',
  'operator-access': 'OperatorAccess',
  republisher: 'Republisher',
  'audit-sealer': 'AuditSealer',
} as const;
type FunctionName = keyof typeof FUNCTIONS;
const NAMES = Object.keys(FUNCTIONS) as readonly FunctionName[];

/** A value of a template as a text: a reference as its JSON, which has the logical id. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

type Environment = Readonly<Record<string, string>>;

function environments(
  settings: Readonly<Record<string, unknown>> = {},
  region?: string,
): ReadonlyMap<string, Environment> {
  const all = resources('AWS::Lambda::Function', settings, region);
  return new Map(
    NAMES.map((name) => {
      const [, properties] = all.find(([id]) => id.startsWith(FUNCTIONS[name])) ?? [];
      const variables: Readonly<Record<string, unknown>> = properties?.['Environment'].Variables ?? {};
      return [
        name,
        Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, textOf(value)])),
      ];
    }),
  );
}

/** The cells of the rows of a table in a page, below a heading. */
function rowsBelow(page: string, heading: string): readonly (readonly string[])[] {
  const text = readFileSync(page, 'utf8');
  const [section = ''] = text.slice(text.indexOf(`\n${heading}\n`) + 1).split(/\n(?=## )/);
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** Functions that a page names by their kind. */
const KINDS: Readonly<Record<string, readonly FunctionName[]>> = {
  'those behind the API': ['tokens', 'applications', 'proxy', 'proxies', 'reactors', 'logs'],
  'all that write to the trail': NAMES.filter(
    (name) => !['sweeper', 'audit-sealer', 'republisher'].includes(name),
  ),
};

function namedBy(text: string): readonly string[] {
  if (text in KINDS || !text.startsWith('all'))
    return text.split(', ').flatMap((name) => KINDS[name] ?? name);
  const others = [...text.matchAll(/the ([a-z-]+)/g)].map(([, name]) => name);
  return NAMES.filter((name) => !others.includes(name));
}

describe('the environment of the functions', () => {
  it('is the one of the documentation: each variable for the functions that it names', () => {
    const documented = rowsBelow('docs/architecture.md', '## Environment of the functions').map(
      ([variable = '', functions = '']) => [variable.replaceAll('`', ''), namedBy(functions).toSorted()],
    );
    const actual = [...environments()].flatMap(([name, environment]) =>
      Object.keys(environment).map((variable) => [variable, name] as const),
    );
    const variables = [...new Set(actual.map(([variable]) => variable))];
    const having = (wanted: string) =>
      actual.flatMap(([variable, name]) => (variable === wanted ? [name] : []));
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries(variables.map((variable) => [variable, having(variable).toSorted()])),
    );
  });

  it.each<[variable: string, value: RegExp]>([
    ['ACCESS_TABLE', /^Vault-3-Access$/],
    ['AUDIT_INDEX_TABLE', /^Vault-3-AuditIndex$/],
    ['AUDIT_RETENTION_DAYS', /^731$/],
    ['AUDIT_SEALS_TABLE', /^Vault-3-AuditSeals$/],
    ['AUDIT_TABLE', /^Vault-3-Audit$/],
    ['CLIENT_COMPATIBILITY', /^lenient$/],
    ['CVC_LIFETIME_SECONDS', /^600$/],
    ['DELIVERIES_QUEUE_URL', /DeliveriesQueue/],
    ['DOCS_URL', /^https:\/\/docs\.example\.com$/],
    ['EGRESS_ALLOW_LIST', /^psp\.example\.com$/],
    ['EPHEMERAL_TABLE', /^Vault-3-Ephemeral$/],
    ['HEADER_PREFIXES', /^SVC,OLD$/],
    ['HOT_CONCURRENCY', /^0$/],
    ['HOT_INSTANCES', /^7$/],
    ['INVOCATIONS_QUEUE_URL', /InvocationsQueue/],
    ['KEY_ID', /GetAttKey[0-9A-F]{8}Arn/],
    ['KEY_ROTATION_DAYS', /^30$/],
    ['PROXY_REDIRECTS', /^raw$/],
    ['PUBLIC_URL', /^https:\/\/vault\.example\.com$/],
    ['REACTORS_TABLE', /^Vault-3-Reactors$/],
    ['REACTOR_ARCHITECTURE', /^x86_64$/],
    ['REACTOR_FUNCTION_PREFIX', /^Vault-3-reactor-$/],
    ['REACTOR_IMAGES', /^node24$/],
    ['REACTOR_PACKAGES', /^allowed$/],
    ['REACTOR_LAYERS', /"node16=",\{"Ref":"Runtime[\dA-F]{8}"\},",node24=",\{"Ref":"RuntimeNode24/],
    ['REACTORS_FUNCTION', /ReactorsLive/],
    ['REACTORS_PER_TENANT', /^8$/],
    ['REACTOR_LAYER_NAMES', /^node16=Vault-3-reactor-runtime,node24=Vault-3-reactor-runtime-node24$/],
    ['REACTOR_LAYER_HASHES', /^node16=node16 \w+ \w+,node24=node24 \w+ \w+$/],
    ['REPUBLISHER', /^Vault-3-republisher$/],
    ['RESOURCE_TAGS', /^team=payments$/],
    ['REACTOR_ROLE', /^\{"Fn::GetAtt":\["ReactorRole/],
    ['SEAL_KEY_ID', /GetAttSealKey[0-9A-F]{8}Arn/],
    ['SERVICE_NAME', /^Vault-3$/],
    ['TOKENS_TABLE', /^Vault-3-Tokens$/],
  ])('%s has the value of its setting or resource in each function', (variable, expected) => {
    const values = [...environments(ALL_CHANGED).values()].flatMap(
      (environment) => environment[variable] ?? [],
    );
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect(value).toMatch(expected);
  });
});

it('no function has more variables than the 4 KB that Lambda accepts, with the longest settings', () => {
  expect(LONGEST.egressAllowList).toHaveLength(1_239);
  // The longest reference is the ARN of an alias, and a version of the secret has 64.
  const lengthOf = (value: string) =>
    value.startsWith('{')
      ? 150 * Math.max(1, value.match(/resolve:secretsmanager/g)?.length ?? 0)
      : value.length;
  const layerArn = `arn:aws-us-gov:lambda:us-gov-west-1:123456789012:layer:${reactorLayerName(LONGEST.serviceName, 'node24')}:12345`;
  const ofLayers = {
    REACTOR_LAYERS: perImage(() => layerArn),
    REACTOR_LAYER_HASHES: perImage(() => 'f'.repeat(64)),
  };
  for (const [name, environment] of environments(LONGEST, 'eu-west-1')) {
    const variables = Object.entries({
      ...environment,
      ...(environment['REACTOR_LAYERS'] !== undefined && ofLayers),
    });
    const bytes = variables.map(([key, value]) => key.length + lengthOf(value));
    const total = bytes.reduce((sum, each) => sum + each, 0);
    expect([name, total <= 4_096]).toEqual([name, true]);
  }
});

/** An instance whose queues note the address of each message. */
function noting(sent: string[]): EgressInstance {
  const refusing = { send: () => Promise.reject(new Error('no other call is made')) };
  const sqs = {
    send: ({ input }: { readonly input: { readonly QueueUrl: string } }) => {
      sent.push(input.QueueUrl);
      return Promise.resolve({});
    },
  };
  const clients = { dynamoDb: refusing, kms: refusing, lambda: refusing, sqs } as unknown as LocalClients;
  const instance = machineEgressInstance();
  return { ...instance, aws: { ...instance.aws, clients } };
}

interface Queues {
  readonly invocationQueue?: InvocationQueue;
  readonly deliveryQueue?: InvocationQueue;
}

it.each<[FunctionName, (environment: Environment, instance: EgressInstance) => Queues, readonly string[]]>([
  ['reactors', reactors, ['Invocations', 'Deliveries']],
  ['reactor-worker', worker, ['Invocations', 'Deliveries']],
  ['webhook-sender', sender, ['Deliveries']],
  ['operator', operator, ['Deliveries']],
])(
  '%s sends invocations and deliveries to the queues of these names',
  async (name, dependencies, expected) => {
    const sent: string[] = [];
    // The template joins the ARNs, which only CloudFormation knows.
    const env = { ...environments().get(name), REACTOR_LAYERS: 'node16=layer:1,node24=layer:1' };
    const { invocationQueue, deliveryQueue } = dependencies(env, noting(sent));
    for (const queue of [invocationQueue, deliveryQueue]) await queue?.send({ tenantId: 't', id: 'i' });
    expect(sent.map((url) => /(\w+)Queue[0-9A-F]{8}/.exec(url)?.[1]?.replace(/^.*Ref/, ''))).toEqual(
      expected,
    );
  },
);

it('the operator counts the messages of both queues under their names', async () => {
  const asked: string[] = [];
  const { waiting } = operator(environments().get('operator') ?? {}, noting(asked));
  await waiting.invocations?.();
  await waiting.deliveries?.();
  expect(asked).toEqual([expect.stringContaining('Invocations'), expect.stringContaining('Deliveries')]);
});

describe('the conditions of alarms', () => {
  /** Describes the value that an alarm compares, and the period of each in seconds. */
  function valueOf({ Metrics: metrics, MetricName: name, Statistic: statistic, Period: period }: Properties) {
    if (metrics === undefined) return { value: `${statistic} of ${name}`, period };
    const [{ Expression: expression }] = metrics;
    const stats = metrics.flatMap(({ MetricStat: stat }: Properties) => stat ?? []);
    const named = [...new Set(stats.map(({ Metric }: Properties) => Metric.MetricName))]
      .toSorted()
      .join(', ');
    const [{ Period: each, Stat: stat }] = stats;
    if (expression === undefined) return { value: `${stat} of ${named}`, period: each };
    const kind = /^FILL\(\w+, 0\)(?: \+ FILL\(\w+, 0\))+$/.test(expression)
      ? 'total'
      : /^MAX\(\[FILL\(\w+, 0\)(?:, FILL\(\w+, 0\))+\]\)$/.test(expression)
        ? 'largest'
        : undefined;
    const percentile = stat.startsWith('p') ? ` ${stat}` : '';
    return {
      value: kind === undefined ? `\`${expression}\`` : `${kind}${percentile} of ${named}`,
      period: each,
    };
  }

  it('are those of the runbook', () => {
    const actual = resources('AWS::CloudWatch::Alarm', BACKUP, 'eu-west-1').map(([, alarm]) => {
      const { value, period } = valueOf(alarm);
      const sign = alarm['ComparisonOperator'] === 'LessThanThreshold' ? 'less than' : 'at least';
      return [
        alarm['AlarmName'].replace('Cloakroom-', ''),
        value,
        `${sign} ${alarm['Threshold'].toLocaleString('en')}`,
        `${alarm['DatapointsToAlarm'] ?? alarm['EvaluationPeriods']} of ${alarm['EvaluationPeriods']}`,
        String(period / 60),
        alarm['TreatMissingData'] === 'breaching' ? 'fires' : 'does not fire',
      ];
    });
    expect(rowsBelow('docs/runbook.md', '## When each alarm fires')).toEqual(actual);
  });
});
