import { generateKeyPairSync } from 'node:crypto';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { DUE_WORKS } from '../../src/core/sweep/sweep.ts';
import { dependencies as workerDependencies } from '../../functions/reactor-worker/dependencies.ts';
import { dependencies as sweeperDependencies } from '../../functions/sweeper/dependencies.ts';
import { dependencies as sealerDependencies } from '../../functions/audit-sealer/dependencies.ts';
import { runSealer } from '../../functions/audit-sealer/run-sealer.ts';
import { newSealerMemory } from '../../src/core/trail/seal-trail.ts';
import { parkedReports } from '../../src/lambda/delivery-report.ts';
import { keyReports } from '../../src/lambda/key-metrics.ts';
import { proxyReports } from '../../src/lambda/proxy-metrics.ts';
import { auditCheckReports, auditReports } from '../../src/lambda/audit-metrics.ts';
import { aSealSigner } from '../support/fakes/a-seal-signer.ts';
import { tablesInMemory } from '../support/stores-in-memory.ts';
import { createIndexStore } from '../../src/adapters/dynamodb/index-store.ts';
import { createSealHead, createSealStore } from '../../src/adapters/dynamodb/seal-store.ts';
import { createTrailReader } from '../../src/adapters/dynamodb/trail-reader.ts';
import {
  alarmDefinition,
  alarmProperties,
} from '../../packages/local-aws/src/cloudwatch/alarm-definition.ts';
import { evaluateAlarm } from '../../packages/local-aws/src/cloudwatch/evaluate-alarm.ts';
import { ALARM_NAMES } from '../../lib/alarms.ts';
import { alarmProblems } from '../support/alarm-walk.ts';
import { emittedMetrics, emittedWhile } from '../support/emitted-metrics.ts';
import { DOMAIN, EDGE, synthesized } from '../support/synthesized.ts';
import { machineInstance, type Instance } from '../../src/adapters/instance.ts';
import type { Print } from '../../src/lambda/request-log.ts';

type Properties = Record<string, any>;

/** The resources of a type in all stacks, to read or to break. */
const resources = (stacks: readonly Stack[], type: string): { id: string; properties: Properties }[] =>
  stacks.flatMap(({ template }) =>
    Object.entries(template.Resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties }]) => ({ id, properties: Properties })),
  );

const first = (
  stacks: readonly Stack[],
  type: string,
  beginning = '',
): { id: string; properties: Properties } => {
  const found = resources(stacks, type).find(({ id }) => id.startsWith(beginning));
  if (found === undefined) throw new Error(`no ${type} ${beginning}`);
  return found;
};

function environmentOf(stacks: readonly Stack[], beginning: string): Readonly<Record<string, string>> {
  const { Environment } = first(stacks, 'AWS::Lambda::Function', beginning).properties;
  // References belong to other variables: this reads the plain ones.
  return Object.fromEntries(
    Object.entries<unknown>(Environment.Variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : 'a-reference',
    ]),
  );
}

/** Alarms about events of AWS, which use no metric, and the rules of all alarms. */
const EVENT_ALARMS = ['KeyChanged', 'AuditChanged', 'CodeChanged'];
const RULES = resources(synthesized(), 'AWS::Events::Rule').filter(({ properties }) =>
  String(properties['Description']).includes('docs/runbook.md'),
).length;
/** Alarms that a setting switches on. */
const OPTIONAL = ['RevealsHigh', 'Silent', 'CertificateEnds', 'BackupFailed', 'BackupLate'];
const METRIC_ALARMS = ALARM_NAMES.length - EVENT_ALARMS.length - OPTIONAL.length;

const printingThrough = (print: Print): Instance => ({ ...machineInstance(), print });

/** The metrics of the sealer in a run with nothing to seal. */
async function emittedBySealer(environment: Readonly<Record<string, string>>) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { table } = tablesInMemory();
  const deps = {
    trail: createTrailReader(table('Audit')),
    seals: createSealStore(table('AuditSeals')),
    head: createSealHead(table('Access')),
    signer: aSealSigner(privateKey),
    publicKey: () => Promise.resolve(publicKey),
    clock: () => 1_800_000_000_000,
    onIndexingFailed: () => undefined,
    indexes: createIndexStore(table('AuditIndex'), table('Audit')),
    memory: newSealerMemory(),
  };
  return emittedWhile((print) => {
    const { metrics, writeLog } = sealerDependencies(environment, printingThrough(print));
    return runSealer({ ...deps, metrics, writeLog }, 58_000);
  });
}

