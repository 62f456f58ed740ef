import { readdirSync, readFileSync } from 'node:fs';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { ALARM_NAMES } from '../../lib/alarms.ts';
import { reactorFunctionPrefix } from '../../lib/deployment-names.ts';
import { NODE_VERSIONS } from '../../src/core/reactors/layer.ts';
import { FUNCTION_FOLDERS } from '../../lib/reserved-concurrency.ts';
import { parseSettings } from '../../lib/settings.ts';
import { PRICES } from '../../lib/prices.ts';
import { RELEASE_SETTINGS } from '../../tools/templates/release-settings.ts';
import { ALL_ON, DOMAIN, EDGE, synthesized, synthesizedBelowBoundary } from '../support/synthesized.ts';

const stacks = synthesized({ headerPrefixes: 'SVC,ACME', throttleRate: '7', throttleBurst: 9 });
function template(name: string, from: readonly Stack[] = stacks): Template {
  const stack = from.find((each) => each.name.startsWith(`Cloakroom-${name}`));
  if (stack === undefined) throw new Error(`no stack ${name}`);
  return Template.fromJSON(stack.template);
}
const data = template('Data');
const reactors = template('Reactors');
const api = template('Api');
const operations = template('Operations');
const all = [data, reactors, api, operations];

const resources = (from: Template, type: string) =>
  Object.entries(from.findResources(type)) as [string, any][];
const statements = all.flatMap((from) =>
  resources(from, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
    Properties.PolicyDocument.Statement.map((statement: any) => ({ id, ...statement })),
  ),
);

