// Two services in one account, and one service in two Regions, side by side.
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { RELEASE_SETTINGS } from '../../tools/templates/release-settings.ts';
import { synthesized } from '../support/synthesized.ts';

/** Stacks with an edge and canaries; those of the upgrade tests, which are synthesized once. */
function stacksOf(name: 'edge' | 'region' | 'name'): Stack[] {
  const { settings, region } = RELEASE_SETTINGS[name] ?? { settings: {}, region: '' };
  return synthesized(settings, region);
}

/** Properties with a physical name that is unique in the account and the Region, by type. */
const IN_REGION: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Lambda::LayerVersion': 'LayerName',
  'AWS::CloudWatch::Alarm': 'AlarmName',
};
/** The same, unique in the whole account. */
const IN_ACCOUNT: Readonly<Record<string, string>> = { 'AWS::CloudWatch::Dashboard': 'DashboardName' };
const NAMES = /^(?!AttributeName|MetricName|DisplayName|Name$).*Name$/;

const resourcesOf = (stacks: readonly Stack[]) =>
  stacks.flatMap(({ template }) => Object.values(template.Resources));

/** `type name` of all resources with a physical name, where references count as text. */
const namesOf = (stacks: readonly Stack[], types: Readonly<Record<string, string>>): readonly string[] =>
  resourcesOf(stacks).flatMap(({ Type, Properties }) => {
    const name = Properties[types[Type] ?? ''];
    return name === undefined ? [] : [`${Type} ${JSON.stringify(name)}`];
  });

const shared = (some: readonly string[], others: readonly string[]) =>
  some.filter((name) => others.includes(name));

it('the tables of names are complete: no other type has one, besides inline policies', () => {
  const known = { ...IN_REGION, ...IN_ACCOUNT };
  const found = resourcesOf(stacksOf('edge')).flatMap(({ Type, Properties }) =>
    Object.entries(Type === 'AWS::IAM::Policy' ? {} : Properties)
      .filter(([property, value]) => NAMES.test(property) && typeof value === 'string')
      .filter(([property]) => known[Type] !== property)
      .map(([property, value]) => `${Type} ${property} ${String(value)}`),
  );
  expect(found.toSorted()).toEqual(
    [
      // A deployment configuration of AWS, the stage that a URL without a path uses.
      ...Array<string>(6).fill(
        'AWS::CodeDeploy::DeploymentGroup DeploymentConfigName CodeDeployDefault.LambdaCanary10Percent5Minutes',
      ),
      'AWS::ApiGatewayV2::Stage StageName $default',
    ].toSorted(),
  );
});

it('two services of one account and Region share no stack and no name', () => {
  const one = stacksOf('edge');
  const two = stacksOf('name');
  expect(
    shared(
      one.map(({ name }) => name),
      two.map(({ name }) => name),
    ),
  ).toEqual([]);
  for (const types of [IN_REGION, IN_ACCOUNT]) {
    expect(namesOf(one, types).length).toBeGreaterThan(0);
    expect(shared(namesOf(one, types), namesOf(two, types))).toEqual([]);
  }
});

it('one service in two Regions shares no name of the whole account, and no stack of the firewall', () => {
  const one = stacksOf('edge');
  const two = stacksOf('region');
  const dashboards = (stacks: readonly Stack[]) => namesOf(stacks, IN_ACCOUNT);
  expect(dashboards(one)).toEqual(['AWS::CloudWatch::Dashboard "Cloakroom-eu-west-1"']);
  expect(dashboards(two)).toEqual(['AWS::CloudWatch::Dashboard "Cloakroom-us-east-1"']);
  const firewall = (stacks: readonly Stack[]) =>
    stacks.map(({ name }) => name).filter((name) => name.includes('Firewall'));
  expect([firewall(one), firewall(two)]).toEqual([
    ['Cloakroom-Firewall-eu-west-1'],
    ['Cloakroom-Firewall-us-east-1'],
  ]);
});

it('roles and policies have generated names, which IAM keeps apart in all Regions', () => {
  const named = resourcesOf(stacksOf('edge')).filter(
    ({ Type, Properties }) =>
      ['AWS::IAM::Role', 'AWS::IAM::ManagedPolicy'].includes(Type) &&
      ['RoleName', 'ManagedPolicyName'].some((property) => property in Properties),
  );
  expect(named).toEqual([]);
});
