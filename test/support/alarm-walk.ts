// Walks from each alarm to the people that it should reach, and back to the code that emits its
// metrics, in synthesized templates.
import type { PolicyDocument, PolicyStatement } from '../../packages/local-aws/src/aws-service.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import {
  createResolver,
  type Identity,
  type ResourceHandle,
} from '../../packages/local-aws/src/assembly/resolver.ts';
import { conditionKeys, type ConditionKeys } from '../../packages/local-aws/src/iam/conditions.ts';
import { applies } from '../../packages/local-aws/src/iam/statements.ts';
import type { EmittedMetric } from './emitted-metrics.ts';

const ACCOUNT = '111122223333';
const REGION = 'eu-west-1';
const ALARMS = 'cloudwatch.amazonaws.com';
const EVENTS = 'events.amazonaws.com';

/** The calls that SNS makes to KMS on behalf of a publisher. */
const TOPIC_KEY_ACTIONS = ['kms:GenerateDataKey', 'kms:Decrypt'];

/** An alarm accepts at most this many metrics (Amazon CloudWatch User Guide, Using metric math). */
const METRICS_MAX = 10;

/** Metrics of AWS that the alarms may use, and the kind of resource that each dimension names. */
const AWS_METRICS: Readonly<
  Record<
    string,
    { readonly metrics: readonly string[]; readonly dimensions: Readonly<Record<string, string>> }
  >
> = {
  'AWS/Lambda': {
    metrics: ['Invocations', 'Errors', 'Throttles', 'Duration', 'ConcurrentExecutions'],
    dimensions: { FunctionName: 'AWS::Lambda::Function' },
  },
  'AWS/Events': { metrics: ['Invocations'], dimensions: { RuleName: 'AWS::Events::Rule' } },
  'AWS/SQS': {
    metrics: ['ApproximateAgeOfOldestMessage', 'ApproximateNumberOfMessagesVisible'],
    dimensions: { QueueName: 'AWS::SQS::Queue' },
  },
  'AWS/DynamoDB': {
    metrics: ['ReadThrottleEvents', 'WriteThrottleEvents'],
    dimensions: { TableName: 'AWS::DynamoDB::Table' },
  },
  // Names for HTTP APIs; those for REST APIs differ (`5XXError`).
  'AWS/ApiGateway': {
    metrics: ['Count', '4xx', '5xx', 'Latency', 'IntegrationLatency', 'DataProcessed'],
    dimensions: { ApiId: 'AWS::ApiGatewayV2::Api' },
  },
};
const INDEX_DIMENSION = 'GlobalSecondaryIndexName';

interface MetricStat {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
}
interface AlarmProperties extends Partial<MetricStat> {
  readonly AlarmName: string;
  readonly ActionsEnabled?: boolean;
  readonly AlarmActions?: readonly string[];
  readonly OKActions?: readonly string[];
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: MetricStat } }[];
}
interface RuleProperties {
  readonly State?: string;
  readonly Targets?: readonly { readonly Arn: string }[];
  readonly EventPattern?: {
    readonly source?: readonly string[];
    readonly detail?: {
      readonly eventName?: readonly string[];
      readonly resources?: { readonly ARN?: readonly string[] };
    };
  };
}
interface TableProperties {
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[];
}

/** The source of rejected calls: a table and, for the metrics of an index, its name. */
const source = (table: string, index?: string) => (index === undefined ? table : `${table}, index ${index}`);

interface Found<Properties> {
  readonly identity: Identity;
  readonly properties: Properties;
}

/** A unique name for each resource, in the properties that the walk reads. */
function identify({ stack, logicalId, type, text }: ResourceHandle): Identity {
  const own = ['FunctionName', 'TableName', 'QueueName', 'TopicName']
    .map(text)
    .find((name) => name !== undefined);
  const name = own ?? `${stack.name}-${logicalId}`;
  const path = type === 'AWS::DynamoDB::Table' ? `table/${name}` : name;
  const arn = `arn:aws:${type.split('::')[1]?.toLowerCase() ?? ''}:${REGION}:${ACCOUNT}:${path}`;
  const attributes = { Arn: arn, TopicArn: arn, QueueName: name, KeyId: name, ApiId: name, Version: '1' };
  return { ref: type === 'AWS::SNS::Topic' ? arn : name, attributes };
}

