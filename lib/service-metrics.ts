import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IRule } from 'aws-cdk-lib/aws-events';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { INDEXES } from '../src/adapters/dynamodb/keys.ts';
import { WORKS } from '../functions/sweeper/config.ts';
import type { WorkQueue } from './constructs/work-queue.ts';
import type { NamedTable, TableIndex } from './data-stack.ts';
import type { LogMetricName } from './log-metrics.ts';

const MINUTE = Duration.minutes(1);

/** The monitored parts of a deployment. */
export interface Watched {
  /** Namespace of the service's own metrics. */
  readonly serviceName: string;
  readonly api: HttpApi;
  readonly apiFunctions: readonly LambdaFunction[];
  /** They wait for no destination and no code of others. */
  readonly prompt: readonly LambdaFunction[];
  readonly workers: readonly LambdaFunction[];
  readonly sweeper: LambdaFunction;
  readonly auditSealer: LambdaFunction;
  readonly operator: LambdaFunction;
  /** The names of reactors' functions begin with it. */
  readonly reactorPrefix: string;
  readonly tables: readonly NamedTable[];
  readonly auditTables: readonly NamedTable[];
  readonly indexes: readonly TableIndex[];
  readonly invocations: WorkQueue;
  readonly deliveries: WorkQueue;
}

/** The sum of metrics; a missing value counts as 0. */
function sum(label: string, metrics: readonly IMetric[], period = MINUTE): MathExpression {
  // The ids of one graph must differ.
  const prefix = label.toLowerCase().replaceAll(/[^a-z]/g, '');
  const named = metrics.map((metric, index) => [`${prefix}${String(index)}`, metric] as const);
  return new MathExpression({
    label,
    period,
    expression: named.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
  });
}

