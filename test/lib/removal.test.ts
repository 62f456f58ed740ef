// What outlives the stacks of a deployment, and whether its removal finds it.
import { dataTablesOf, isLogGroup, stacksOf, trailTablesOf } from '../../bin/operator/removal/deployment.ts';
import { DEPLOYMENT_TAG, reactorLayerName } from '../../lib/deployment-names.ts';
import { synthesize } from '../support/synthesize.ts';

const SERVICE = 'Shop-2';
const EDGE = {
  edge: 'cloudfront-waf',
  domainName: 'vault.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/1',
};

const stacks = synthesize({ serviceName: SERVICE, ...EDGE }, 'eu-west-1');
const retained = stacks.flatMap(({ name, template }) =>
  Object.entries(template.Resources)
    .filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain') === true)
    .map(([logicalId, resource]) => ({ stack: name, logicalId, ...resource })),
);
const ofType = (type: string) => retained.filter(({ Type }) => Type === type);

describe('a removal', () => {
  it('deletes the stacks of the app, each before those that it refers to', () => {
    const deployed = stacks.map(({ name }) => name);
    const deleted = stacksOf(SERVICE, 'eu-west-1').map(({ name }) => name);
    expect(deleted.toSorted()).toEqual(deployed.toSorted());
    for (const [at, name] of deleted.entries()) {
      const template = JSON.stringify(stacks.find((stack) => stack.name === name)?.template);
      for (const earlier of deleted.slice(0, at)) {
        expect(template).not.toContain(`"StackName":"${earlier}"`);
        expect(template).not.toContain(`"Fn::ImportValue":"${earlier}:`);
      }
    }
  });

  it('finds all types of resources that the stacks retain; roles and policies cost nothing', () => {
    expect([...new Set(retained.map(({ Type }) => Type))].toSorted()).toEqual([
      'AWS::DynamoDB::Table',
      'AWS::IAM::ManagedPolicy',
      'AWS::IAM::Role',
      'AWS::KMS::Key',
      'AWS::Lambda::LayerVersion',
      'AWS::Logs::LogGroup',
    ]);
  });

  it('finds tables, the layer and keys by names and tags of the service', () => {
    expect(ofType('AWS::DynamoDB::Table').map(({ Properties }) => Properties['TableName'])).toEqual([
      ...dataTablesOf(SERVICE),
      ...trailTablesOf(SERVICE),
    ]);
    const layers = ofType('AWS::Lambda::LayerVersion').map(({ Properties }) => Properties['LayerName']);
    expect(layers).toEqual([reactorLayerName(SERVICE)]);
    const tags = ofType('AWS::KMS::Key').map(({ Properties }) => Properties['Tags']);
    expect(tags).toEqual(Array(2).fill([{ Key: DEPLOYMENT_TAG, Value: SERVICE }]));
  });

  it('finds logs by the names that CloudFormation makes of stack and logical id', () => {
    const logs = ofType('AWS::Logs::LogGroup');
    expect(logs.length).toBeGreaterThan(10);
    for (const { stack, logicalId, Properties } of logs) {
      expect(Properties).not.toHaveProperty('LogGroupName');
      expect([logicalId, isLogGroup(SERVICE, `${stack}-${logicalId}-aB3dE5gH7jK9`)]).toEqual([
        logicalId,
        true,
      ]);
      expect(isLogGroup('Shop', `${stack}-${logicalId}-aB3dE5gH7jK9`)).toBe(false);
    }
  });

  it('can hand every table and key to cdk import: a new stack refers to nothing else there', () => {
    const data = stacks.find(({ name }) => name === `${SERVICE}-Data`);
    const adopted = retained.filter(({ stack }) => stack === data?.name);
    expect(adopted.map(({ Type }) => Type)).toEqual([
      ...Array<string>(1).fill('AWS::KMS::Key'),
      ...Array<string>(7).fill('AWS::DynamoDB::Table'),
      ...Array<string>(1).fill('AWS::KMS::Key'),
    ]);
    // The template of the import has these resources and no others.
    const ids = adopted.map(({ logicalId }) => logicalId);
    const references = JSON.stringify(adopted.map(({ Properties }) => Properties)).matchAll(
      /"(?:Ref|Fn::GetAtt)":(?:\["([^"]+)"|"([^"]+)")/g,
    );
    for (const [, ofAttribute, ref] of references) {
      const name = ofAttribute ?? ref ?? '';
      expect(name.startsWith('AWS::') || ids.includes(name)).toBe(true);
    }
  });
});
