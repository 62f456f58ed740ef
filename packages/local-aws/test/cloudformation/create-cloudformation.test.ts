import { AwsError, type AwsCall } from '../../src/aws-service.ts';
import { createCloudFormation } from '../../src/cloudformation/create-cloudformation.ts';
import type { DeployedStack } from '../../src/assembly/deployed-stack.ts';

const identity = (ref: string) => ({ ref, attributes: {} });

function aStack(
  resources: Readonly<Record<string, { Type: string; DeletionPolicy?: string }>>,
): DeployedStack {
  const template = {
    Description: 'App: a <stack>',
    Parameters: {},
    Conditions: {},
    Outputs: {},
    Resources: Object.fromEntries(
      Object.entries(resources).map(([id, resource]) => [id, { Properties: {}, ...resource }]),
    ),
  };
  return {
    name: 'App',
    id: 'arn:aws:cloudformation:us-east-1:000000000000:stack/App/local',
    template,
    outputs: new Map([['Vault', 'a & b']]),
    resources: Object.entries(resources).map(([logicalId, { Type: type }]) => ({
      stackName: 'App',
      logicalId,
      type,
      identity: identity(`<${logicalId}> & co`),
    })),
  };
}

function aCall(Action: string, StackName = 'App'): AwsCall {
  return {
    service: 'cloudformation',
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers: {},
    target: undefined,
    body: Buffer.from(new URLSearchParams({ Action, StackName }).toString()),
    principal: { kind: 'administrator' },
  };
}

function aService(resources: Parameters<typeof aStack>[0]) {
  const removed: string[] = [];
  const removers = Object.fromEntries(
    ['AWS::SQS::Queue', 'AWS::Lambda::Function'].map((type) => [
      type,
      ({ logicalId }: { readonly logicalId: string }) => {
        removed.push(logicalId);
      },
    ]),
  );
  const service = createCloudFormation({ stacks: [aStack(resources)], removers });
  const send = async (call: AwsCall) => String((await service.handle(call)).body);
  return { service, send, removed };
}

describe('the deletion of a stack', () => {
  it('ends its resources, the last first, except retained ones', async () => {
    const { send, removed } = aService({
      Queue: { Type: 'AWS::SQS::Queue' },
      Function: { Type: 'AWS::Lambda::Function' },
      Other: { Type: 'AWS::Lambda::Function', DeletionPolicy: 'Retain' },
      Alarm: { Type: 'AWS::CloudWatch::Alarm' },
      Table: { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'RetainExceptOnCreate' },
    });
    await send(aCall('DeleteStack'));
    expect(removed).toEqual(['Function', 'Queue']);
    await send(aCall('DeleteStack'));
    expect(removed).toHaveLength(2);
  });

  it('leaves it to be found by its id alone', async () => {
    const { send } = aService({});
    const [, id = ''] = /<StackId>(.*)<\/StackId>/.exec(await send(aCall('DescribeStacks'))) ?? [];
    await send(aCall('DeleteStack'));
    expect(await send(aCall('DescribeStacks', id))).toContain('<StackStatus>DELETE_COMPLETE</StackStatus>');
    await expect(send(aCall('DescribeStacks'))).rejects.toThrow('Stack with id App does not exist');
  });

  it('the deletion of a stack with a table that is not retained fails, since it runs nowhere', async () => {
    const { send, removed } = aService({
      Queue: { Type: 'AWS::SQS::Queue' },
      Table: { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'Delete' },
    });
    await expect(send(aCall('DeleteStack'))).rejects.toThrow('AWS::DynamoDB::Table Table cannot be deleted');
    expect(removed).toEqual([]);
  });
});

describe('a stack', () => {
  it('is described with its resources and its template, as XML', async () => {
    const { send } = aService({ Queue: { Type: 'AWS::SQS::Queue' } });
    expect(await send(aCall('DescribeStacks'))).toContain('<Description>App: a &lt;stack&gt;</Description>');
    expect(await send(aCall('ListStackResources'))).toContain(
      '<PhysicalResourceId>&lt;Queue&gt; &amp; co</PhysicalResourceId>',
    );
    expect(await send(aCall('GetTemplate'))).toContain('"Resources":{"Queue":');
  });
});

it('fails by name for any other call', () => {
  const { service } = aService({});
  expect(() => service.accesses(aCall('UpdateStack'))).toThrow(
    'CloudFormation UpdateStack does not run locally.',
  );
  expect(String(service.failure(new AwsError('A', 400, '<b>')).body)).toContain(
    '<Code>A</Code><Message>&lt;b&gt;</Message>',
  );
});