describe('the data stack', () => {
  it('retains, protects and encrypts every table under the customer-managed key', () => {
    data.resourceCountIs('AWS::DynamoDB::Table', 7);
    data.allResourcesProperties('AWS::DynamoDB::Table', {
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
    });
    // Seals do not expire: they must outlive the records that they seal.
    const lasting = resources(data, 'AWS::DynamoDB::Table').filter(
      ([, { Properties }]) => Properties.TimeToLiveSpecification?.AttributeName !== 'ttl',
    );
    expect(lasting.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['AuditSeals']);
    data.allResources('AWS::DynamoDB::Table', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    data.hasResource('AWS::KMS::Key', { DeletionPolicy: 'Retain', Properties: { EnableKeyRotation: true } });
  });

  it('has backups of everything except data that must disappear', () => {
    const backups = resources(data, 'AWS::DynamoDB::Table').map(([id, { Properties }]) => [
      id.replace(/[0-9A-F]{8}$/, ''),
      Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
    ]);
    expect(Object.fromEntries(backups)).toEqual({
      Tokens: true,
      Ephemeral: false,
      Access: true,
      Reactors: true,
      Audit: true,
      AuditIndex: true,
      AuditSeals: true,
    });
  });
});

describe('warm throughput', () => {
  /** The setting of each table and index, by its name. */
  function warmed(settings: Readonly<Record<string, unknown>>) {
    const tables = resources(template('Data', synthesized(settings)), 'AWS::DynamoDB::Table');
    const named = tables.flatMap(([id, { Properties }]) => [
      [id.replace(/[0-9A-F]{8}$/, ''), Properties],
      ...(Properties.GlobalSecondaryIndexes ?? []).map((index: any) => [index.IndexName, index]),
    ]);
    return named.flatMap(([name, { TableClass, WarmThroughput: units }]) =>
      units === undefined
        ? []
        : [
            {
              name,
              isRare: TableClass !== undefined,
              reads: units.ReadUnitsPerSecond,
              writes: units.WriteUnitsPerSecond,
            },
          ],
    );
  }

  it('is none by default, and at the rate of a new table', () => {
    expect(warmed({})).toEqual([]);
    expect(warmed({ warmThroughput: '4000' })).toEqual([]);
  });

  it.each([
    [10_000, 12_000],
    [40_000, 40_000],
  ])(
    'warm throughput of %i requests a second covers what each request reads and writes, at the stated price',
    (rate, reads) => {
      const units = warmed({ warmThroughput: rate });
      const written = ['Audit', 'Tokens', 'fingerprint', 'list'];
      expect(
        units
          .filter(({ writes }) => writes === rate)
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(written);
      expect(units.filter(({ writes }) => writes !== rate).map(({ name }) => name)).toEqual(
        reads === 12_000 ? [] : ['Access'],
      );
      const read = ['Tokens', 'Access'];
      for (const each of units) expect(each.reads).toBe(read.includes(each.name) ? reads : 12_000);
      const dollars = units.reduce((sum, each) => {
        const write = each.isRare ? PRICES.infrequent.warmWriteUnit : PRICES.warm.writeUnit;
        return sum + (each.writes - 4_000) * write + (each.reads - 12_000) * PRICES.warm.readUnit;
      }, 0);
      const page = readFileSync('docs/deploy.md', 'utf8');
      expect(page).toContain(`$${dollars.toFixed(2)} for ${rate.toLocaleString('en')}`);
    },
  );
});

describe('a maximum of writes', () => {
  const maxima = (settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const named = resources(
      template('Data', synthesized(settings, 'eu-west-1')),
      'AWS::DynamoDB::Table',
    ).flatMap(([id, { Properties }]): [string, unknown][] => {
      const table = id.replace(/[0-9A-F]{8}$/, '');
      const indexes = (Properties.GlobalSecondaryIndexes ?? []) as any[];
      return [
        [table, Properties.OnDemandThroughput],
        ...indexes.map((each): [string, unknown] => [`${table}.${each.IndexName}`, each.OnDemandThroughput]),
      ];
    });
    return Object.fromEntries(named.filter(([, units]) => units !== undefined));
  };

  it('is on the tables that grow with requests and on each of their indexes, and never on the others', () => {
    const most = { MaxWriteRequestUnits: 5_000 };
    expect(maxima(ALL_ON)).toEqual({
      Tokens: most,
      'Tokens.due': most,
      'Tokens.fingerprint': most,
      'Tokens.list': most,
      Reactors: most,
      'Reactors.due': most,
      'Reactors.group': most,
    });
  });

  it('is none without the setting', () => {
    expect(maxima({})).toEqual({});
  });
});

it('both KMS keys are multi-Region keys, which cannot change later', () => {
  const keys = resources(data, 'AWS::KMS::Key').map(([, { Properties }]) => Properties.MultiRegion);
  expect(keys).toEqual([true, true]);
});

/** The functions with the code of the service. One other tries layers, and has no log. */
const ownFunctions = (from: Template) =>
  resources(from, 'AWS::Lambda::Function').filter(([id]) => !id.startsWith('OwnReactor'));

describe('the functions', () => {
  it('run on arm64 with Node 24, each with a log with a retention period', () => {
    for (const from of [reactors, api, operations]) {
      for (const [, { Properties }] of ownFunctions(from))
        expect(Properties).toMatchObject({
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          LoggingConfig: { LogGroup: expect.anything() },
        });
      from.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
    }
  });

  it('log their own lines in JSON from INFO on, and only errors of Lambda', () => {
    for (const from of [reactors, api, operations])
      for (const [, { Properties }] of ownFunctions(from))
        expect(Properties.LoggingConfig).toMatchObject({
          LogFormat: 'JSON',
          ApplicationLogLevel: 'INFO',
          SystemLogLevel: 'WARN',
        });
  });

  it('have the instances that are reserved for them, and their queues use no more', () => {
    const of = (settings: Readonly<Record<string, unknown>>) =>
      synthesized(settings, 'eu-west-1').flatMap((stack) =>
        Object.entries(stack.template.Resources).flatMap(([id, { Properties }]): [string, unknown][] => {
          const { ReservedConcurrentExecutions: own, ScalingConfig: queue } = Properties as any;
          const most = own ?? queue?.MaximumConcurrency;
          return most === undefined ? [] : [[id.replace(/[0-9A-F]{8}$/, ''), most]];
        }),
      );
    expect(Object.fromEntries(of(ALL_ON))).toEqual({
      ProxyFunction: 300,
      ReactorsFunction: 200,
      WorkerFunction: 50,
      SenderFunction: 30,
      WorkerFunctionMessages: 50,
      SenderFunctionMessages: 20,
    });
    expect(Object.fromEntries(of({}))).toEqual({ WorkerFunctionMessages: 100, SenderFunctionMessages: 20 });
    expect(FUNCTION_FOLDERS).toEqual(readdirSync('functions').toSorted());
  });

  it('may send to their own queue only where the service limits the number of messages', () => {
    const looping = [reactors, api, operations].flatMap((from) =>
      resources(from, 'AWS::Lambda::Function')
        .filter(([, { Properties }]) => Properties.RecursiveLoop !== undefined)
        .map(([id, { Properties }]) => [id.replace(/Function.*$/, ''), Properties.RecursiveLoop]),
    );
    expect(Object.fromEntries(looping)).toEqual({
      Worker: 'Allow',
      Sender: 'Allow',
      // A wave ends, and so do the passes of a roll.
      Republisher: 'Allow',
    });
  });

  it('are granted named actions on named resources', () => {
    expect(statements.length).toBeGreaterThan(5);
    for (const statement of statements) {
      const actions = [statement.Action].flat();
      // X-Ray has no resources to name.
      if (actions.every((action: string) => action.startsWith('xray:'))) continue;
      expect(actions.filter((action: string) => action.includes('*'))).toEqual([]);
      // Reactors' functions are made at run time: their names start with the prefix. Their layer
      // has a version for each content.
      const resource = JSON.stringify(statement.Resource).replaceAll(
        /:function:Cloakroom-reactor-\*(:\*)?|:layer:Cloakroom-reactor-runtime(-node24)?:\*/g,
        '',
      );
      expect(resource).not.toMatch(/\*/);
    }
  });

  it('may use the KMS key only for keys of tenants and deployment keys', () => {
    const onKey = statements.filter(({ Action }) =>
      [Action].flat().some((action: string) => /^kms:(?!Sign|GetPublicKey)/.test(action)),
    );
    expect(onKey.length).toBeGreaterThan(2);
    const tenant = {
      'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['tenant', 'deployment'] },
      Null: { 'kms:EncryptionContextKeys': 'false' },
    };
    const lambda = { StringEquals: { 'kms:ViaService': expect.anything() } };
    const makes = onKey.filter(({ Action }) => /GenerateDataKey|Encrypt/.test(JSON.stringify(Action)));
    expect(makes.filter(({ id }) => !/^(Operator|Reactors|Republisher)/.test(id))).toEqual([]);
    for (const { id, Action, Condition } of onKey) {
      if (Action === 'kms:Encrypt') {
        expect(id).toMatch(/^Operator/);
        expect(Condition['ForAllValues:StringEquals']).toEqual({ 'kms:EncryptionContextKeys': ['tenant'] });
        continue;
      }
      // The functions that publish code in Lambda may use the key through Lambda.
      const isCode = /^(Reactors|Republisher)/.test(id) && !('Null' in Condition);
      expect(Condition).toEqual(isCode ? lambda : tenant);
    }
  });
});

describe('reactors', () => {
  const DENY_ALL = { Statement: [{ Action: '*', Effect: 'Deny', Resource: '*' }], Version: '2012-10-17' };

  it('have a role without permissions, under a boundary that denies everything', () => {
    const [[roleId, role] = ['', undefined]] = resources(reactors, 'AWS::IAM::Role').filter(([id]) =>
      id.startsWith('ReactorRole'),
    );
    expect(Object.keys(role.Properties).sort()).toEqual([
      'AssumeRolePolicyDocument',
      'Description',
      'PermissionsBoundary',
      'Policies',
    ]);
    expect(role.Properties.Policies).toEqual([{ PolicyDocument: DENY_ALL, PolicyName: 'Nothing' }]);
    expect(role.Properties.AssumeRolePolicyDocument.Statement).toEqual([
      { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
    ]);
    const boundary =
      reactors.findResources('AWS::IAM::ManagedPolicy')[role.Properties.PermissionsBoundary.Ref];
    expect(boundary?.['Properties'].PolicyDocument).toEqual(DENY_ALL);
    for (const [, policy] of resources(reactors, 'AWS::IAM::Policy'))
      expect(JSON.stringify(policy.Properties.Roles)).not.toContain(roleId);
  });

  it('are denied everything by a policy of their role below the boundary of an organisation too', () => {
    const [[, role] = ['', undefined]] = resources(
      template('Reactors', synthesizedBelowBoundary()),
      'AWS::IAM::Role',
    ).filter(([id]) => id.startsWith('ReactorRole'));
    expect(JSON.stringify(role.Properties.PermissionsBoundary)).toContain('policy/OrgBoundary');
    expect(role.Properties.Policies).toEqual([{ PolicyDocument: DENY_ALL, PolicyName: 'Nothing' }]);
  });

  it('have no log group, and no function may let them write logs', () => {
    for (const [, { Properties: group }] of resources(reactors, 'AWS::Logs::LogGroup'))
      expect(JSON.stringify(group)).not.toMatch(/Cloakroom-reactor-/);
    const actions = statements.flatMap(({ Action }) => [Action].flat() as string[]);
    for (const action of actions)
      expect(action).not.toMatch(/^(iam:(?!PassRole$)|logs:(CreateLogGroup|\*)|\*)/);
  });

  it('are created with that role and no other, for Lambda only', () => {
    const passing = statements.filter(({ Action }) => [Action].flat().includes('iam:PassRole'));
    expect(passing).toHaveLength(1);
    expect(passing[0]).toMatchObject({
      Resource: { 'Fn::GetAtt': [expect.stringMatching(/^ReactorRole/), 'Arn'] },
      Condition: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
    });
  });

  it('are invoked only by alias or version', () => {
    const invoking = statements.filter(
      ({ id, Action }) => [Action].flat().includes('lambda:InvokeFunction') && !id.startsWith('EveryMinute'),
    );
    expect(invoking.length).toBeGreaterThanOrEqual(2);
    // A roll goes on by events of the operator and of the republisher. Others ask for a function
    // that is missing.
    for (const { Resource } of invoking)
      expect(JSON.stringify(Resource)).toMatch(/Cloakroom-reactor-\*:\*|Cloakroom-republisher|ReactorsLive/);
  });

  it('have a layer for each image that is retained when it is replaced, and a function to try it', () => {
    const layers = resources(reactors, 'AWS::Lambda::LayerVersion');
    const named = (name: string, version: string) => [
      name,
      expect.stringMatching(new RegExp(`^Node\\.js ${version.replaceAll('.', '\\.')} `)),
    ];
    expect(layers.map(([, { Properties }]) => [Properties.LayerName, Properties.Description])).toEqual([
      named('Cloakroom-reactor-runtime', NODE_VERSIONS.node16),
      named('Cloakroom-reactor-runtime-node24', NODE_VERSIONS.node24),
    ]);
    for (const [, layer] of layers)
      expect(layer).toMatchObject({
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
        Properties: { CompatibleRuntimes: ['provided.al2023'], CompatibleArchitectures: ['arm64'] },
      });
    const own = resources(reactors, 'AWS::Lambda::Function').filter(([id]) => id.startsWith('OwnReactor'));
    expect(own.map(([, { Properties }]) => [Properties.FunctionName, Properties.Layers])).toEqual(
      ['own', 'own-node24'].map((name, at) => [`Cloakroom-reactor-${name}`, [{ Ref: layers[at]?.[0] }]]),
    );
  });

  it('have encrypted queues that accept TLS only and move failing messages to a dead-letter queue', () => {
    const queues = resources(reactors, 'AWS::SQS::Queue');
    expect(queues).toHaveLength(4);
    for (const [, { Properties }] of queues) expect(Properties.SqsManagedSseEnabled).toBe(true);
    const policies = resources(reactors, 'AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);
    expect(policies).toHaveLength(4);
    for (const { PolicyDocument } of policies)
      expect(PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Action: 'sqs:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    const withPlaceAside = queues.filter(([, { Properties }]) => Properties.RedrivePolicy !== undefined);
    expect(withPlaceAside).toHaveLength(2);
    reactors.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      // A backlog of messages must not use the instances of the functions behind the API.
      ScalingConfig: { MaximumConcurrency: Match.anyValue() },
    });
    const most = resources(reactors, 'AWS::Lambda::EventSourceMapping').map(
      ([, { Properties }]) => Properties.ScalingConfig.MaximumConcurrency,
    );
    expect(Math.max(...most)).toBeLessThanOrEqual(100);
  });

  it('hide messages for longer than their worker may run', () => {
    for (const [, { Properties }] of resources(reactors, 'AWS::Lambda::EventSourceMapping')) {
      const queueId = Properties.EventSourceArn['Fn::GetAtt'][0];
      const worker = reactors.findResources('AWS::Lambda::Function')[Properties.FunctionName.Ref];
      const queue = reactors.findResources('AWS::SQS::Queue')[queueId];
      expect(queue?.['Properties'].VisibilityTimeout).toBeGreaterThan(worker?.['Properties'].Timeout);
    }
  });

  it.each(['Cloakroom', 'A', 'x'.repeat(40), `${'y'.repeat(22)}-1`, `${'y'.repeat(22)}-2`])(
    'have names of legal length for any service name: %s',
    (name) => {
      const prefix = reactorFunctionPrefix(name);
      expect(prefix.length).toBeLessThanOrEqual(32);
      expect(prefix).toMatch(/^[A-Za-z][A-Za-z0-9-]*-reactor-$/);
    },
  );

  it('reactors of two services with long names have different names', () => {
    const names = [`${'y'.repeat(30)}-1`, `${'y'.repeat(30)}-2`];
    expect(new Set(names.map(reactorFunctionPrefix)).size).toBe(2);
  });
});

describe('logs', () => {
  it('are encrypted under the service key, expire, and are retained when their stack is deleted', () => {
    for (const from of [reactors, api, operations])
      from.allResources('AWS::Logs::LogGroup', {
        DeletionPolicy: 'Retain',
        Properties: { KmsKeyId: Match.anyValue(), RetentionInDays: 365 },
      });
  });

  it('are written by each function into its own log group only', () => {
    const writing = statements.filter(({ Action }) => [Action].flat().includes('logs:PutLogEvents'));
    expect(writing.length).toBeGreaterThanOrEqual(8);
    for (const { Resource } of writing) expect(Object.keys(Resource)).toEqual(['Fn::GetAtt']);
  });
});

describe('alarms', () => {
  const monitoring = template('Monitoring');
  /** Alarms of events, and those that a setting switches on. */
  const OTHERS = [
    ...['KeyChanged', 'AuditChanged', 'CodeChanged'],
    ...['RevealsHigh', 'Silent', 'CertificateEnds', 'BackupFailed', 'BackupLate'],
  ];

  it('describe the impact on users and link the runbook, and notify on start and end', () => {
    const alarms = resources(monitoring, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
    expect(alarms.map(({ AlarmName }) => AlarmName.replace('Cloakroom-', '')).sort()).toEqual(
      ALARM_NAMES.filter((name) => !OTHERS.includes(name)).toSorted(),
    );
    for (const { AlarmDescription, AlarmActions, OKActions } of alarms) {
      expect(AlarmDescription).toMatch(/^[A-Z].*docs\/runbook\.md, \w+\.$/);
      expect([AlarmActions, OKActions].map((actions) => actions.length)).toEqual([1, 1]);
    }
  });

  it('go off without any sweep, and stay quiet without traffic', () => {
    const missing = Object.fromEntries(
      resources(monitoring, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => [
        Properties.AlarmName.replace('Cloakroom-', ''),
        Properties.TreatMissingData,
      ]),
    );
    expect(missing['SweepSilent']).toBe('breaching');
    expect(missing['ServerErrors']).toBe('notBreaching');
  });

  it('are sent to the address of the setting', () => {
    monitoring.resourceCountIs('AWS::SNS::Subscription', 0);
    const other = synthesized({ alarmEmail: 'on-call@example.com' });
    template('Monitoring', other).hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'on-call@example.com',
    });
  });

  it('are those of the setting, and notify a topic that exists', () => {
    const own = template('Monitoring', synthesized(ALL_ON, 'eu-west-1'));
    const basic = resources(own, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
    const names = basic.map(({ AlarmName }) => AlarmName.replace('Cloakroom-', ''));
    expect(names).toEqual(expect.arrayContaining(['ServerErrors', 'Silent', 'DataUnprotected']));
    expect(names).toHaveLength(15);
    for (const { AlarmActions, OKActions } of basic)
      expect([AlarmActions, OKActions]).toEqual([[ALL_ON.alarmTopicArn], [ALL_ON.alarmTopicArn]]);
    own.resourceCountIs('AWS::SNS::Topic', 1);
    own.hasOutput('AlarmTopicArn', { Value: ALL_ON.alarmTopicArn });
    expect(() => synthesized({ alarmTopicArn: ALL_ON.alarmTopicArn }, 'us-east-1')).toThrow(
      'setting alarmTopicArn must be in us-east-1',
    );
    expect(() => parseSettings({ alarmTopicArn: ALL_ON.alarmTopicArn, alarmEmail: 'a@example.com' })).toThrow(
      'alarmEmail must be empty with alarmTopicArn',
    );
  });

  it('learn in the Region of the service of certificates that CloudFront reads', () => {
    for (const name of ['Firewall', 'Console', 'Fields']) {
      const from = template(name, synthesized(ALL_ON, 'eu-west-1'));
      const [[, rule] = ['', undefined]] = resources(from, 'AWS::Events::Rule');
      expect(rule.Properties.EventPattern.source).toEqual(['aws.acm']);
      expect(JSON.stringify(rule.Properties.Targets[0].Arn)).toMatch(
        /:events:eu-west-1:.*:event-bus\/default/,
      );
    }
    template('Firewall', synthesized(RELEASE_SETTINGS['region']?.settings, 'us-east-1')).resourceCountIs(
      'AWS::Events::Rule',
      0,
    );
  });

  it('notify about every change of the key', () => {
    monitoring.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        detail: { eventName: Match.arrayWith(['DisableKey', 'ScheduleKeyDeletion', 'ReplicateKey']) },
      },
    });
  });
});

