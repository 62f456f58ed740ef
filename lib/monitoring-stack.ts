import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  TreatMissingData,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, type EventPattern } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic, type ITopic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { acceptFindings } from './accept-findings.ts';
import { ALARMS, alarmsOf, certificatesOf, type AlarmName } from './alarms.ts';
import { certificateEvents } from './certificate-events.ts';
import type { DataStack } from './data-stack.ts';
import { RunbookAlarm } from './constructs/runbook-alarm.ts';
import { serviceMetrics, type ServiceMetrics, type Watched } from './service-metrics.ts';
import type { Settings } from './settings.ts';

export interface MonitoringStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
  readonly watched: Watched;
}

/** The threshold of an alarm: a metric at or over a bound, for some of the last minutes. */
interface Condition {
  readonly metric: IMetric;
  readonly atLeast: number;
  readonly minutes: number;
  readonly outOf?: number;
  /** Missing values are the fault, or count as values over the bound. */
  readonly silence?: 'is_all' | 'counts';
}

/** Alarms about events of AWS, mostly calls in a CloudTrail trail; all others watch metrics. */
type CallAlarm = 'KeyChanged' | 'AuditChanged' | 'CodeChanged' | 'CertificateEnds' | 'BackupFailed';
type MetricAlarm = Exclude<AlarmName, CallAlarm>;

/** The part of the quota of concurrent executions at which an alarm rings. */
const CONCURRENCY_HIGH = 0.8;

function conditions(
  metrics: ServiceMetrics,
  watched: Watched,
  { alarmReveals, alarmSilence, concurrencyQuota }: Settings,
): Readonly<Record<MetricAlarm, Condition>> {
  return {
    ServerErrors: { metric: metrics.failurePercent, atLeast: 1, minutes: 1 },
    GatewayThrottled: { metric: metrics.gatewayThrottles, atLeast: 1, minutes: 3, outOf: 5 },
    UnauthorizedFlood: { metric: metrics.unauthorized, atLeast: 300, minutes: 5 },
    RevealsHigh: { metric: metrics.revealed, atLeast: alarmReveals, minutes: 1 },
    Silent: { metric: metrics.requestsIn(alarmSilence || 5), atLeast: 1, minutes: 1, silence: 'is_all' },
    ConcurrencyHigh: {
      metric: metrics.concurrency,
      atLeast: Math.ceil(CONCURRENCY_HIGH * concurrencyQuota),
      minutes: 3,
      outOf: 5,
    },
    ColdReactors: { metric: metrics.coldReactors, atLeast: 1, minutes: 60 },
    SlowResponses: { metric: metrics.promptDuration, atLeast: 3_000, minutes: 10, outOf: 15 },
    FunctionsThrottled: { metric: metrics.throttles, atLeast: 1, minutes: 2, outOf: 5 },
    WorkersFailing: { metric: metrics.workerErrors, atLeast: 1, minutes: 3, outOf: 10 },
    SweepSilent: { metric: metrics.sweeps, atLeast: 1, minutes: 1, silence: 'is_all' },
    SweepLate: { metric: metrics.longestDue, atLeast: 900, minutes: 3 },
    InvocationsWaiting: { metric: metrics.longestWait, atLeast: 300, minutes: 3 },
    DeliveriesWaiting: {
      metric: metrics.ageOf(watched.deliveries, 'Deliveries'),
      atLeast: 1_200,
      minutes: 3,
    },
    DeadLetteredMessages: { metric: metrics.deadLettered, atLeast: 1, minutes: 1 },
    DeliveriesParked: { metric: metrics.newlyParked, atLeast: 1, minutes: 1 },
    StoreThrottled: { metric: metrics.storeThrottles, atLeast: 1, minutes: 3, outOf: 5 },
    AuditUnavailable: { metric: metrics.auditUnavailable, atLeast: 1, minutes: 1, outOf: 5 },
    AuditThrottled: { metric: metrics.auditThrottles, atLeast: 1, minutes: 3, outOf: 5 },
    AuditSealLate: { metric: metrics.auditSealLag, atLeast: 600, minutes: 10, silence: 'counts' },
    // The check counts a failure each hour: between two runs the alarm stays.
    AuditBroken: { metric: metrics.auditBroken, atLeast: 1, minutes: 1, outOf: 130 },
    AuditCheckLate: { metric: metrics.auditChecked, atLeast: 1, minutes: 1, silence: 'is_all' },
    AuditUnprotected: { metric: metrics.auditUnprotected, atLeast: 1, minutes: 1, silence: 'counts' },
    DataUnprotected: { metric: metrics.dataUnprotected, atLeast: 1, minutes: 1, silence: 'counts' },
    // A copy ends within a day and some hours after the last one. A period is an hour.
    BackupLate: { metric: metrics.copies, atLeast: 1, minutes: 30, silence: 'is_all' },
    CloudTrailAbsent: { metric: metrics.cloudTrailEvents, atLeast: 1, minutes: 1, silence: 'is_all' },
    AuditIndexLate: { metric: metrics.auditIndexLag, atLeast: 12 * 3_600, minutes: 10, silence: 'counts' },
    ManagementKeyCreated: { metric: metrics.managementKeys, atLeast: 1, minutes: 1 },
    ReactorsOutdated: { metric: metrics.outdated, atLeast: 1, minutes: 1 },
    RetiredKeyUsed: { metric: metrics.retiredKeyUses, atLeast: 1, minutes: 1 },
    ConfigurationGuessed: { metric: metrics.configurationGuesses, atLeast: 1, minutes: 1, outOf: 5 },
    RetiredSecretsForgotten: { metric: metrics.forgottenSecrets, atLeast: 1, minutes: 1, outOf: 5 },
    IndexThrottled: { metric: metrics.indexThrottles, atLeast: 1, minutes: 3, outOf: 5 },
  };
}

