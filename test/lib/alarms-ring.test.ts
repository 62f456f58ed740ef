// Each alarm of the templates, with what makes it ring and what does not: the metrics and the lines
// of minutes, or an event of AWS.
import {
  alarmDefinition,
  alarmProperties,
} from '../../packages/local-aws/src/cloudwatch/alarm-definition.ts';
import { createCloudWatch } from '../../packages/local-aws/src/cloudwatch/create-cloudwatch.ts';
import {
  parseFilterPattern,
  parseMetricValue,
} from '../../packages/local-aws/src/cloudwatch/filter-pattern.ts';
import { ALARM_NAMES, type AlarmName } from '../../lib/alarms.ts';
import { reactorFunctionPrefix } from '../../lib/deployment-names.ts';
import { createLog, type RequestLogLine } from '../../src/lambda/request-log.ts';
import { resolvedResources } from '../support/alarm-walk.ts';
import { eventMatches } from '../support/event-pattern.ts';
import { LONGEST, WATCHED, synthesized } from '../support/synthesized.ts';

const stacks = synthesized(WATCHED, 'eu-west-1');
const alarms = resolvedResources(stacks, 'AWS::CloudWatch::Alarm');
const filters = resolvedResources(stacks, 'AWS::Logs::MetricFilter');
const rules = resolvedResources(stacks, 'AWS::Events::Rule');

/**
 * A minute has values of metrics, by their name or by `name@dimension`, and lines of logs, by a
 * part of the name of the log group.
 */
type Minute = Readonly<Record<string, number | readonly object[]>>;
type Minutes = readonly (Minute | readonly [count: number, minute: Minute])[];

/** Returns the state of an alarm after these minutes. */
function stateAfter(name: AlarmName, minutes: Minutes): string | undefined {
  const properties = alarms.find((each) => each['AlarmName'] === `Cloakroom-${name}`);
  if (properties === undefined) throw new Error(`no alarm ${name}`);
  const definition = alarmDefinition(name, alarmProperties.parse(properties));
  const cloudWatch = createCloudWatch(() => true);
  cloudWatch.define(definition);
  for (const { LogGroupName: logGroup, FilterPattern, MetricTransformations } of filters)
    for (const { MetricNamespace: namespace, MetricName, MetricValue } of MetricTransformations)
      cloudWatch.defineFilter({
        namespace,
        name: MetricName,
        logGroup,
        matches: parseFilterPattern(FilterPattern),
        valueIn: parseMetricValue(MetricValue),
      });
  const groups: readonly string[] = [...new Set(filters.map(({ LogGroupName }) => String(LogGroupName)))];

  function addTo(key: string, value: number): void {
    const [metricName, of = ''] = key.split('@');
    for (const { metric } of definition.metrics)
      if (metric.name === metricName && JSON.stringify(metric.dimensions).includes(of))
        cloudWatch.find(metric)?.add(value);
  }
  function write(key: string, lines: readonly object[]): void {
    const [group, other] = groups.filter((each) => each.includes(`-${key}`));
    if (group === undefined || other !== undefined) throw new Error(`no log group ${key}`);
    for (const line of lines) cloudWatch.logged(group, JSON.stringify(line));
  }

  for (const each of minutes) {
    const [count, minute] = (Array.isArray(each) ? each : [1, each]) as readonly [number, Minute];
    for (let at = 0; at < count; at += 1) {
      for (const [key, value] of Object.entries(minute))
        if (typeof value === 'number') addTo(key, value);
        else write(key, value);
      cloudWatch.passMinute();
    }
  }
  return cloudWatch.alarms()[0]?.state;
}

/** The line that a function writes about a request. */
function request(line: Partial<RequestLogLine>): object {
  const printed: string[] = [];
  createLog((text) => printed.push(text)).request({
    level: 'info',
    traceId: 'x',
    operation: 'getToken',
    status: 200,
    milliseconds: 1,
    ...line,
  });
  return JSON.parse(printed[0] ?? '') as object;
}

