import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAssembly, type Assembly } from '../../src/assembly/read-assembly.ts';
import { startResources } from '../../src/assembly/start-resources.ts';
import { isAllowed } from '../../src/iam/is-allowed.ts';
import { aStack } from './a-stack.ts';
import { account, someParts } from './some-parts.ts';

function anApp(
  Resources: Record<string, { Type: string; Properties: Record<string, unknown>; Condition?: string }>,
): Assembly {
  return {
    stacks: [aStack('App', { Resources, Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } } })],
    assets: new Map(),
  };
}

function start(app: Assembly): ReturnType<typeof someParts> {
  const parts = someParts();
  startResources(app, account, parts.services);
  return parts;
}

const trust = {
  Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
};

describe('a synthesized CDK app', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixture-'));
  let app: Assembly;

  beforeAll(async () => {
    // Where test/support/synthesis.ts has the CDK too.
    const NODE_COMPILE_CACHE = join(process.cwd(), '.local/compile-cache');
    const env = { ...process.env, CDK_OUTDIR: directory, NODE_COMPILE_CACHE };
    const program = join(import.meta.dirname, 'fixture-app.ts');
    const { stderr, status } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
    expect({ stderr, status }).toMatchObject({ status: 0 });
    app = await readAssembly(directory);
  });

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('creates tables with their keys, indexes and expiry', () => {
    const { tables } = start(app);
    expect(tables).toEqual([
      {
        name: expect.stringMatching(/^Data-Table/),
        attributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
          { AttributeName: 'date', AttributeType: 'N' },
        ],
        keySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        globalSecondaryIndexes: [
          {
            IndexName: 'by-date',
            KeySchema: [{ AttributeName: 'date', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        timeToLiveAttribute: 'ttl',
        isProtected: false,
        hasPointInTimeRecovery: false,
        keyArn: expect.stringMatching(/^arn:aws:kms:/),
        tags: {},
      },
    ]);
  });

  it('creates a key with its alias, its policy, and the same id at every start', () => {
    const first = start(app).keys.all();
    expect(first).toMatchObject([{ alias: 'alias/fixture', enableRotation: true }]);
    expect(start(app).keys.all()).toEqual(first);
  });

  it('creates functions with their code, settings of other stacks, and a role with its policies', () => {
    const { functions, roles, tables } = start(app);
    const { outputs } = startResources(app, account, someParts().services);
    const operator = functions.find(outputs.get('OperatorFunctionName') ?? '').definition;
    expect(operator).toMatchObject({
      handler: 'index.handler',
      runtime: 'nodejs24.x',
      timeoutSeconds: 3,
      memoryMb: 128,
    });
    const echo = [...app.stacks]
      .flatMap(({ template }) => Object.keys(template.Resources))
      .find((id) => /^Echo[^A-Z]*[0-9A-F]{8}$/.test(id));
    const { definition } = functions.find(`Api-${echo ?? ''}`);
    expect(definition).toMatchObject({
      timeoutSeconds: 5,
      memoryMb: 512,
      environment: { TABLE_NAME: tables[0]?.name },
    });
    const actions = roles
      .role(definition.roleArn)
      .policies.flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action));
    expect(actions).toEqual(expect.arrayContaining(['dynamodb:PutItem', 'kms:Decrypt', 'logs:PutLogEvents']));
  });

  it('creates the API with its routes, and permissions to invoke their functions', () => {
    const { functions, gateway } = start(app);
    const { id, routes, cors } = gateway.httpApi();
    expect(routes.map(({ routeKey }) => routeKey)).toEqual(['ANY /echo/{proxy+}', 'GET /echo', 'POST /echo']);
    expect(cors).toMatchObject({ allowOrigins: ['*'], allowMethods: ['*'] });
    const functionArn = routes[0]?.integration.functionArn ?? '';
    const source = `arn:aws:execute-api:us-east-1:000000000000:${id}/$default/ANY/echo/{proxy+}`;
    expect(functions.isPermitted(functionArn, 'apigateway.amazonaws.com', source)).toBe(true);
    expect(functions.isPermitted(functionArn, 'events.amazonaws.com', source)).toBe(false);
    expect(
      functions.isPermitted(functionArn, 'apigateway.amazonaws.com', source.replace('/echo', '/other')),
    ).toBe(false);
  });

  it('creates queues with their address, attributes and key, and their event source mappings', () => {
    const parts = someParts();
    const { outputs } = startResources(app, account, parts.services);
    const [dead, work] = parts.queues.all();
    expect(work).toEqual({
      name: expect.stringMatching(/^Api-Work/),
      arn: outputs.get('QueueArn'),
      url: `http://127.0.0.1:4566/000000000000/${work?.name ?? ''}`,
      attributes: {
        KmsMasterKeyId: work?.keyArn,
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead?.arn, maxReceiveCount: 3 }),
        VisibilityTimeout: '30',
      },
      keyArn: expect.stringMatching(/^arn:aws:kms:us-east-1:000000000000:key\//),
    });
    expect(outputs.get('QueueUrl')).toBe(work?.url);
    expect(parts.queues.mappings()).toMatchObject([
      {
        queueArn: work?.arn,
        functionName: outputs.get('WorkerFunctionName'),
        batchSize: 10,
        reportsFailures: true,
        maxConcurrency: 2,
      },
    ]);
  });

  it('creates a layer as a folder with an ARN', () => {
    const parts = someParts();
    const { outputs } = startResources(app, account, parts.services);
    const arn = outputs.get('LayerArn') ?? '';
    expect(arn).toMatch(/^arn:aws:lambda:us-east-1:000000000000:layer:.+:1$/);
    expect(existsSync(join(parts.layers.find(arn)?.directory ?? '', 'index.mjs'))).toBe(true);
  });

  it('applies the boundary of a role: its denials override the role’s own policy', () => {
    const parts = someParts();
    const { outputs } = startResources(app, account, parts.services);
    const role = parts.roles.role(outputs.get('BoundRoleArn') ?? '');
    expect(isAllowed(role, { action: 'logs:PutLogEvents', resource: 'arn:aws:logs:::' })).toEqual({
      allowed: false,
      why: 'with an explicit deny in a permissions boundary',
    });
  });

  it('uses an address of the API that everything on this machine can reach', () => {
    const parts = someParts();
    const { outputs } = startResources(app, account, parts.services);
    const { definition } = parts.functions.find(outputs.get('WorkerFunctionName') ?? '');
    expect(definition.environment).toMatchObject({ API_URL: 'http://127.0.0.1:8787' });
  });

  it('runs the rule, which calls its function with its input', () => {
    const { functions, schedules } = start(app);
    const [rule] = schedules.all();
    expect(rule).toMatchObject({ expression: 'rate(1 minute)', input: '{"command":"sweep"}' });
    expect(functions.isPermitted(rule?.functionArn ?? '', 'events.amazonaws.com', rule?.arn ?? '')).toBe(
      true,
    );
  });
});