/** The metrics of the functions of these templates, created from their environments. */
async function emittedBy(stacks: readonly Stack[]) {
  const works = DUE_WORKS.map((name) => ({ name, async *due() {} }));
  const beginnings = ['Sweeper', 'Worker', 'AuditSealer', 'Tokens', 'OperatorFunction', 'OperatorAccess'];
  const [sweeper, worker, sealer, tokens, operator, access] = beginnings.map((beginning) =>
    environmentOf(stacks, beginning),
  );
  return [
    ...(await emittedMetrics(
      works,
      (print) => sweeperDependencies(sweeper ?? {}, printingThrough(print)).metrics,
    )),
    ...(await emittedWhile((print) => {
      workerDependencies(worker ?? {}, printingThrough(print)).onReleased(301_000);
    })),
    ...(await emittedWhile((print) => {
      parkedReports(print, sweeper?.['SERVICE_NAME'] ?? '')();
    })),
    ...(await emittedBySealer(sealer ?? {})),
    ...(await emittedWhile((print) => {
      keyReports(print, tokens?.['SERVICE_NAME'] ?? '').onRetiredKeyUsed();
    })),
    ...(await emittedWhile((print) => {
      keyReports(print, access?.['SERVICE_NAME'] ?? '').onManagementKeyCreated();
    })),
    ...(await emittedWhile((print) => {
      const { onSecretGuessed, onSecretsForgotten } = proxyReports(print, tokens?.['SERVICE_NAME'] ?? '');
      const found = { traceId: 'x', tenantId: 'x', proxyId: 'x' };
      onSecretGuessed({ ...found, name: 'X' });
      onSecretsForgotten(found);
    })),
    ...(await emittedWhile((print) => {
      const { onAuditUnavailable, onAuditEndMissing } = auditReports(print, tokens?.['SERVICE_NAME'] ?? '');
      for (const report of [onAuditUnavailable, onAuditEndMissing]) report(new Error('x'));
    })),
    ...(await emittedWhile((print) => {
      const { onAuditChecked, onTrailProtection, onDataProtection } = auditCheckReports(
        print,
        operator?.['SERVICE_NAME'] ?? '',
      );
      onAuditChecked({ failures: 0, broken: [], isFinished: true, lagMs: 0 });
      onTrailProtection([]);
      onDataProtection([]);
    })),
  ];
}

const problems = async (stacks: readonly Stack[]) => alarmProblems(stacks, await emittedBy(stacks));

const WITHOUT_EDGE = { ...EDGE, ...DOMAIN, edge: 'none' };

describe('every alarm notifies and uses a metric that is emitted', () => {
  it.each([
    ['the default settings', {}],
    ['another name, and an email address', { serviceName: 'Vault-2', alarmEmail: 'on-call@example.com' }],
    ['a domain', WITHOUT_EDGE],
    ['an edge', EDGE],
    ['other processors, and no provisioned reactor', { architecture: 'x86_64', hotConcurrency: 0 }],
  ])('every alarm notifies and uses a metric that is emitted, with %s', async (_what, settings) => {
    const stacks = synthesized(settings, 'eu-west-1');
    expect(resources(stacks, 'AWS::CloudWatch::Alarm')).toHaveLength(METRIC_ALARMS);
    expect(await problems(stacks)).toEqual([]);
  });
});

it('InvocationsWaiting reports the wait in the queue and that of returned invocations', () => {
  const { Metrics } = first(synthesized(), 'AWS::CloudWatch::Alarm', 'InvocationsWaiting').properties;
  const names = (Metrics as Properties[]).flatMap(({ Id, MetricStat }) =>
    MetricStat === undefined ? [] : [[Id, MetricStat.Metric.MetricName]],
  );
  expect(Metrics[0]['Expression']).toBe('MAX([FILL(w0, 0), FILL(w1, 0)])');
  expect(names).toEqual([
    ['w0', 'ApproximateAgeOfOldestMessage'],
    ['w1', 'InvocationWaitSeconds'],
  ]);
});

it.each([
  // The check runs once an hour: one value in three hours suffices, and none is a fault.
  ['AuditCheckLate', { Period: 10_800, EvaluationPeriods: 1, TreatMissingData: 'breaching' }],
  ['AuditUnprotected', { Period: 10_800, EvaluationPeriods: 1, TreatMissingData: 'breaching' }],
  // A failure of one run stays until the next one.
  ['AuditBroken', { EvaluationPeriods: 130, DatapointsToAlarm: 1, TreatMissingData: 'notBreaching' }],
  ['AuditSealLate', { Threshold: 600, TreatMissingData: 'breaching' }],
  ['AuditIndexLate', { Threshold: 43_200, TreatMissingData: 'breaching' }],
])('%s neither flaps nor hides what is missing', (name, expected) => {
  const alarm = resources(synthesized(), 'AWS::CloudWatch::Alarm').find(
    ({ properties }) => properties['AlarmName'] === `Cloakroom-${name}`,
  );
  expect(alarm?.properties).toMatchObject(expected);
});

