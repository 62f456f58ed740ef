import type { Stack } from '../../src/assembly/read-assembly.ts';
import { describeFinding } from '../../src/deployment/finding.ts';
import { playDeployment } from '../../src/deployment/play-deployment.ts';

type Template = Stack['template'];

const aStack = (name: string, parts: Partial<Template>): Stack => ({
  name,
  template: { Parameters: {}, Conditions: {}, Resources: {}, Outputs: {}, ...parts },
});

const aQueue = { Type: 'AWS::SQS::Queue', Properties: {} };
const aTable = (properties: object = {}, DeletionPolicy = 'Retain') => ({
  Type: 'AWS::DynamoDB::Table',
  DeletionPolicy,
  Properties: {
    TableName: 'Shop-Orders',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    ...properties,
  },
});
const anAlarm = (QueueName: unknown) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: { Dimensions: [{ Name: 'QueueName', Value: QueueName }] },
});
const aFunction = (queue: unknown) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Environment: { Variables: { QUEUE: queue } } },
});
const imported = (name: string) => ({ 'Fn::ImportValue': name });
const read = (StackName: string, OutputName: string) => ({
  'Fn::GetStackOutput': { StackName, OutputName },
});

const played = (deployed: readonly Stack[], next: readonly Stack[], leftBehind: readonly string[] = []) =>
  playDeployment(deployed, next, leftBehind).map(({ kind, stack, subject }) => [kind, stack, subject]);

/** The queue has a logical id, and an alarm in another stack refers to it. */
const watchedQueue = (id: string, strong: boolean): Stack[] => [
  aStack('Work', {
    Resources: { [id]: aQueue },
    Outputs: {
      [`Name${id}`]: {
        Value: { 'Fn::GetAtt': [id, 'QueueName'] },
        ...(strong && { Export: { Name: `Work:Name${id}` } }),
      },
    },
  }),
  aStack('Watch', {
    Resources: { Alarm: anAlarm(strong ? imported(`Work:Name${id}`) : read('Work', `Name${id}`)) },
  }),
];

describe('an export', () => {
  it('that another stack imports cannot vanish, as with the renamed queues of ac4c82c..0cb1833', () => {
    const before = watchedQueue('FailedWork', true);
    const after = watchedQueue('DeadLetters', true);
    expect(played(before, after)).toEqual([
      ['refused', 'Work', 'Work:NameFailedWork'],
      ['data_lost', 'Work', 'FailedWork'],
    ]);
    const [refused] = playDeployment(before, after);
    expect(refused && describeFinding(refused)).toBe(
      'refused: Work, Work:NameFailedWork: Export Work:NameFailedWork cannot be deleted as it is in use by Watch. Keep the export for one release (Stack.exportValue), or deploy Watch first: npx cdk deploy -e Watch.',
    );
  });

  it('may vanish once no deployed stack imports it', () => {
    const [work, watch] = watchedQueue('FailedWork', true);
    const silent = aStack('Watch', {});
    const without = aStack('Work', { Resources: { FailedWork: aQueue } });
    if (work === undefined || watch === undefined) throw new Error('no stack');
    expect(played([work, watch], [without, silent])).toEqual([['refused', 'Work', 'Work:NameFailedWork']]);
    expect(played([work, watch], [silent, without])).toEqual([]);
  });

  it('cannot change its value while another stack imports it', () => {
    const [work, watch] = watchedQueue('FailedWork', true);
    if (work === undefined || watch === undefined) throw new Error('no stack');
    const changed = structuredClone(work);
    Object.assign(changed.template.Outputs['NameFailedWork'] ?? {}, { Value: 'another' });
    expect(played([work, watch], [changed, watch])).toEqual([['refused', 'Work', 'Work:NameFailedWork']]);
  });
});