describe('a feature that does not run locally stops the start', () => {
  it('a resource type, by its name and its place', () => {
    const app = anApp({ Bucket: { Type: 'AWS::S3::Bucket', Properties: {} } });
    expect(() => start(app)).toThrow('AWS::S3::Bucket does not run locally (App/Bucket)');
  });

  it('a property, by its name', () => {
    const app = anApp({
      Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: { Statement: [] }, Origin: 'EXTERNAL' } },
    });
    expect(() => start(app)).toThrow(/App\/Key cannot run locally: .*Unrecognized key: "Origin"/);
  });

  it('a property or a statistic of an alarm, by its name', () => {
    const properties = {
      Namespace: 'App',
      MetricName: 'Failures',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanThreshold',
    };
    const startAlarm = (more: Readonly<Record<string, unknown>>) =>
      start(
        anApp({
          Failing: { Type: 'AWS::CloudWatch::Alarm', Properties: Object.assign({}, properties, more) },
        }),
      );
    expect(() => startAlarm({ Statistic: 'Sum', ThresholdMetricId: 'a' })).toThrow(
      /App\/Failing cannot run locally: .*Unrecognized key: "ThresholdMetricId"/,
    );
    expect(() => startAlarm({ ExtendedStatistic: 'tm99' })).toThrow(
      /App\/Failing cannot run locally: .*the statistic tm99 does not run locally/,
    );
    expect(() => startAlarm({})).toThrow('App/Failing cannot run locally: an alarm without Metrics');
  });

  it('a value that would behave differently on AWS', () => {
    const Properties = { AttributeDefinitions: [], KeySchema: [], BillingMode: 'PROVISIONED' };
    expect(() => start(anApp({ Table: { Type: 'AWS::DynamoDB::Table', Properties } }))).toThrow(
      /BillingMode/,
    );
  });

  it('a function whose code is not an asset of the app', () => {
    const Properties = {
      Code: { S3Bucket: 'b', S3Key: 'k.zip' },
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Role: 'r',
    };
    expect(() => start(anApp({ Fn: { Type: 'AWS::Lambda::Function', Properties } }))).toThrow(
      /k\.zip is no asset/,
    );
  });

  it('a managed policy that is not in the table', () => {
    const ManagedPolicyArns = ['arn:aws:iam::aws:policy/AdministratorAccess'];
    const role = {
      Type: 'AWS::IAM::Role',
      Properties: { AssumeRolePolicyDocument: trust, ManagedPolicyArns },
    };
    const { roles } = start(anApp({ Role: role }));
    expect(() => roles.role('arn:aws:iam::000000000000:role/App-Role')).toThrow(
      /AdministratorAccess, which is not known/,
    );
  });

  it('a layer of a function without a custom runtime stops the start', () => {
    const Properties = {
      Code: { S3Bucket: 'b', S3Key: 'k' },
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Role: 'r',
      Layers: ['arn'],
    };
    expect(() => start(anApp({ Fn: { Type: 'AWS::Lambda::Function', Properties } }))).toThrow(
      /layers work locally for custom runtimes only/,
    );
  });

  it('a queue policy that allows something', () => {
    const Statement = [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '*', Principal: '*' }];
    const Properties = { Queues: ['q'], PolicyDocument: { Statement } };
    expect(() => start(anApp({ Policy: { Type: 'AWS::SQS::QueuePolicy', Properties } }))).toThrow(
      /App\/Policy cannot run locally: of queue policies only/,
    );
  });

  it('a mapping of a source other than a queue stops the start', () => {
    const Properties = { EventSourceArn: 'arn:aws:kinesis:us-east-1:0:stream/s', FunctionName: 'f' };
    expect(() => start(anApp({ Mapping: { Type: 'AWS::Lambda::EventSourceMapping', Properties } }))).toThrow(
      /only queues have mappings locally/,
    );
  });

  it('a schedule that is neither a rate nor a cron expression', () => {
    const Properties = { ScheduleExpression: 'at(2030-01-01T00:00:00)', Targets: [{ Id: 't', Arn: 'a' }] };
    expect(() => start(anApp({ Rule: { Type: 'AWS::Events::Rule', Properties } }))).toThrow(/at\(2030/);
  });
});