const many = (count: number, line: object): readonly object[] => Array<object>(count).fill(line);
const platform = (status: string) => ({ type: 'platform.report', record: { status } });
const FAULT = request({ level: 'error', status: 500, code: 'internal_error' });
const TENANT = { tenantId: 't', applicationId: 'a' };
const OF_OTHERS = [
  request({ ...TENANT, level: 'error', status: 502, code: 'destination_unreachable' }),
  request({ ...TENANT, level: 'error', status: 500, code: 'reactor_failed' }),
  request({ ...TENANT, status: 503 }),
];
const refused = request({ status: 401 });
const GATEWAY = 'AccessLog';
const access = (status: string, integrationStatus: string) => [{ status, integrationStatus }];

/** Returns the event of CloudTrail about a call. */
const call = (source: string, eventName: string, requestParameters: object, more: object = {}) => ({
  source,
  'detail-type': 'AWS API Call via CloudTrail',
  detail: { eventName, requestParameters, userIdentity: { type: 'AssumedRole' }, ...more },
});
const BY_CLOUDFORMATION = {
  userIdentity: { type: 'AssumedRole', invokedBy: 'cloudformation.amazonaws.com' },
};
const by = (role: string) => ({
  userIdentity: { type: 'AssumedRole', sessionContext: { sessionIssuer: { userName: role } } },
});
/** The name that a resource of a stack gets from the resolver of these tests. */
function nameOf(stack: string, beginning: string): string {
  const template = stacks.find(({ name }) => name === `Cloakroom-${stack}`)?.template;
  const id = Object.keys(template?.Resources ?? {}).find((each) => each.startsWith(beginning));
  return `Cloakroom-${stack}-${String(id)}`;
}
const TOKENS_FUNCTION = nameOf('Api', 'TokensFunction');
const UPDATE = 'UpdateFunctionCode20150331v2';
const A_REACTOR = { functionName: 'Cloakroom-reactor-0123' };
const TABLE = (name: string) => `arn:aws:dynamodb:eu-west-1:111122223333:table/Cloakroom-${name}`;
const ending = (DaysToExpiry: number, arn = WATCHED.certificateArn) => ({
  source: 'aws.acm',
  'detail-type': 'ACM Certificate Approaching Expiration',
  resources: [arn],
  detail: { DaysToExpiry, CommonName: 'vault.example.com' },
});
const ofKey = (eventName: string, ARN: unknown) => ({
  ...call('aws.kms', eventName, {}),
  detail: { eventName, resources: [{ ARN }] },
});
const keyRule = rules.find(({ EventPattern }) => EventPattern?.source?.[0] === 'aws.kms');
const KEY: unknown = keyRule?.['EventPattern'].detail.resources.ARN[0];

/** Returns the event of AWS Backup about a job. */
const job = (kind: 'Backup' | 'Copy', detail: object) => ({
  source: 'aws.backup',
  'detail-type': `${kind} Job State Change`,
  detail,
});

const atLeast = (metric: string, bound: number, minutes: number) => ({
  rings: [[minutes, { [metric]: bound }]] as Minutes,
  silent: [[minutes, { [metric]: bound - 1 }]] as Minutes,
});
/** A value that counts something, in some minutes of a few. */
const counted = (metric: string, minutes = 1, outOf = minutes) => ({
  rings: [[minutes, { [metric]: 1 }]] as Minutes,
  silent: [
    [minutes - 1, { [metric]: 1 }],
    [outOf, { [metric]: 0 }],
  ] as Minutes,
});
/** A value that comes once in a period, and whose absence is the fault or hides it. */
const everyPeriod = (metric: string, minutes: number, good: number, bad?: number) => ({
  rings: (bad === undefined ? [[minutes, {}]] : [{ [metric]: bad }, [minutes - 1, {}]]) as Minutes,
  silent: [{ [metric]: good }, [minutes - 1, {}]] as Minutes,
});

interface OfMetrics {
  readonly rings: Minutes;
  readonly silent: Minutes;
}
interface OfEvents {
  readonly ringsFor: readonly object[];
  readonly silentFor: readonly object[];
}