describe('an output that is read weakly', () => {
  it('may vanish, but a failed update of its reader could not be rolled back', () => {
    expect(played(watchedQueue('FailedWork', false), watchedQueue('DeadLetters', false))).toEqual([
      ['rollback_fails', 'Work', 'NameFailedWork'],
      ['data_lost', 'Work', 'FailedWork'],
    ]);
  });

  it('must exist before its reader is deployed', () => {
    const [work, watch] = watchedQueue('FailedWork', false);
    if (work === undefined || watch === undefined) throw new Error('no stack');
    expect(played([], [watch, work])).toEqual([['refused', 'Watch', 'Work.NameFailedWork']]);
    expect(played([], [work, watch])).toEqual([]);
  });

  it('an output of a removed resource interrupts the stack that reads it, unless that only watches', () => {
    const stacks = (id: string): Stack[] => {
      const [work, watch] = watchedQueue(id, false);
      const user = aStack('Use', { Resources: { Function: aFunction(read('Work', `Name${id}`)) } });
      return [work, watch, user].filter((stack) => stack !== undefined);
    };
    expect(played(stacks('Old'), stacks('New'))).toContainEqual(['interrupted', 'Work', 'Old']);
    expect(played(watchedQueue('Old', false), watchedQueue('New', false)).flat()).not.toContain(
      'interrupted',
    );
  });
});

describe('a resource with data', () => {
  const tableStack = (resource: Template['Resources'][string] | undefined, id = 'Orders') =>
    aStack('Data', { Resources: resource === undefined ? {} : { [id]: resource } });
  const otherKey = { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] };
  const unnamed = { TableName: undefined };

  it.each([
    ['updated in place', aTable(), aTable({ BillingMode: 'PAY_PER_REQUEST' }), []],
    ['replaced under its own name', aTable(), aTable(otherKey), ['refused']],
    ['replaced under a generated name', aTable(unnamed), aTable({ ...unnamed, ...otherKey }), ['data_lost']],
    ['removed and retained', aTable(), undefined, ['left_behind']],
    ['removed and deleted', aTable({}, 'Delete'), undefined, ['data_lost']],
  ])('that is %s', (_what, before, after, kinds) => {
    const found = playDeployment([tableStack(before)], [tableStack(after)]);
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
  });

  it('cannot move to another logical id: its name exists already', () => {
    expect(played([tableStack(aTable())], [tableStack(aTable(), 'Renamed')])).toEqual([
      ['left_behind', 'Data', 'Orders'],
      ['refused', 'Data', 'Renamed'],
    ]);
  });

  it('that a rollback left behind is adopted by the next upgrade, not created again', () => {
    const full = tableStack(aTable());
    const empty = tableStack(undefined);
    expect(played([full], [empty])).toEqual([['left_behind', 'Data', 'Orders']]);
    const [refused] = playDeployment([empty], [full], ['AWS::DynamoDB::Table "Shop-Orders"']);
    expect(refused).toMatchObject({ kind: 'refused', subject: 'Orders' });
    expect(refused?.remedy).toMatch('--import-existing-resources');
  });

  it('gets or loses one index in an update', () => {
    const indexed = (...names: string[]) =>
      tableStack(aTable({ GlobalSecondaryIndexes: names.map((IndexName) => ({ IndexName })) }));
    expect(played([indexed('a')], [indexed('a', 'b')])).toEqual([]);
    expect(played([indexed('a')], [indexed('b')])).toEqual([['refused', 'Data', 'Orders']]);
  });

  it.each([
    ['the projection of an index', { Projection: { ProjectionType: 'ALL' } }],
    ['the keys of an index', { KeySchema: [{ AttributeName: 'other', KeyType: 'HASH' }] }],
  ])('cannot change %s', (_what, change) => {
    const index = { IndexName: 'a', Projection: { ProjectionType: 'KEYS_ONLY' } };
    const indexed = (more: object) => tableStack(aTable({ GlobalSecondaryIndexes: [{ ...index, ...more }] }));
    expect(played([indexed({})], [indexed({})])).toEqual([]);
    expect(played([indexed({})], [indexed(change)])).toEqual([['refused', 'Data', 'Orders']]);
  });

  it.each([
    ['raised', 5_000, []],
    ['lowered', 4_000, [['refused', 'Data', 'Orders']]],
  ])('has its warm throughput, or that of an index, %s', (_what, writes, found) => {
    const WarmThroughput = (WriteUnitsPerSecond: number) => ({
      WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond },
    });
    const ofTable = (units: number) => tableStack(aTable(WarmThroughput(units)));
    const ofIndex = (units: number) =>
      tableStack(aTable({ GlobalSecondaryIndexes: [{ IndexName: 'a', ...WarmThroughput(units) }] }));
    for (const stack of [ofTable, ofIndex]) expect(played([stack(4_500)], [stack(writes)])).toEqual(found);
  });

  it('cannot change the type of a key', () => {
    const typed = (AttributeType: string) =>
      tableStack(aTable({ AttributeDefinitions: [{ AttributeName: 'pk', AttributeType }] }));
    expect(played([typed('S')], [typed('S')])).toEqual([]);
    expect(played([typed('S')], [typed('N')])).toContainEqual(['refused', 'Data', 'Orders']);
  });

  it('cannot change the attribute of its expiry in one update', () => {
    const expiring = (AttributeName: string) =>
      tableStack(aTable({ TimeToLiveSpecification: { AttributeName, Enabled: true } }));
    expect(played([expiring('ttl')], [expiring('ttl')])).toEqual([]);
    expect(played([expiring('ttl')], [expiring('expiry')])).toEqual([['refused', 'Data', 'Orders']]);
  });
});

