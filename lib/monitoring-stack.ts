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
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { acceptFindings } from './accept-findings.ts';
import { ALARMS, type AlarmName } from './alarms.ts';
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

/** Alarms about AWS calls in a CloudTrail trail; all others watch metrics. */
type CallAlarm = 'KeyChanged' | 'AuditChanged';
type MetricAlarm = Exclude<AlarmName, CallAlarm>;

function conditions(metrics: ServiceMetrics, watched: Watched): Readonly<Record<MetricAlarm, Condition>> {
  return {
    ServerErrors: { metric: metrics.serverErrorPercent, atLeast: 1, minutes: 1 },
    SlowResponses: { metric: metrics.latency('p90'), atLeast: 3_000, minutes: 10, outOf: 15 },
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
    DeliveriesParked: { metric: metrics.parked, atLeast: 1, minutes: 1 },
    StoreThrottled: { metric: metrics.storeThrottles, atLeast: 1, minutes: 3, outOf: 5 },
    AuditUnavailable: { metric: metrics.auditUnavailable, atLeast: 1, minutes: 1, outOf: 5 },
    AuditThrottled: { metric: metrics.auditThrottles, atLeast: 1, minutes: 3, outOf: 5 },
    AuditSealLate: { metric: metrics.auditSealLag, atLeast: 600, minutes: 10, silence: 'counts' },
    // The check counts a failure each hour: between two runs the alarm stays.
    AuditBroken: { metric: metrics.auditBroken, atLeast: 1, minutes: 1, outOf: 130 },
    AuditCheckLate: { metric: metrics.auditChecked, atLeast: 1, minutes: 1, silence: 'is_all' },
    AuditUnprotected: { metric: metrics.auditUnprotected, atLeast: 1, minutes: 1, silence: 'counts' },
    AuditIndexLate: { metric: metrics.auditIndexLag, atLeast: 12 * 3_600, minutes: 10, silence: 'counts' },
    ManagementKeyCreated: { metric: metrics.managementKeys, atLeast: 1, minutes: 1 },
    ReactorsOutdated: { metric: metrics.outdated, atLeast: 1, minutes: 1 },
    RetiredKeyUsed: { metric: metrics.retiredKeyUses, atLeast: 1, minutes: 1 },
    ConfigurationGuessed: { metric: metrics.configurationGuesses, atLeast: 1, minutes: 1, outOf: 5 },
    RetiredSecretsForgotten: { metric: metrics.forgottenSecrets, atLeast: 1, minutes: 1, outOf: 5 },
    IndexThrottled: { metric: metrics.indexThrottles, atLeast: 1, minutes: 3, outOf: 5 },
  };
}

/** The dashboard, and one alarm for each condition that a person must act on. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, watched, ...props }: MonitoringStackProps) {
    super(scope, id, props);
    const metrics = serviceMetrics(watched);
    const topic = this.#topic(settings);
    for (const [name, condition] of Object.entries(conditions(metrics, watched))) {
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
    this.#dashboard(settings.serviceName, metrics, watched);
  }

  /**
   * The topic is not encrypted with the service's key: alarm texts contain no data, and the alarm
   * about a disabled key must not need it.
   */
  #topic({ alarmEmail, serviceName }: Settings): Topic {
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
    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn, description: 'Gets every alarm' });
    if (alarmEmail !== '') {
      topic.addSubscription(new EmailSubscription(alarmEmail));
      acceptFindings(topic, {
        'Serverless-SNSRedrivePolicy': 'A late notification is useless, so there is no queue.',
      });
    }
    return topic;
  }

  /** There is no metric for it. CloudTrail's events about the key go to the same topic. */
  #keyChanged({ key, sealKey }: DataStack, topic: Topic): void {
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
  #auditChanged({ audit, auditIndex, auditSeals }: DataStack, topic: Topic): void {
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

  #callAlarm(name: CallAlarm, topic: Topic, pattern: Pick<EventPattern, 'source' | 'detail'>): void {
    const rule = new Rule(this, name, {
      description: `${ALARMS[name]} What to do: docs/runbook.md, ${name}.`,
      eventPattern: { ...pattern, detailType: ['AWS API Call via CloudTrail'] },
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
          graph('Requests and errors', [metrics.requests], [metrics.clientErrors, metrics.serverErrors]),
          graph('Latency (ms)', ['p50', 'p90', 'p99'].map(metrics.latency)),
          graph('Throttles', [metrics.throttles, metrics.storeThrottles, metrics.indexThrottles]),
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