const CASES: Readonly<Record<AlarmName, OfMetrics | OfEvents | (OfMetrics & OfEvents)>> = {
  ServerErrors: {
    rings: [[5, { Count: 20, TokensLog: [FAULT], ReactorsLog: [FAULT] }]],
    silent: [[5, { Count: 20, '5xx': 20, ProxyLog: OF_OTHERS, ReactorsLog: OF_OTHERS }]],
  },
  GatewayThrottled: {
    rings: [[3, { [GATEWAY]: access('429', '-') }]],
    // A destination, or the function itself, may return 429.
    silent: [[5, { [GATEWAY]: [...access('429', '200'), ...access('200', '200')] }]],
  },
  UnauthorizedFlood: {
    rings: [[5, { TokensLog: many(200, refused), ProxyLog: many(100, refused) }]],
    silent: [[5, { TokensLog: many(299, refused), ProxyLog: many(9, request({ ...TENANT, status: 401 })) }]],
  },
  RevealsHigh: {
    rings: [[5, { TokensLog: many(2, request({ ...TENANT, revealed: 20 })) }]],
    silent: [[5, { TokensLog: [request({ ...TENANT, revealed: 39 }), request(TENANT)] }]],
  },
  Silent: everyPeriod('Count', 60, 1),
  CertificateEnds: {
    ringsFor: [ending(30), ending(1)],
    silentFor: [ending(45), ending(31), ending(1, 'arn:aws:acm:eu-west-1:123456789012:certificate/other')],
  },
  ConcurrencyHigh: atLeast('ClaimedAccountConcurrency', 800, 3),
  ColdReactors: counted('ColdReactors', 60),
  SlowResponses: {
    rings: [[10, { 'Duration@Tokens': 3_000 }]],
    silent: [[15, { 'Duration@ProxyFunction': 25_000, 'Duration@Reactors': 25_000, 'Duration@Tokens': 40 }]],
  },
  FunctionsThrottled: counted('Throttles@Tokens', 2, 4),
  WorkersFailing: counted('Errors@Worker', 3, 8),
  SweepSilent: everyPeriod('Invocations', 5, 1),
  SweepLate: atLeast('OldestDueSeconds', 900, 3),
  InvocationsWaiting: atLeast('InvocationWaitSeconds', 300, 3),
  DeliveriesWaiting: atLeast('ApproximateAgeOfOldestMessage', 1_200, 3),
  DeadLetteredMessages: counted('ApproximateNumberOfMessagesVisible'),
  // Deliveries stay parked for two weeks, in which each further one must ring.
  DeliveriesParked: { rings: [{ DeliveryParked: 1 }], silent: [[3, { ParkedDeliveries: 5 }]] },
  StoreThrottled: counted('WriteThrottleEvents', 3, 5),
  IndexThrottled: counted('ReadThrottleEvents', 3, 5),
  AuditUnavailable: counted('AuditUnavailable'),
  AuditThrottled: counted('WriteThrottleEvents', 3, 5),
  AuditSealLate: atLeast('AuditSealLagSeconds', 600, 10),
  AuditBroken: { rings: [{ AuditBroken: 1 }, [100, {}]], silent: [[130, { AuditBroken: 0 }]] },
  AuditCheckLate: everyPeriod('AuditChecked', 180, 1),
  AuditUnprotected: everyPeriod('AuditUnprotected', 180, 0, 1),
  DataUnprotected: {
    ...everyPeriod('DataUnprotected', 180, 0, 1),
    ringsFor: [
      call('aws.dynamodb', 'PutResourcePolicy', { resourceArn: TABLE('Tokens') }),
      call('aws.dynamodb', 'ExportTableToPointInTime', { tableArn: TABLE('Access') }),
      call('aws.dynamodb', 'DeleteTable', { tableName: 'Cloakroom-Reactors' }),
    ],
    silentFor: [
      call('aws.dynamodb', 'PutResourcePolicy', { resourceArn: TABLE('Tokens') }, BY_CLOUDFORMATION),
      call('aws.dynamodb', 'ExportTableToPointInTime', { tableArn: TABLE('Others') }),
      call('aws.dynamodb', 'DescribeTable', { tableName: 'Cloakroom-Tokens' }),
    ],
  },
  BackupFailed: {
    ringsFor: [
      job('Backup', { state: 'FAILED', resourceArn: TABLE('Tokens') }),
      job('Copy', { state: 'EXPIRED', resourceArn: TABLE('AuditSeals') }),
    ],
    silentFor: [
      job('Copy', { state: 'COMPLETED', resourceArn: TABLE('Tokens') }),
      job('Backup', { state: 'FAILED', resourceArn: TABLE('Others') }),
    ],
  },
  BackupLate: everyPeriod('Invocations', 1_800, 1),
  CloudTrailAbsent: everyPeriod('Invocations', 1_440, 1),
  AuditIndexLate: atLeast('AuditIndexLagSeconds', 43_200, 10),
  AuditChanged: {
    ringsFor: [
      call('aws.dynamodb', 'DeleteResourcePolicy', { resourceArn: TABLE('Audit') }),
      call('aws.dynamodb', 'UpdateTable', { tableName: 'Cloakroom-AuditSeals' }),
    ],
    silentFor: [call('aws.dynamodb', 'UpdateTable', { tableName: 'Cloakroom-Tokens' })],
  },
  ManagementKeyCreated: counted('ManagementKeyCreated'),
  ReactorsOutdated: everyPeriod('ReactorsOutdated', 180, 0, 1),
  RetiredKeyUsed: counted('RetiredKeyUsed'),
  ConfigurationGuessed: counted('ConfigurationGuessed'),
  RetiredSecretsForgotten: counted('RetiredSecretsForgotten'),
  CodeChanged: {
    ringsFor: [
      call('aws.lambda', UPDATE, { functionName: TOKENS_FUNCTION }),
      call('aws.lambda', UPDATE, {
        functionName: `arn:aws:lambda:eu-west-1:111122223333:function:${TOKENS_FUNCTION}`,
      }),
      call('aws.lambda', UPDATE, { functionName: '111122223333:function:Cloakroom-operator:live' }),
      call('aws.lambda', 'UpdateAlias20150331', { functionName: TOKENS_FUNCTION }, by('Admin')),
      call('aws.lambda', 'AddPermission20150331v2', { functionName: 'Cloakroom-operator' }),
      // No function of the service changes another one.
      call('aws.lambda', UPDATE, { functionName: TOKENS_FUNCTION }, by(nameOf('Reactors', 'ReactorsRole'))),
      call('aws.lambda', UPDATE, A_REACTOR, by('Admin')),
      call('aws.iam', 'PutRolePolicy', { roleName: nameOf('Api', 'ProxyRole') }),
      call('aws.iam', 'CreatePolicyVersion', {
        policyArn: `arn:aws:iam::111122223333:policy/${nameOf('Reactors', 'Nothing')}`,
      }),
      call('aws.iam', 'AttachRolePolicy', { roleName: nameOf('Reactors', 'ReactorRole') }, by('Admin')),
    ],
    silentFor: [
      call('aws.lambda', UPDATE, { functionName: TOKENS_FUNCTION }, BY_CLOUDFORMATION),
      call('aws.lambda', UPDATE, A_REACTOR, by(nameOf('Reactors', 'ReactorsRole'))),
      call('aws.lambda', 'UpdateAlias20150331', A_REACTOR, by(nameOf('Operations', 'SweeperRole'))),
      call('aws.lambda', UPDATE, { functionName: 'Other' }),
      call('aws.lambda', 'Invoke', { functionName: TOKENS_FUNCTION }),
      call('aws.iam', 'PutRolePolicy', { roleName: nameOf('Api', 'ProxyRole') }, BY_CLOUDFORMATION),
      call('aws.iam', 'PutRolePolicy', { roleName: 'Other' }),
    ],
  },
  KeyChanged: {
    ringsFor: ['DisableKey', 'ScheduleKeyDeletion', 'PutKeyPolicy'].map((name) => ofKey(name, KEY)),
    silentFor: [ofKey('DescribeKey', KEY), ofKey('DisableKey', 'another')],
  },
};