describe('a signing key', () => {
  const aKey = (properties: object) =>
    anApp({
      Key: {
        Type: 'AWS::KMS::Key',
        Properties: { KeyPolicy: { Statement: [] }, KeySpec: 'ECC_NIST_P256', ...properties },
      },
    });

  it('has its spec', () => {
    const { keys } = start(aKey({ KeyUsage: 'SIGN_VERIFY' }));
    expect(keys.all()).toMatchObject([{ spec: 'ECC_NIST_P256', enableRotation: false }]);
  });

  it('has the id of a multi-Region key if it is one', () => {
    const started = [{ MultiRegion: true }, { MultiRegion: false }, {}].map((properties) =>
      start(aKey({ KeyUsage: 'SIGN_VERIFY', ...properties })),
    );
    const ids = started.map(({ keys }) => keys.all()[0]?.keyId);
    expect(ids).toEqual([
      expect.stringMatching(/^mrk-[0-9a-f]{32}$/),
      ids[2],
      expect.not.stringMatching(/^mrk-/),
    ]);
  });

  it.each([
    [{ KeyUsage: 'SIGN_VERIFY', EnableKeyRotation: true }, /App\/Key .*cannot be rotated/s],
    [{}, /App\/Key .*must be SIGN_VERIFY/s],
    [{ KeyUsage: 'SIGN_VERIFY', KeySpec: 'SYMMETRIC_DEFAULT' }, /App\/Key .*must be SIGN_VERIFY/s],
    [{ KeyUsage: 'SIGN_VERIFY', KeySpec: 'ECC_NIST_P384' }, /App\/Key .*KeySpec/s],
  ])('cannot be created with %j', (properties, message) => {
    expect(() => start(aKey(properties))).toThrow(message);
  });
});