const TAGGED = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CloudFront::Distribution',
  'AWS::CloudWatch::Alarm',
  'AWS::DynamoDB::Table',
  'AWS::Events::Rule',
  'AWS::IAM::Role',
  'AWS::KMS::Key',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',
  'AWS::WAFv2::WebACL',
];

it('the tags of the setting are on all resources of the types that can have tags', () => {
  // CloudFormation gives the tags of the stack to the custom resources of the CDK.
  const found = synthesized(ALL_ON, 'eu-west-1').flatMap(({ template: { Resources } }) =>
    Object.entries(Resources).flatMap(([id, { Type, Properties }]) =>
      id.startsWith('Custom') ? [] : [[Type, JSON.stringify(Properties)] as const],
    ),
  );
  const has = (text: string) => text.includes('payments') && text.includes('"42=a"');
  const typesWith = (wanted: boolean) =>
    new Set(found.filter(([, text]) => has(text) === wanted).map(([type]) => type));
  const tagged = typesWith(true);
  expect([...typesWith(false)].filter((type) => tagged.has(type))).toEqual([]);
  expect([...tagged].toSorted()).toEqual(expect.arrayContaining(TAGGED));
  expect([...typesWith(false)].filter((type) => TAGGED.includes(type))).toEqual([]);
});