/** The maximum of metrics; a missing value counts as 0. */
function maximum(label: string, metrics: readonly IMetric[]): MathExpression {
  const named = metrics.map((metric, index) => [`w${String(index)}`, metric] as const);
  return new MathExpression({
    label,
    period: MINUTE,
    expression: `MAX([${named.map(([id]) => `FILL(${id}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(named),
  });
}

/** Rules that count events: an absence is the fault. */
interface HeardEvents {
  readonly cloudTrail: IRule;
  /** Only set if there are copies elsewhere. */
  readonly copies?: IRule;
}

/** Collects all metrics that the dashboard and the alarms show. */
// oxlint-disable-next-line max-lines-per-function -- a table: one row for each metric
export function serviceMetrics(watched: Watched, heard: HeardEvents) {
  const { api, apiFunctions, workers, tables, indexes, invocations, deliveries, serviceName } = watched;
  const { sweeper, auditSealer, operator, auditTables } = watched;
  const functions = [...apiFunctions, ...workers, sweeper, auditSealer];
  /** A metric of the service itself; `service` is the function that publishes it. */
  const own = (service: string, metricName: string, dimensionsMap: Readonly<Record<string, string>> = {}) =>
    new Metric({
      namespace: serviceName,
      metricName,
      dimensionsMap: { service, ...dimensionsMap },
      statistic: Stats.MAXIMUM,
      period: MINUTE,
    });
  const ofLogs = (metricName: LogMetricName) =>
    new Metric({ namespace: serviceName, metricName, statistic: Stats.SUM, period: MINUTE });
  const ofTrail = (name: string) => own('audit', name).with({ statistic: Stats.SUM });
  const ofTable = (table: NamedTable, metricName: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.tableName },
      statistic: Stats.SUM,
      period: MINUTE,
    });
  const throttlesOf = (label: string, of: readonly NamedTable[]) =>
    sum(
      label,
      of.flatMap((table) => [ofTable(table, 'ReadThrottleEvents'), ofTable(table, 'WriteThrottleEvents')]),
    );
  // The metric of a table excludes its indexes (DynamoDB Developer Guide, metrics and dimensions).
  const ofIndex = ({ table, name }: TableIndex, metricName: string) => {
    const metric = ofTable(table, metricName);
    return metric.with({ dimensionsMap: { ...metric.dimensions, GlobalSecondaryIndexName: name } });
  };
  const ofRule = (rule: IRule | undefined, period: Duration) =>
    new Metric({
      namespace: 'AWS/Events',
      metricName: 'Invocations',
      dimensionsMap: { RuleName: rule?.ruleName ?? 'none' },
      statistic: Stats.SUM,
      period,
    });
  const usage = (resource: string) =>
    new Metric({
      namespace: 'AWS/Usage',
      metricName: 'CallCount',
      dimensionsMap: { Type: 'API', Service: 'KMS', Class: 'None', Resource: resource },
      statistic: Stats.SUM,
      period: MINUTE,
      label: resource,
    });
  const ageOf = (work: WorkQueue, label: string) =>
    work.queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, label });
  const releasedWaits = own('reactor-worker', 'InvocationWaitSeconds');

  return {
    requests: api.metricCount({ period: MINUTE, statistic: Stats.SUM, label: 'Requests' }),
    serverErrors: api.metricServerError({ period: MINUTE, statistic: Stats.SUM, label: '5xx' }),
    clientErrors: api.metricClientError({ period: MINUTE, statistic: Stats.SUM, label: '4xx' }),
    // The 5xx of the gateway would count those of destinations, and of the code of reactors.
    failurePercent: new MathExpression({
      label: 'Failures of the service in percent',
      period: Duration.minutes(5),
      // A few requests make no meaningful percentage.
      expression: 'IF(requests > 50, 100 * FILL(failures, 0) / requests, IF(FILL(failures, 0) > 5, 100, 0))',
      usingMetrics: {
        failures: ofLogs('ServiceFailures').with({ period: Duration.minutes(5) }),
        requests: api.metricCount({ statistic: Stats.SUM, period: Duration.minutes(5) }),
      },
    }),
    gatewayThrottles: ofLogs('GatewayThrottled').with({ label: '429 of the gateway' }),
    revealed: ofLogs('TokensRevealed').with({ period: Duration.minutes(5) }),
    unauthorized: ofLogs('UnauthorizedRequests').with({ label: 'Requests without a valid key' }),
    requestsIn: (minutes: number) =>
      api.metricCount({ period: Duration.minutes(minutes), statistic: Stats.SUM }),
    promptDuration: maximum(
      'Duration of requests without others, p90 (ms)',
      watched.prompt.map((each) => each.metricDuration({ period: MINUTE, statistic: 'p90' })),
    ),
    concurrency: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'ClaimedAccountConcurrency',
      statistic: Stats.MAXIMUM,
      period: MINUTE,
      label: 'Concurrent executions, with those that are reserved and provisioned',
    }),
    coldReactors: own('sweeper', 'ColdReactors').with({ label: 'Reactors without a provisioned instance' }),
    // The hourly check reports it, as it does the trail.
    dataUnprotected: own('account', 'DataUnprotected').with({ period: Duration.hours(3) }),
    cloudTrailEvents: ofRule(heard.cloudTrail, Duration.days(1)),
    copies: ofRule(heard.copies, Duration.hours(1)),
    latency: (statistic: string) => api.metricLatency({ period: MINUTE, statistic, label: statistic }),
    throttles: sum(
      'Throttles',
      functions.map((each) => each.metricThrottles({ period: MINUTE })),
    ),
    workerErrors: sum(
      'Errors in the background',
      [...workers, sweeper, auditSealer, operator].map((each) => each.metricErrors({ period: MINUTE })),
    ),
    invocationsOf: functions.map((each) => each.metricInvocations({ period: MINUTE })),
    durationsOf: functions.map((each) => each.metricDuration({ period: MINUTE, statistic: 'p99' })),
    sweeps: sweeper.metricInvocations({ period: Duration.minutes(5), label: 'Sweeps' }),
    oldestDue: WORKS.map((work) => own('sweeper', 'OldestDueSeconds', { Work: work }).with({ label: work })),
    longestDue: maximum(
      'Oldest due record in seconds',
      WORKS.map((work) => own('sweeper', 'OldestDueSeconds', { Work: work })),
    ),
    parked: own('sweeper', 'ParkedDeliveries').with({ label: 'Parked deliveries' }),
    newlyParked: own('webhook-sender', 'DeliveryParked').with({ statistic: Stats.SUM }),
    failedDeliveries: own('webhook-sender', 'DeliveryFailed').with({
      statistic: Stats.SUM,
      label: 'Failed attempts to deliver',
    }),
    ageOf,
    releasedWaits: releasedWaits.with({ label: 'Released invocations' }),
    // A released invocation gets a new message each time, so the queue's age alone stays low.
    longestWait: maximum('Longest wait of an invocation in seconds', [
      ageOf(invocations, 'Invocations'),
      releasedWaits,
    ]),
    deadLettered: sum(
      'Dead-lettered messages',
      [invocations, deliveries].map(({ deadLetterQueue: deadLettered }) =>
        deadLettered.metricApproximateNumberOfMessagesVisible({ period: MINUTE }),
      ),
    ),
    storeThrottles: throttlesOf('Throttled reads and writes', tables),
    // An alarm takes at most 10 metrics. Together with those of the store these would be 12.
    auditThrottles: throttlesOf('Throttled reads and writes of the audit trail', auditTables),
    // An alarm takes at most 10 metrics, and with all reads these would be 12. No caller waits for
    // reads of `due`, and SweepLate rings when they fail.
    indexThrottles: sum('Throttled by an index', [
      ...indexes.map((index) => ofIndex(index, 'WriteThrottleEvents')),
      ...indexes
        .filter(({ name }) => name !== INDEXES.due)
        .map((index) => ofIndex(index, 'ReadThrottleEvents')),
    ]),
    unitsOf: [...tables, ...auditTables].flatMap((table) => [
      ofTable(table, 'ConsumedReadCapacityUnits'),
      ofTable(table, 'ConsumedWriteCapacityUnits'),
    ]),
    auditUnavailable: ofTrail('AuditUnavailable'),
    auditEndMissing: ofTrail('AuditEndMissing'),
    auditSealLag: own('audit', 'AuditSealLagSeconds').with({ label: 'Age of what is sealed' }),
    auditIndexLag: own('audit', 'AuditIndexLagSeconds').with({ label: 'Age of what is not indexed' }),
    auditBroken: own('audit', 'AuditBroken'),
    auditCheckLag: own('audit', 'AuditCheckLagSeconds').with({ label: 'Age of what is not verified' }),
    // The check runs once an hour: each value of these covers the last three hours.
    auditChecked: own('audit', 'AuditChecked').with({ period: Duration.hours(3) }),
    auditUnprotected: own('audit', 'AuditUnprotected').with({ period: Duration.hours(3) }),
    // The sweeper counts them once an hour.
    outdated: own('sweeper', 'ReactorsOutdated').with({ period: Duration.hours(3) }),
    retiredKeyUses: own('keys', 'RetiredKeyUsed').with({
      statistic: Stats.SUM,
      label: 'Uses of deleted or expired keys',
    }),
    managementKeys: own('keys', 'ManagementKeyCreated').with({ statistic: Stats.SUM }),
    configurationGuesses: own('proxies', 'ConfigurationGuessed').with({ statistic: Stats.SUM }),
    forgottenSecrets: own('proxies', 'RetiredSecretsForgotten').with({ statistic: Stats.SUM }),
    keyCalls: [usage('Decrypt'), usage('GenerateDataKey')],
  };
}

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;
