// Tests what outlives the stacks of a deployment, and whether its removal finds it.
import {
  dataTablesOf,
  isLogGroup,
  LOGICAL_IDS,
  STACK_DESCRIPTION,
  stacksOf,
  trailTablesOf,
} from '../../bin/operator/removal/deployment.ts';
import { DEPLOYMENT_TAG, reactorLayerNames } from '../../lib/deployment-names.ts';
import { BACKUP, CONSOLE, EDGE, FIELDS, synthesized } from '../support/synthesized.ts';

const SERVICE = 'Shop-2';
const stacks = synthesized(
  { ...EDGE, ...CONSOLE, ...FIELDS, ...BACKUP, serviceName: SERVICE, deployment: 'canary' },
  'eu-west-1',
);
const retained = stacks.flatMap(({ name, template }) =>
  Object.entries(template.Resources)
    .filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain') === true)
    .map(([logicalId, resource]) => ({ stack: name, logicalId, ...resource })),
);
const ofType = (type: string) => retained.filter(({ Type }) => Type === type);

describe('a removal', () => {
  it('knows its stacks by their descriptions', () => {
    for (const { template } of stacks)
      expect(template.Description?.slice(0, STACK_DESCRIPTION.length)).toBe(STACK_DESCRIPTION);
  });

  it('ends what serves requests, then the alarms, then the data', () => {
    const names = stacksOf(SERVICE, 'eu-west-1').map(({ name }) => name);
    expect(names.slice(-2)).toEqual([`${SERVICE}-Monitoring`, `${SERVICE}-Data`]);
  });

  it('finds the firewall by its name, and by functions that are behind an edge', () => {
    const firewall = stacksOf(SERVICE, 'eu-west-1').filter(({ region }) => region !== undefined);
    expect(firewall).toContainEqual({ name: `${SERVICE}-Firewall-eu-west-1`, region: 'us-east-1' });
    const readsSecret = (all: typeof stacks) =>
      all.filter((stack) => JSON.stringify(stack.template).includes('{{resolve:secretsmanager:'));
    expect(readsSecret(stacks).map(({ name }) => name)).toContain(`${SERVICE}-Api`);
    expect(readsSecret(synthesized())).toEqual([]);
  });

  it('finds console and card fields by their names, first, and not where CloudFront does not exist', () => {
    expect(stacksOf(SERVICE, 'eu-west-1').slice(0, 2)).toEqual(
      ['Console', 'Fields'].map((id) => ({ name: `${SERVICE}-${id}-eu-west-1`, region: 'us-east-1' })),
    );
    for (const region of ['cn-north-1', 'us-gov-west-1'])
      expect(stacksOf(SERVICE, region).filter(({ name }) => /-(?:Console|Fields)-/.test(name))).toEqual([]);
  });

  it('deletes the stacks of the app in an order that no reference prevents', () => {
    const deployed = stacks.map(({ name }) => name);
    const deleted = stacksOf(SERVICE, 'eu-west-1').map(({ name }) => name);
    expect(deleted.toSorted()).toEqual(deployed.toSorted());
    // A weak reference prevents no deletion of what it names; an import does.
    for (const { template } of stacks) expect(JSON.stringify(template)).not.toContain('"Fn::ImportValue"');
  });

  it('finds all types of resources that the stacks retain; roles and policies cost nothing', () => {
    expect([...new Set(retained.map(({ Type }) => Type))].toSorted()).toEqual([
      'AWS::Backup::BackupVault',
      'AWS::DynamoDB::Table',
      'AWS::IAM::ManagedPolicy',
      'AWS::IAM::Role',
      'AWS::KMS::Key',
      'AWS::Lambda::LayerVersion',
      'AWS::Logs::LogGroup',
    ]);
  });

  it('finds tables, the layers and keys by names and tags of the service', () => {
    expect(ofType('AWS::DynamoDB::Table').map(({ Properties }) => Properties['TableName'])).toEqual([
      ...dataTablesOf(SERVICE),
      ...trailTablesOf(SERVICE),
    ]);
    const layers = ofType('AWS::Lambda::LayerVersion').map(({ Properties }) => Properties['LayerName']);
    expect(layers).toEqual(reactorLayerNames(SERVICE));
    const tags = ofType('AWS::KMS::Key').map(({ Properties }) => Properties['Tags']);
    tags.push(...ofType('AWS::DynamoDB::Table').map(({ Properties }) => Properties['Tags']));
    expect(tags).toHaveLength(9);
    for (const each of tags) expect(each).toContainEqual({ Key: DEPLOYMENT_TAG, Value: SERVICE });
  });

  it('finds logs by the names that CloudFormation makes of stack and logical id', () => {
    const logs = ofType('AWS::Logs::LogGroup');
    expect(logs.length).toBeGreaterThan(10);
    for (const { stack, logicalId, Properties } of logs) {
      expect(Properties).not.toHaveProperty('LogGroupName');
      // The key proves whose they are.
      expect(JSON.stringify(Properties['KmsKeyId'])).toContain('Key961B73FD');
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
    expect(adopted.map(({ logicalId }) => logicalId).toSorted()).toEqual(
      [...Object.values(LOGICAL_IDS.tables), ...Object.values(LOGICAL_IDS.keys)].toSorted(),
    );
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