/** The caller is a person or a program, and no service that a deployment uses. */
const BY_NO_DEPLOYMENT = [
  { 'anything-but': ['cloudformation.amazonaws.com', 'codedeploy.amazonaws.com'] },
  { exists: false },
];

/** Names of Lambda's calls in CloudTrail begin with these; a version follows. */
const CODE_CALLS = ['UpdateFunctionCode', 'UpdateFunctionConfiguration', 'UpdateAlias', 'AddPermission'];

const ROLE_CALLS = [
  'PutRolePolicy',
  'DeleteRolePolicy',
  'AttachRolePolicy',
  'DetachRolePolicy',
  'UpdateAssumeRolePolicy',
  'PutRolePermissionsBoundary',
  'DeleteRolePermissionsBoundary',
  // They change the boundary of the reactors.
  'CreatePolicyVersion',
  'SetDefaultPolicyVersion',
];

/**
 * CloudFormation generates names of functions and roles from those of their stacks. They have at
 * most 64 characters, so it cuts longer ones.
 */
const cutPrefix = (prefix: string): string => prefix.slice(0, 24);
/** All functions and roles of a service have names that begin in this way. */
const generatedPrefix = (serviceName: string): string => cutPrefix(`${serviceName}-`);

/** The dashboard, and one alarm for each condition that a person must act on. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, watched, ...props }: MonitoringStackProps) {
    super(scope, id, props);
    const wanted = alarmsOf(settings);
    const heard = this.#heard();
    const metrics = serviceMetrics(watched, {
      cloudTrail: this.#cloudTrailEvents(watched, heard),
      ...(wanted.has('BackupLate') && { copies: this.#copies(data, heard) }),
    });
    const topic = this.#topic(settings);
    for (const [name, condition] of Object.entries(conditions(metrics, watched, settings))) {
      if (!wanted.has(name as MetricAlarm)) continue;
      const { metric, atLeast, minutes, outOf = minutes, silence } = condition;
      new RunbookAlarm(this, name as MetricAlarm, {
        serviceName: settings.serviceName,
        topic,
        metric,
        threshold: atLeast,
        datapointsToAlarm: minutes,
        evaluationPeriods: outOf,
        comparisonOperator:
          silence === 'is_all'
            ? ComparisonOperator.LESS_THAN_THRESHOLD
            : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: silence === undefined ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
      });
    }
    this.#keyChanged(data, topic);
    this.#auditChanged(data, topic);
    this.#dataExposed(data, topic);
    this.#codeChanged(watched, topic);
    if (wanted.has('CertificateEnds'))
      this.#callAlarm('CertificateEnds', topic, certificateEvents(certificatesOf(settings)));
    if (wanted.has('BackupFailed')) this.#backupFailed(data, topic);
    this.#dashboard(settings.serviceName, metrics, watched);
  }

  /** The target of rules that count events: a rule needs one. */
  #heard(): Topic {
    const heard = new Topic(this, 'Heard', { displayName: 'Cloakroom heartbeat', enforceSSL: true });
    acceptFindings(heard, {
      'PCI.DSS.321-SNSEncryptedKMS': 'It has no subscriber: its messages only count the events of a rule.',
    });
    return heard;
  }

  /**
   * Each new instance of a function that runs every minute makes a log stream, several times a day,
   * and a trail of CloudTrail sends this call as an event.
   */
  #cloudTrailEvents({ serviceName }: Watched, heard: Topic): Rule {
    const rule = new Rule(this, 'CloudTrailHeard', {
      description: 'Counts events by which CloudTrailAbsent knows that there is a trail',
      eventPattern: {
        source: ['aws.logs'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: {
          eventName: ['CreateLogStream'],
          requestParameters: { logGroupName: [{ prefix: `${serviceName}-Operations-` }] },
        },
      },
      targets: [new SnsTopic(heard)],
    });
    acceptFindings(rule, { 'Serverless-EventBusDLQ': 'A lost event changes nothing: the next one counts.' });
    return rule;
  }

  /** Counts the copies that reach the vault elsewhere. */
  #copies({ backedUp }: DataStack, heard: Topic): Rule {
    const rule = new Rule(this, 'CopyHeard', {
      description: 'Counts events by which BackupLate knows that there are copies',
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Copy Job State Change'],
        detail: { state: ['COMPLETED'], resourceArn: backedUp.map(({ tableArn }) => tableArn) },
      },
      targets: [new SnsTopic(heard)],
    });
    acceptFindings(rule, { 'Serverless-EventBusDLQ': 'A lost event changes nothing: the next one counts.' });
    return rule;
  }

  /** AWS Backup reports the jobs of the tables, also those of other plans. */
  #backupFailed({ backedUp }: DataStack, topic: ITopic): void {
    this.#callAlarm('BackupFailed', topic, {
      source: ['aws.backup'],
      detailType: ['Backup Job State Change', 'Copy Job State Change'],
      detail: {
        state: ['FAILED', 'ABORTED', 'EXPIRED'],
        resourceArn: backedUp.map(({ tableArn }) => tableArn),
      },
    });
  }

  /**
   * The topic is not encrypted with the service's key: alarm texts contain no data, and the alarm
   * about a disabled key must not need it.
   */
  #topic(settings: Settings): ITopic {
    const { alarmTopicArn } = settings;
    const topic =
      alarmTopicArn === '' ? this.#ownTopic(settings) : Topic.fromTopicArn(this, 'Alarms', alarmTopicArn);
    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn, description: 'Gets every alarm' });
    return topic;
  }

  #ownTopic({ alarmEmail, serviceName }: Settings): Topic {
    const topic = new Topic(this, 'Alarms', { displayName: 'Cloakroom alarms', enforceSSL: true });
    acceptFindings(topic, {
      'PCI.DSS.321-SNSEncryptedKMS':
        'Alarm texts contain names and numbers of metrics, no data. With the key of the service, no alarm could report that it was disabled.',
    });
    // The service's own policy replaces the default of SNS, which allows CloudWatch.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisDeployment',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': this.account },
          ArnLike: {
            'aws:SourceArn': `arn:${this.partition}:cloudwatch:${this.region}:${this.account}:alarm:${serviceName}-*`,
          },
        },
      }),
    );
    if (alarmEmail !== '') {
      topic.addSubscription(new EmailSubscription(alarmEmail));
      acceptFindings(topic, {
        'Serverless-SNSRedrivePolicy': 'A late notification is useless, so there is no queue.',
      });
    }
    return topic;
  }

  /** There is no metric for it. CloudTrail's events about the key go to the same topic. */
  #keyChanged({ key, sealKey }: DataStack, topic: ITopic): void {
    this.#callAlarm('KeyChanged', topic, {
      source: ['aws.kms'],
      detail: {
        eventName: [
          'DisableKey',
          'ScheduleKeyDeletion',
          'PutKeyPolicy',
          'DisableKeyRotation',
          // A replica can decrypt in another Region, and has its own policy.
          'ReplicateKey',
          'UpdatePrimaryRegion',
        ],
        resources: { ARN: [key.keyArn, sealKey.keyArn] },
      },
    });
  }

  /** Calls about the tables of the trail contain their name or their ARN. */
  #auditChanged({ audit, auditIndex, auditSeals }: DataStack, topic: ITopic): void {
    const names = [audit, auditIndex, auditSeals].flatMap(({ tableName, tableArn }) => [tableName, tableArn]);
    this.#callAlarm('AuditChanged', topic, {
      source: ['aws.dynamodb'],
      detail: {
        eventName: [
          'PutResourcePolicy',
          'DeleteResourcePolicy',
          'UpdateTimeToLive',
          'UpdateTable',
          'DeleteTable',
          'UpdateContinuousBackups',
        ],
        $or: [{ requestParameters: { tableName: names } }, { requestParameters: { resourceArn: names } }],
      },
    });
  }

  /**
   * Within an hour after any of these calls, or the next check, is too late: they let data out. The
   * hourly check finds what the others change.
   */
  #dataExposed({ tokens, access, reactors, ephemeral }: DataStack, topic: ITopic): void {
    const tables = [tokens, access, reactors, ephemeral];
    const arns = tables.map(({ tableArn }) => tableArn);
    this.#callAlarm(
      'DataUnprotected',
      topic,
      {
        source: ['aws.dynamodb'],
        detail: {
          eventName: ['PutResourcePolicy', 'ExportTableToPointInTime', 'DeleteTable'],
          userIdentity: { invokedBy: BY_NO_DEPLOYMENT },
          $or: [
            { requestParameters: { tableName: tables.map(({ tableName }) => tableName) } },
            { requestParameters: { resourceArn: arns } },
            { requestParameters: { tableArn: arns } },
          ],
        },
      },
      'DataExposed',
    );
  }

  /**
   * A deployment changes functions and roles through CloudFormation, and aliases through
   * CodeDeploy; functions of the service change those of reactors. IAM sends its events to
   * us-east-1 alone (docs/deploy.md#changed-roles).
   */
  #codeChanged({ serviceName, reactorPrefix }: Watched, topic: ITopic): void {
    const prefix = generatedPrefix(serviceName);
    const parts = ['Api-', 'Reactors-', 'Operations-', 'operator'].map((part) => `${serviceName}-${part}`);
    const own = [...new Set(parts.map(cutPrefix))];
    // IAM lets functions of the service change those of reactors alone.
    const userName = [{ 'anything-but': { prefix } }, { exists: false }];
    const byOthers = { sessionContext: { sessionIssuer: { userName } } };
    const isPartOf = own.some((each) => reactorPrefix.startsWith(each));
    this.#callAlarm('CodeChanged', topic, this.#changedCode(own, isPartOf ? byOthers : {}));
    this.#callAlarm('CodeChanged', topic, this.#changedCode([reactorPrefix], byOthers), 'ReactorChanged');
    const policy = this.formatArn({ service: 'iam', region: '', resource: 'policy', resourceName: prefix });
    this.#callAlarm(
      'CodeChanged',
      topic,
      {
        source: ['aws.iam'],
        detail: {
          eventName: ROLE_CALLS,
          userIdentity: { invokedBy: BY_NO_DEPLOYMENT },
          $or: [
            { requestParameters: { roleName: [{ prefix }] } },
            { requestParameters: { policyArn: [{ prefix: policy }] } },
          ],
        },
      },
      'RoleChanged',
    );
  }

  /** Matches calls that change functions whose names begin in one of these ways. */
  #changedCode(prefixes: readonly string[], callers: object): EventPattern {
    // Callers may name a function by its name, its ARN, or the end of the ARN.
    const functionName = prefixes
      .flatMap((prefix) => [
        prefix,
        this.formatArn({ service: 'lambda', resource: `function:${prefix}` }),
        `${this.account}:function:${prefix}`,
      ])
      .map((prefix) => ({ prefix }));
    return {
      source: ['aws.lambda'],
      detail: {
        eventName: CODE_CALLS.map((prefix) => ({ prefix })),
        userIdentity: { invokedBy: BY_NO_DEPLOYMENT, ...callers },
        requestParameters: { functionName },
      },
    };
  }

  #callAlarm(
    name: CallAlarm | 'DataUnprotected',
    topic: ITopic,
    pattern: EventPattern,
    id: string = name,
  ): void {
    const rule = new Rule(this, id, {
      description: `${ALARMS[name]} What to do: docs/runbook.md, ${name}.`,
      eventPattern: { detailType: ['AWS API Call via CloudTrail'], ...pattern },
      targets: [new SnsTopic(topic)],
    });
    acceptFindings(rule, {
      'Serverless-EventBusDLQ': 'A late notification is useless, so there is no queue.',
    });
  }

  #dashboard(serviceName: string, metrics: ServiceMetrics, watched: Watched): void {
    const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []) =>
      new GraphWidget({ title, left: [...left], right: [...right], width: 8, height: 6 });
    new Dashboard(this, 'Dashboard', {
      // A dashboard's name is unique in the account, not in its Region.
      dashboardName: `${serviceName}-${this.region}`,
      defaultInterval: Duration.hours(3),
      widgets: [
        [
          graph(
            'Requests and errors',
            [metrics.requests],
            [metrics.clientErrors, metrics.serverErrors, metrics.gatewayThrottles, metrics.unauthorized],
          ),
          graph('Latency (ms)', ['p50', 'p90', 'p99'].map(metrics.latency)),
          graph(
            'Throttles, and concurrent executions of the account',
            [metrics.throttles, metrics.storeThrottles, metrics.indexThrottles],
            [metrics.concurrency],
          ),
        ],
        [
          graph('Oldest due record (s)', metrics.oldestDue),
          graph('Age of the oldest message (s)', [
            metrics.ageOf(watched.invocations, 'Invocations'),
            metrics.releasedWaits,
            metrics.ageOf(watched.deliveries, 'Deliveries'),
          ]),
          graph(
            'Failed attempts to deliver, parked deliveries, dead-lettered messages',
            [metrics.failedDeliveries],
            [metrics.parked, metrics.deadLettered],
          ),
        ],
        [
          graph('Calls of the key service (whole account)', metrics.keyCalls),
          graph('Cost: invocations', metrics.invocationsOf),
          graph('Cost: capacity units', metrics.unitsOf),
        ],
        [
          graph('Duration of functions, p99 (ms)', metrics.durationsOf),
          graph('Errors in the background', [metrics.workerErrors]),
          graph(
            'Audit trail: age of what is sealed and verified (s), what could not be recorded',
            [metrics.auditSealLag, metrics.auditCheckLag],
            [metrics.auditUnavailable, metrics.auditEndMissing],
          ),
        ],
      ],
    });
  }
}