describe('the API', () => {
  it('serves at the root, throttled by the settings, for browsers of any origin', () => {
    api.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      DefaultRouteSettings: { ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 },
    });
    api.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: {
        AllowOrigins: ['*'],
        AllowMethods: ['*'],
        AllowHeaders: ['*', 'authorization'],
        ExposeHeaders: ['*'],
        AllowCredentials: Match.absent(),
      },
    });
  });

  it('logs neither a path, nor a query, nor a header, nor a body', () => {
    const [[, stage] = ['', undefined]] = resources(api, 'AWS::ApiGatewayV2::Stage');
    const format = JSON.parse(stage.Properties.AccessLogSettings.Format);
    expect(Object.values(format).join(' ')).not.toMatch(/path|query|header|body|authorizer|identity/i);
  });
});

describe('the edge', () => {
  const edged = synthesized(EDGE, 'eu-west-1');
  const firewall = template('Firewall', edged);
  const edge = template('Edge', edged);

  it('returns 429 in the usual form, with Retry-After, to an address that sends too many requests', () => {
    const [[, acl] = ['', undefined]] = resources(firewall, 'AWS::WAFv2::WebACL');
    expect(acl.Properties.Scope).toBe('CLOUDFRONT');
    const response = acl.Properties.Rules[0].Action.Block.CustomResponse;
    expect(response).toMatchObject({
      ResponseCode: 429,
      ResponseHeaders: expect.arrayContaining([{ Name: 'retry-after', Value: '60' }]),
    });
    const content = acl.Properties.CustomResponseBodies[response.CustomResponseBodyKey].Content;
    expect(JSON.parse(content)).toMatchObject({ title: 'Too Many Requests', status: 429 });
  });

  it('stores no samples, which would contain API keys', () => {
    const [[, acl] = ['', undefined]] = resources(firewall, 'AWS::WAFv2::WebACL');
    const configs = [acl.Properties, ...acl.Properties.Rules].map(({ VisibilityConfig }) => VisibilityConfig);
    for (const { SampledRequestsEnabled } of configs) expect(SampledRequestsEnabled).toBe(false);
  });

  it('accepts TLS only, caches nothing, forwards everything, and authenticates with a generated secret', () => {
    const [[, distribution] = ['', undefined]] = resources(edge, 'AWS::CloudFront::Distribution');
    const config = distribution.Properties.DistributionConfig;
    expect(config).toMatchObject({ Aliases: ['vault.example.com'], WebACLId: expect.anything() });
    expect(config.ViewerCertificate.MinimumProtocolVersion).toBe('TLSv1.2_2021');
    expect(config.DefaultCacheBehavior).toMatchObject({
      ViewerProtocolPolicy: 'https-only',
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      // An entity tag stays strong.
      Compress: false,
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      AllowedMethods: expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    });
    const [origin] = config.Origins;
    expect(origin.CustomOriginConfig).toMatchObject({
      OriginProtocolPolicy: 'https-only',
      OriginSSLProtocols: ['TLSv1.2'],
    });
    expect(origin.OriginCustomHeaders[0].HeaderName).toBe('x-cloakroom-edge');
    expect(JSON.stringify(origin.OriginCustomHeaders[0].HeaderValue)).toContain('resolve:secretsmanager');
  });

  it('is the only way in: every function behind the API requires the secret', () => {
    const functions = [template('Api', edged), template('Reactors', edged)].flatMap((from) =>
      resources(from, 'AWS::Lambda::Function').filter(
        ([, { Properties }]) => Properties.Environment?.Variables?.HEADER_PREFIXES !== undefined,
      ),
    );
    expect(functions).toHaveLength(6);
    for (const [, { Properties }] of functions)
      expect(JSON.stringify(Properties.Environment.Variables.EDGE_SECRET)).toContain(
        'resolve:secretsmanager',
      );
  });

  it('is missing without the setting', () => {
    expect(stacks.map(({ name }) => name)).not.toContain('Cloakroom-Edge');
  });

  it.each([
    [{ edge: 'cloudfront-waf' }, 'domainName'],
    [{ domainName: 'vault.example.com' }, 'certificateArn'],
    [{ ...EDGE, certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/x' }, 'certificateArn'],
  ])('is rejected with %j', (input, name) => {
    expect(() => parseSettings(input)).toThrow(name);
  });
});

describe('a domain of the service', () => {
  it('needs a certificate of its Region, unless the edge has the domain', () => {
    expect(() => synthesized(DOMAIN, 'us-east-1')).toThrow(
      'setting certificateArn must be in us-east-1, the Region of the service, and is in eu-west-1',
    );
  });

  it('is the only way in, over TLS 1.2', () => {
    const own = synthesized(DOMAIN);
    const from = template('Api', own);
    from.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true });
    from.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'vault.example.com',
      DomainNameConfigurations: [Match.objectLike({ SecurityPolicy: 'TLS_1_2' })],
    });
    from.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    template('Reactors', own).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ PUBLIC_URL: 'https://vault.example.com' }) },
    });
  });
});