it('a resource whose condition is false does not exist', () => {
  const app = anApp({ Bucket: { Type: 'AWS::S3::Bucket', Properties: {}, Condition: 'Never' } });
  expect(start(app)).toBeDefined();
});

it('a table has the resource policy of its template, with the ARNs of roles', () => {
  const Statement = [
    {
      Effect: 'Deny',
      Action: 'dynamodb:DeleteItem',
      Resource: '*',
      Principal: { AWS: '*' },
      Condition: { ArnNotEquals: { 'aws:PrincipalArn': { 'Fn::GetAtt': ['Role', 'Arn'] } } },
    },
  ];
  const { tables } = start(
    anApp({
      Table: {
        Type: 'AWS::DynamoDB::Table',
        Properties: {
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          BillingMode: 'PAY_PER_REQUEST',
          ResourcePolicy: { PolicyDocument: { Version: '2012-10-17', Statement } },
        },
      },
      Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: trust } },
    }),
  );
  expect(tables[0]?.resourcePolicy?.Statement).toEqual([
    {
      ...Statement[0],
      Condition: { ArnNotEquals: { 'aws:PrincipalArn': 'arn:aws:iam::000000000000:role/App-Role' } },
    },
  ]);
});

it('policies of all kinds apply to a role, in any order', () => {
  const statement = (Action: string): object => ({ Statement: [{ Effect: 'Allow', Action, Resource: '*' }] });
  const { roles } = start(
    anApp({
      Inline: {
        Type: 'AWS::IAM::Policy',
        Properties: { PolicyName: 'p', PolicyDocument: statement('a:1'), Roles: [{ Ref: 'Role' }] },
      },
      Managed: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: statement('a:2') } },
      Boundary: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: statement('a:*') } },
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: trust,
          Policies: [{ PolicyName: 'own', PolicyDocument: statement('a:3') }],
          ManagedPolicyArns: [{ Ref: 'Managed' }],
          PermissionsBoundary: { Ref: 'Boundary' },
        },
      },
    }),
  );
  const role = roles.role('arn:aws:iam::000000000000:role/App-Role');
  expect(role.policies.map(({ Statement }) => Statement[0]?.Action).toSorted()).toEqual([
    'a:1',
    'a:2',
    'a:3',
  ]);
  expect(role.permissionsBoundary?.Statement[0]?.Action).toBe('a:*');
  const key = roles.credentialsFor(role.arn);
  expect(roles.credentialsFor(role.arn)).toEqual(key);
  expect(roles.issuedKey(key.accessKeyId)).toEqual({ ...key, owner: role });
  expect(roles.issuedKey('ASIAUNKNOWN')).toBeUndefined();
});