describe('ManagementKeyCreated', () => {
  const { AlarmActions: _, ...properties } = first(
    synthesized(),
    'AWS::CloudWatch::Alarm',
    'ManagementKeyCreated',
  ).properties;
  const alarm = alarmDefinition('ManagementKeyCreated', alarmProperties.parse(properties));
  const read = (values: readonly number[]) => alarm.valueOf(() => values.reduce((sum, each) => sum + each));

  it('rings for one key, which is one value of its metric', async () => {
    const emitted = await emittedWhile((print) => {
      keyReports(print, 'Cloakroom').onManagementKeyCreated();
    });
    const values = emitted.map(({ value }) => Number(value));
    expect(evaluateAlarm(alarm, ['missing', 'missing', read(values) ?? 'missing'], 'OK').state).toBe('ALARM');
  });

  it('is silent in minutes without a key, and after one', () => {
    expect(evaluateAlarm(alarm, ['missing', 'missing', 'missing'], 'OK').state).toBe('OK');
    expect(evaluateAlarm(alarm, [0, 0, 0], 'ALARM').state).toBe('OK');
  });
});

describe('the walk finds', () => {
  const sound = synthesized();
  const topicStatements = (stacks: readonly Stack[]): Properties[] =>
    first(stacks, 'AWS::SNS::TopicPolicy', 'Alarms').properties['PolicyDocument'].Statement;
  const statementOf = (stacks: readonly Stack[], service: string): Properties => {
    const found = topicStatements(stacks).find(({ Principal }) => Principal.Service === service);
    if (found === undefined) throw new Error(`no statement for ${service}`);
    return found;
  };
  const alarms = (stacks: readonly Stack[]) => statementOf(stacks, 'cloudwatch.amazonaws.com');
  const events = (stacks: readonly Stack[]) => statementOf(stacks, 'events.amazonaws.com');
  const alarm = (stacks: readonly Stack[], name: string): Properties =>
    first(stacks, 'AWS::CloudWatch::Alarm', name).properties;
  const firstStat = (stacks: readonly Stack[], name: string): Properties =>
    alarm(stacks, name)['Metrics'].find((each: Properties) => each['MetricStat']).MetricStat.Metric;
  const monitoring = (stacks: readonly Stack[]) => {
    const stack = stacks.find(({ name }) => name === 'Cloakroom-Monitoring');
    if (stack === undefined) throw new Error('no monitoring stack');
    return stack.template.Resources;
  };
  /** Returns the reference to the service's key that the monitoring stack has. */
  const serviceKey = (stacks: readonly Stack[]) =>
    first(stacks, 'AWS::Events::Rule', 'KeyChanged').properties['EventPattern'].detail.resources.ARN[0];
  /** Removes a metric of an index from the alarm. */
  const unwatch = (stacks: readonly Stack[], metric: string, index: string) => {
    const properties = alarm(stacks, 'IndexThrottled');
    properties['Metrics'] = properties['Metrics'].filter(({ MetricStat: stat }: Properties) => {
      const values = stat?.Metric.Dimensions.map(({ Value }: Properties) => Value) ?? [];
      return stat?.Metric.MetricName !== metric || !values.includes(index);
    });
  };
  /** Encrypts the topic with a separate key, which lets both services in. */
  const addTopicKey = (stacks: readonly Stack[], Condition?: Properties) => {
    first(stacks, 'AWS::SNS::Topic', 'Alarms').properties['KmsMasterKeyId'] = { Ref: 'TopicKey' };
    const statement = {
      Effect: 'Allow',
      Principal: { Service: ['cloudwatch.amazonaws.com', 'events.amazonaws.com'] },
      Action: ['kms:GenerateDataKey*', 'kms:Decrypt'],
      Resource: '*',
      Condition,
    };
    monitoring(stacks)['TopicKey'] = {
      Type: 'AWS::KMS::Key',
      Properties: { KeyPolicy: { Statement: [statement] } },
    };
  };

  const breaks: readonly [
    what: string,
    breakIt: (stacks: Stack[]) => void,
    message: RegExp,
    alarms: number,
  ][] = [
    [
      'a missing statement for CloudWatch',
      (stacks) => {
        const all = topicStatements(stacks);
        all.splice(all.indexOf(alarms(stacks)), 1);
      },
      /does not let cloudwatch\.amazonaws\.com publish/,
      METRIC_ALARMS,
    ],
    [
      'a statement for another service',
      (stacks) => void (alarms(stacks)['Principal'].Service = 'lambda.amazonaws.com'),
      /does not let cloudwatch\.amazonaws\.com publish/,
      METRIC_ALARMS,
    ],
    [
      'a statement for another account',
      (stacks) => void (alarms(stacks)['Condition'].StringEquals['aws:SourceAccount'] = '999999999999'),
      /does not let cloudwatch\.amazonaws\.com publish/,
      METRIC_ALARMS,
    ],
    [
      'a statement for alarms of another name',
      (stacks) =>
        void (alarms(stacks)['Condition'].ArnLike['aws:SourceArn'] = 'arn:aws:cloudwatch:*:*:alarm:Other-*'),
      /does not let cloudwatch\.amazonaws\.com publish/,
      METRIC_ALARMS,
    ],
    [
      'a statement for another topic',
      (stacks) => void (alarms(stacks)['Resource'] = 'arn:aws:sns:eu-west-1:111122223333:other'),
      /does not let cloudwatch\.amazonaws\.com publish/,
      METRIC_ALARMS,
    ],
    [
      'a statement that denies all',
      (stacks) =>
        void topicStatements(stacks).push({
          Effect: 'Deny',
          Principal: '*',
          Action: 'sns:*',
          Resource: '*',
        }),
      /does not let (cloudwatch|events)\.amazonaws\.com publish/,
      METRIC_ALARMS + RULES,
    ],
    [
      'a topic without a policy',
      (stacks) => {
        for (const { template } of stacks)
          for (const [id, { Type }] of Object.entries(template.Resources))
            if (Type === 'AWS::SNS::TopicPolicy' && id.startsWith('Alarms'))
              Reflect.deleteProperty(template.Resources, id);
      },
      /does not let (cloudwatch|events)\.amazonaws\.com publish/,
      METRIC_ALARMS + RULES,
    ],
    [
      'a condition on EventBridge, which sends no context',
      (stacks) =>
        void (events(stacks)['Condition'] = {
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
        }),
      /(Changed|Exposed).*does not let events\.amazonaws\.com publish/,
      RULES,
    ],
    [
      'an action that goes elsewhere',
      (stacks) =>
        void (alarm(stacks, 'SweepLate')['AlarmActions'] = ['arn:aws:sns:eu-west-1:111122223333:other']),
      /SweepLate: .*other is no topic of the templates/,
      1,
    ],
    [
      'an alarm without an action',
      (stacks) => void (alarm(stacks, 'SweepLate')['AlarmActions'] = []),
      /SweepLate: it has no action/,
      1,
    ],
    [
      'actions that are off',
      (stacks) => void (alarm(stacks, 'SlowResponses')['ActionsEnabled'] = false),
      /SlowResponses: its actions are off/,
      1,
    ],
    [
      'a topic under the key that KeyChanged is about',
      (stacks) =>
        void (first(stacks, 'AWS::SNS::Topic', 'Alarms').properties['KmsMasterKeyId'] = serviceKey(stacks)),
      /silent when the key is disabled/,
      METRIC_ALARMS + RULES,
    ],
    [
      'a topic under the key of SNS, which no service may use',
      (stacks) => (first(stacks, 'AWS::SNS::Topic', 'Alarms').properties['KmsMasterKeyId'] = 'alias/aws/sns'),
      /key alias\/aws\/sns is not in the templates/,
      METRIC_ALARMS + RULES,
    ],
    [
      'a topic key that lets CloudWatch in under a condition',
      (stacks) => addTopicKey(stacks, { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }),
      /does not let (cloudwatch|events)\.amazonaws\.com call kms:GenerateDataKey/,
      METRIC_ALARMS + RULES,
    ],
    [
      'a key that no rule watches',
      (stacks) =>
        void (first(stacks, 'AWS::Events::Rule', 'KeyChanged').properties[
          'EventPattern'
        ].detail.resources.ARN = ['other']),
      /no rule reports when the key .* is disabled/,
      2,
    ],
    [
      'a rule that is off',
      (stacks) => void (first(stacks, 'AWS::Events::Rule', 'KeyChanged').properties['State'] = 'DISABLED'),
      /no rule reports/,
      2,
    ],
    [
      'a metric that nothing emits',
      (stacks) => void (alarm(stacks, 'DeliveriesParked')['MetricName'] = 'ParkedDelivery'),
      /DeliveriesParked: nothing emits Cloakroom ParkedDelivery/,
      1,
    ],
    [
      'a namespace that nothing emits into',
      (stacks) =>
        void (first(stacks, 'AWS::Lambda::Function', 'Sweeper').properties[
          'Environment'
        ].Variables.SERVICE_NAME = 'Other'),
      /nothing emits Cloakroom (OldestDueSeconds|ColdReactors|DeliveryParked)/,
      3,
    ],
    [
      'a worker that emits into another namespace',
      (stacks) =>
        void (first(stacks, 'AWS::Lambda::Function', 'Worker').properties[
          'Environment'
        ].Variables.SERVICE_NAME = 'Other'),
      /InvocationsWaiting: nothing emits Cloakroom InvocationWaitSeconds/,
      1,
    ],
    [
      'a dimension that nothing emits',
      (stacks) => void (firstStat(stacks, 'SweepLate')['Dimensions'][0].Value = 'nothing'),
      /SweepLate: nothing emits OldestDueSeconds with the dimensions/,
      1,
    ],
    [
      'a metric of another kind of API',
      (stacks) => {
        const { Metrics } = alarm(stacks, 'ServerErrors') as { Metrics: Properties[] };
        const count = Metrics.find(({ Id }) => Id === 'requests');
        Object.assign(count?.['MetricStat'].Metric, { MetricName: '5XXError' });
      },
      /AWS\/ApiGateway has no metric 5XXError/,
      1,
    ],
    [
      'a dimension that the metric does not have',
      (stacks) => void (firstStat(stacks, 'WorkersFailing')['Dimensions'][0].Name = 'Function'),
      /Errors has the dimensions Function, not FunctionName/,
      1,
    ],
    [
      'a function that is not in the templates',
      (stacks) => void (firstStat(stacks, 'WorkersFailing')['Dimensions'][0].Value = 'gone'),
      /FunctionName gone is no AWS::Lambda::Function/,
      1,
    ],
    [
      'an index that the table does not have',
      (stacks) =>
        void firstStat(stacks, 'StoreThrottled')['Dimensions'].push({
          Name: 'GlobalSecondaryIndexName',
          Value: 'gone',
        }),
      /the table .* has no index gone/,
      1,
    ],
    [
      'an index whose writes no alarm looks at',
      (stacks) => {
        unwatch(stacks, 'WriteThrottleEvents', 'list');
      },
      /^no alarm looks at WriteThrottleEvents of .*-Tokens.*, index list$/,
      1,
    ],
    [
      'an index for callers whose reads no alarm looks at',
      (stacks) => {
        unwatch(stacks, 'ReadThrottleEvents', 'fingerprint');
      },
      /^no alarm looks at ReadThrottleEvents of .*-Tokens.*, index fingerprint$/,
      1,
    ],
    [
      'an index that was added to a table',
      (stacks) =>
        void first(stacks, 'AWS::DynamoDB::Table', 'Access').properties['GlobalSecondaryIndexes'].push({
          IndexName: 'added',
        }),
      /^no alarm looks at WriteThrottleEvents of .*-Access.*, index added$/,
      1,
    ],
    [
      'a table that no alarm looks at',
      (stacks) => void alarm(stacks, 'StoreThrottled')['Metrics'].splice(-1, 1),
      /^no alarm looks at \w+ThrottleEvents of [^,]+$/,
      1,
    ],
    [
      'more metrics than an alarm may have',
      (stacks) => {
        const { Metrics } = alarm(stacks, 'StoreThrottled') as { Metrics: unknown[] };
        Metrics.push(...Metrics);
      },
      /StoreThrottled: it looks at 16 metrics/,
      1,
    ],
  ];

  it.each(breaks)('%s', async (_what, breakIt, message, count) => {
    const broken = structuredClone(sound);
    breakIt(broken);
    const found = (await problems(broken)).filter((problem) => message.test(problem));
    expect(new Set(found.map((problem) => problem.split(':')[0])).size).toBe(count);
  });

  it('the walk finds only the missing rule for the key of a topic with its own key', async () => {
    const other = structuredClone(sound);
    addTopicKey(other);
    expect(await problems(other)).toEqual([
      expect.stringMatching(/no rule reports when the key .*TopicKey is disabled/),
    ]);
  });
});