it('a route cannot move to another logical id: an API has each route once', () => {
  const route = (id: string) =>
    aStack('Shop', {
      Resources: {
        [id]: { Type: 'AWS::ApiGatewayV2::Route', Properties: { ApiId: { Ref: 'Api' }, RouteKey: 'GET /' } },
      },
    });
  expect(played([route('Old')], [route('New')])).toEqual([['refused', 'Shop', 'New']]);
});

describe('the version of a function that refers to a layer', () => {
  const stack = (content: string, version: string) =>
    aStack('Work', {
      Resources: {
        Layer: {
          Type: 'AWS::Lambda::LayerVersion',
          DeletionPolicy: 'Retain',
          Properties: { Content: { S3Bucket: 'assets', S3Key: content } },
        },
        Function: {
          Type: 'AWS::Lambda::Function',
          Properties: { Environment: { Variables: { LAYER: { Ref: 'Layer' } } } },
        },
        [version]: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Function' } } },
      },
    });

  it('goes on with the old one if only the layer is replaced', () => {
    expect(played([stack('a', 'One')], [stack('b', 'One')])).toEqual([['interrupted', 'Work', 'One']]);
  });

  it('is replaced with it if its logical id depends on the content', () => {
    expect(played([stack('a', 'One')], [stack('b', 'Two')])).toEqual([]);
  });
});

it('logs and versions of layers may be replaced and left behind', () => {
  const stack = (properties: object) =>
    aStack('Work', {
      Resources: {
        Layer: {
          Type: 'AWS::Lambda::LayerVersion',
          DeletionPolicy: 'Retain',
          Properties: properties as never,
        },
      },
    });
  const log = aStack('Logs', {
    Resources: { Log: { Type: 'AWS::Logs::LogGroup', DeletionPolicy: 'Retain', Properties: {} } },
  });
  expect(
    played([stack({ Description: '1' }), log], [stack({ Description: '2' }), aStack('Logs', {})]),
  ).toEqual([]);
});

it.each([
  ['replaced', { ProtocolType: 'HTTP' }, { ProtocolType: 'WEBSOCKET' }],
  ['closed, with a domain in its place', {}, { DisableExecuteApiEndpoint: true }],
])('the address of an API is lost when it is %s', (_what, before, after) => {
  const stack = (Properties: Readonly<Record<string, unknown>>) =>
    aStack('Shop', { Resources: { Api: { Type: 'AWS::ApiGatewayV2::Api', Properties } } });
  expect(played([stack(before)], [stack(after)])).toEqual([['address_lost', 'Shop', 'Api']]);
  expect(played([stack(after)], [stack(after)])).toEqual([]);
});

it('a stack that is not deployed stays as it is, with what it imports', () => {
  const [work, watch] = watchedQueue('FailedWork', true);
  if (work === undefined || watch === undefined) throw new Error('no stack');
  expect(played([work, watch], [aStack('Work', { Resources: { FailedWork: aQueue } })])).toEqual([
    ['refused', 'Work', 'Work:NameFailedWork'],
  ]);
});