const rulesOf = (name: AlarmName) =>
  rules.filter(({ Description }) => String(Description).endsWith(`docs/runbook.md, ${name}.`));

describe.each(ALARM_NAMES)('%s', (name) => {
  const found = CASES[name];

  if ('rings' in found)
    it('rings, and stays silent', () => {
      expect([stateAfter(name, found.rings), stateAfter(name, found.silent)]).toEqual(['ALARM', 'OK']);
    });
  if ('ringsFor' in found)
    it('rings for these events alone', () => {
      const isRung = (event: object) =>
        rulesOf(name).some(({ EventPattern }) => eventMatches(EventPattern, event));
      expect(found.ringsFor.filter((event) => !isRung(event))).toEqual([]);
      expect(found.silentFor.filter(isRung)).toEqual([]);
    });
});

it.each([
  ['a crash of Proxy', 'ProxyLog', 'error', 'ALARM'],
  // Callers without a key can cause it.
  ['a timeout of Proxy', 'ProxyLog', 'timeout', 'OK'],
  ['a timeout of Tokens', 'TokensLog', 'timeout', 'ALARM'],
  ['an end of Tokens', 'TokensLog', 'success', 'OK'],
])('ServerErrors sees %s in its log', (_what, log, status, state) => {
  expect(stateAfter('ServerErrors', [[5, { Count: 5, [log]: many(2, platform(status)) }]])).toBe(state);
});