function reader(stacks: readonly Stack[]) {
  const resolver = createResolver({ stacks, accountId: ACCOUNT, region: REGION, identify });
  /** All resources of a type, with their references resolved. */
  return <Properties>(type: string): readonly Found<Properties>[] =>
    stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([logicalId, { Properties }]) => ({
          identity: resolver.identity(stack, logicalId),
          properties: resolver.resolve(stack, Properties) as Properties,
        })),
    );
}

function principalsOf({ Principal }: PolicyStatement, kind: 'Service' | 'AWS'): readonly unknown[] {
  if (typeof Principal !== 'object' || Principal === null || !(kind in Principal)) return [];
  return [(Principal as Readonly<Record<string, unknown>>)[kind]].flat();
}

/**
 * Whether a policy lets a service of AWS make a call: an Allow names the service, and no Deny
 * applies to it or to all.
 */
function lets(
  policy: PolicyDocument,
  service: string,
  action: string,
  resource: string,
  keys: ConditionKeys,
) {
  const speaking = policy.Statement.filter((statement) => {
    const everybody = statement.Principal === '*' || principalsOf(statement, 'AWS').includes('*');
    const meant = everybody
      ? statement.Effect === 'Deny'
      : principalsOf(statement, 'Service').includes(service);
    return meant && applies(statement, { action, resource }, keys);
  });
  return speaking.length > 0 && speaking.every(({ Effect }) => Effect === 'Allow');
}

/** The resources of these types, with their references resolved. */
export const resolvedResources = (
  stacks: readonly Stack[],
  type: string,
): readonly Readonly<Record<string, any>>[] => {
  const all = reader(stacks);
  return all<Readonly<Record<string, any>>>(type).map(({ properties }) => properties);
};

/**
 * Everything that would prevent an alarm of these templates from going off, or from reaching
 * people. `emitted`: the metrics that the service itself publishes.
 */
export function alarmProblems(
  stacks: readonly Stack[],
  emitted: readonly EmittedMetric[],
): readonly string[] {
  const all = reader(stacks);
  const topics = all<{ readonly KmsMasterKeyId?: string }>('AWS::SNS::Topic');
  const policies = all<{ readonly Topics: readonly string[]; readonly PolicyDocument: PolicyDocument }>(
    'AWS::SNS::TopicPolicy',
  );
  const keys = all<{ readonly KeyPolicy: PolicyDocument }>('AWS::KMS::Key');
  const rules = all<RuleProperties>('AWS::Events::Rule');
  const isTopic = (arn: string) => topics.some(({ identity }) => identity.ref === arn);
  /** The rules that send events of a key to a topic. */
  const rulesOf = (keyArn: string) =>
    rules.filter(
      ({ properties: { EventPattern, State = 'ENABLED', Targets = [] } }) =>
        State === 'ENABLED' &&
        EventPattern?.source?.includes('aws.kms') === true &&
        EventPattern.detail?.resources?.ARN?.includes(keyArn) === true &&
        Targets.some(({ Arn }) => isTopic(Arn)),
    );

  /** The problems that prevent a service of AWS from encrypting a message for a topic. */
  function keyProblems(keyId: string, service: string): readonly string[] {
    const key = keys.find(({ identity: { ref, attributes } }) => [ref, attributes['Arn']].includes(keyId));
    // The policy of the AWS managed key for SNS names no service, and cannot be changed.
    if (key === undefined) return [`the topic's key ${keyId} is not in the templates`];
    const arn = key.identity.attributes['Arn'] ?? '';
    const refused = TOPIC_KEY_ACTIONS.filter(
      (action) => !lets(key.properties.KeyPolicy, service, action, arn, conditionKeys({})),
    );
    return [
      ...(rulesOf(arn).length > 0
        ? ['the topic is silent when the key is disabled that an alarm is about']
        : []),
      ...refused.map((action) => `the key of the topic does not let ${service} call ${action}`),
    ];
  }

  /** The problems that prevent a service of AWS from publishing to a topic. */
  function topicProblems(
    arn: string,
    service: string,
    context: Readonly<Record<string, string>>,
  ): readonly string[] {
    const topic = topics.find(({ identity }) => identity.ref === arn);
    if (topic === undefined) return [`${arn} is no topic of the templates`];
    const policy = policies.find(({ properties }) => properties.Topics.includes(arn))?.properties
      .PolicyDocument;
    const circumstances = conditionKeys({ 'aws:SecureTransport': 'true', ...context });
    const isLet = policy !== undefined && lets(policy, service, 'sns:Publish', arn, circumstances);
    const keyId = topic.properties.KmsMasterKeyId;
    return [
      ...(isLet ? [] : [`the topic does not let ${service} publish`]),
      ...(keyId === undefined ? [] : keyProblems(keyId, service)),
    ];
  }

  function actionProblems({ AlarmName, ActionsEnabled, AlarmActions = [], OKActions = [] }: AlarmProperties) {
    const context = {
      'aws:SourceAccount': ACCOUNT,
      'aws:SourceArn': `arn:aws:cloudwatch:${REGION}:${ACCOUNT}:alarm:${AlarmName}`,
    };
    return [
      ...(ActionsEnabled === false ? ['its actions are off'] : []),
      ...(AlarmActions.length === 0 ? ['it has no action'] : []),
      ...[...new Set([...AlarmActions, ...OKActions])].flatMap((arn) => topicProblems(arn, ALARMS, context)),
    ];
  }

  function dimensionProblems(
    stat: MetricStat,
    expected: Readonly<Record<string, string>>,
  ): readonly string[] {
    const input = new Map(stat.Dimensions?.map(({ Name, Value }) => [Name, Value]));
    const index = input.get(INDEX_DIMENSION);
    if ('TableName' in expected) input.delete(INDEX_DIMENSION);
    const names = [...input.keys()].join();
    const wanted = Object.keys(expected).join();
    if (names !== wanted) return [`${stat.MetricName} has the dimensions ${names}, not ${wanted}`];
    return Object.entries(expected).flatMap(([name, type]) => {
      const value = input.get(name) ?? '';
      const resource = all<TableProperties>(type).find(
        ({ identity }) => identity.ref === value || identity.attributes['QueueName'] === value,
      );
      if (resource === undefined) return [`${name} ${value} is no ${type} of the templates`];
      const indexes = resource.properties.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? [];
      return index === undefined || indexes.includes(index)
        ? []
        : [`the table ${value} has no index ${index}`];
    });
  }

  const filters = all<{
    readonly MetricTransformations: readonly Readonly<Record<'MetricNamespace' | 'MetricName', string>>[];
  }>('AWS::Logs::MetricFilter').flatMap(({ properties }) => properties.MetricTransformations);

  function metricProblems(stat: MetricStat): readonly string[] {
    // The metrics of an account and Region have no dimension.
    if (stat.MetricName === 'ClaimedAccountConcurrency') return dimensionProblems(stat, {});
    const isFiltered = filters.some(
      ({ MetricNamespace, MetricName }) =>
        MetricNamespace === stat.Namespace && MetricName === stat.MetricName,
    );
    if (isFiltered) return dimensionProblems(stat, {});
    const ofAws = AWS_METRICS[stat.Namespace];
    if (ofAws !== undefined)
      return ofAws.metrics.includes(stat.MetricName)
        ? dimensionProblems(stat, ofAws.dimensions)
        : [`${stat.Namespace} has no metric ${stat.MetricName}`];
    const named = emitted.filter(
      ({ namespace, metric }) => namespace === stat.Namespace && metric === stat.MetricName,
    );
    if (named.length === 0) return [`nothing emits ${stat.Namespace} ${stat.MetricName}`];
    const text = (dimensions: readonly (readonly [string, unknown])[]) =>
      JSON.stringify(dimensions.toSorted());
    const wanted = text(stat.Dimensions?.map(({ Name, Value }) => [Name, Value]) ?? []);
    const isEmitted = named.some(({ dimensions }) => text(Object.entries(dimensions)) === wanted);
    return isEmitted ? [] : [`nothing emits ${stat.MetricName} with the dimensions ${wanted}`];
  }

  const statsOf = (alarm: AlarmProperties): readonly MetricStat[] =>
    alarm.Metrics?.flatMap(({ MetricStat: stat }) => (stat ? [stat.Metric] : [])) ?? [alarm as MetricStat];

  function alarmOf({ properties: alarm }: Found<AlarmProperties>): readonly string[] {
    const stats = statsOf(alarm);
    return [
      ...actionProblems(alarm),
      ...(stats.length === 0 ? ['it looks at no metric'] : stats.flatMap(metricProblems)),
      ...(stats.length > METRICS_MAX ? [`it looks at ${String(stats.length)} metrics`] : []),
    ].map((problem) => `${alarm.AlarmName}: ${problem}`);
  }

  /** The indexes that functions behind the API may query. */
  function indexesForCallers(): readonly string[] {
    const behindApi = all<{ readonly Principal: string; readonly FunctionName: string }>(
      'AWS::Lambda::Permission',
    ).flatMap(({ properties: { Principal, FunctionName } }) =>
      Principal === 'apigateway.amazonaws.com' ? [FunctionName] : [],
    );
    const functions = all<{ readonly FunctionName: string }>('AWS::Lambda::Alias').flatMap(
      ({ identity: { ref }, properties }) => (behindApi.includes(ref) ? [properties.FunctionName] : []),
    );
    const roles = all<{ readonly Role: string }>('AWS::Lambda::Function').flatMap(
      ({ identity: { ref }, properties }) => (functions.includes(ref) ? [properties.Role] : []),
    );
    return all<{ readonly Roles: readonly string[]; readonly PolicyDocument: PolicyDocument }>(
      'AWS::IAM::Policy',
    )
      .filter(({ properties }) =>
        properties.Roles.some((name) => roles.some((arn) => arn.endsWith(`:${name}`))),
      )
      .flatMap(({ properties }) => properties.PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().includes('dynamodb:Query'))
      .flatMap(({ Resource }) => [Resource].flat().map(String));
  }

  /**
   * Tables and indexes that could reject calls unnoticed: the metrics of a table do not count its
   * indexes.
   */
  function unwatchedThrottling(): readonly string[] {
    const stats = all<AlarmProperties>('AWS::CloudWatch::Alarm').flatMap(({ properties }) =>
      statsOf(properties),
    );
    const watched = new Set(
      stats.map(({ MetricName, Dimensions = [] }) => {
        const { TableName: table = '', [INDEX_DIMENSION]: index } = Object.fromEntries(
          Dimensions.map(({ Name, Value }) => [Name, Value]),
        );
        return `${MetricName} of ${source(table, index)}`;
      }),
    );
    const queried = new Set(indexesForCallers());
    const wanted = all<TableProperties>('AWS::DynamoDB::Table').flatMap(({ identity, properties }) => {
      const { ref, attributes } = identity;
      const indexes = (properties.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName);
      const read = indexes.filter((name) => queried.has(`${attributes['Arn'] ?? ''}/index/${name}`));
      return [
        ...[undefined, ...read].map((index) => `ReadThrottleEvents of ${source(ref, index)}`),
        ...[undefined, ...indexes].map((index) => `WriteThrottleEvents of ${source(ref, index)}`),
      ];
    });
    return wanted.filter((metric) => !watched.has(metric)).map((metric) => `no alarm looks at ${metric}`);
  }

  // EventBridge sends no context that a topic's policy could check.
  const ofRules = rules.flatMap(({ identity, properties: { Targets = [] } }) =>
    Targets.filter(({ Arn }) => Arn.startsWith('arn:aws:sns:'))
      .flatMap(({ Arn }) => topicProblems(Arn, EVENTS, {}))
      .map((problem) => `${identity.ref}: ${problem}`),
  );
  const unwatched = keys
    .filter(({ identity }) => {
      const names = rulesOf(identity.attributes['Arn'] ?? '').flatMap(
        ({ properties }) => properties.EventPattern?.detail?.eventName ?? [],
      );
      return !['DisableKey', 'ScheduleKeyDeletion'].every((name) => names.includes(name));
    })
    .map(({ identity }) => `no rule reports when the key ${identity.ref} is disabled or deleted`);
  const alarms = all<AlarmProperties>('AWS::CloudWatch::Alarm');
  return [...alarms.flatMap(alarmOf), ...ofRules, ...unwatched, ...unwatchedThrottling()];
}