it('CloudTrailAbsent counts the log streams of functions that run every minute', () => {
  const heard = rules.find(({ Description }) => /CloudTrailAbsent knows/.test(String(Description)));
  const pattern: Readonly<Record<string, unknown>> = heard?.['EventPattern'];
  const made = (logGroupName: string) => call('aws.logs', 'CreateLogStream', { logGroupName });
  expect(eventMatches(pattern, made(nameOf('Operations', 'SweeperLog')))).toBe(true);
  expect(eventMatches(pattern, made(nameOf('Api', 'TokensLog')))).toBe(false);
});

it('BackupLate counts the copies of tables that have reached the vault', () => {
  const heard = rules.find(({ Description }) => /BackupLate knows/.test(String(Description)));
  const pattern: Readonly<Record<string, unknown>> = heard?.['EventPattern'];
  const copied = { state: 'COMPLETED', resourceArn: TABLE('Tokens') };
  expect(eventMatches(pattern, job('Copy', copied))).toBe(true);
  expect(eventMatches(pattern, job('Copy', { ...copied, state: 'RUNNING' }))).toBe(false);
  const alarm = alarms.find((each) => each['AlarmName'] === 'Cloakroom-BackupLate');
  expect(JSON.stringify(alarm?.['Dimensions'])).toContain('CopyHeard');
});

it.each([
  ['Cloakroom', {}, false],
  // Its generated names begin as those of its reactors do.
  ['x'.repeat(23), { serviceName: 'x'.repeat(23) }, true],
  [LONGEST.serviceName, LONGEST, false],
])('CodeChanged knows the changes that the service %s makes', (serviceName, settings, excludes) => {
  const named = resolvedResources(synthesized(settings, 'eu-west-1'), 'AWS::Events::Rule');
  const changed = named.filter(({ Description }) => String(Description).endsWith('CodeChanged.'));
  const functionName = `${reactorFunctionPrefix(serviceName)}0123`;
  const rung = (role: string) =>
    changed.filter(({ EventPattern }) =>
      eventMatches(EventPattern, call('aws.lambda', UPDATE, { functionName }, by(role))),
    );
  expect(rung(`${serviceName}-Reactors-ReactorsRole`)).toEqual([]);
  expect(rung('Admin')).toHaveLength(excludes ? 2 : 1);
});

it('the pattern of each rule fits into the 2,048 characters of EventBridge', () => {
  for (const { EventPattern } of resolvedResources(synthesized(LONGEST, 'eu-west-1'), 'AWS::Events::Rule'))
    expect(JSON.stringify(EventPattern ?? {}).length).toBeLessThan(2_048);
});
