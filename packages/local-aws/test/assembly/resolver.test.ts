import type { Stack } from '../../src/assembly/read-assembly.ts';
import { createResolver, type Resolver } from '../../src/assembly/resolver.ts';
import { aStack } from './a-stack.ts';

function resolverFor(...stacks: readonly Stack[]): Resolver {
  return createResolver({
    stacks,
    accountId: '000000000000',
    region: 'us-east-1',
    identify: ({ stack, logicalId, text }) => ({
      ref: text('Name') ?? `${stack.name}-${logicalId}`,
      attributes: { Arn: `arn:${logicalId}`, 'Nested.Value': 'nested' },
    }),
  });
}

const thing = { Type: 'A::Thing', Properties: {} };
const stack = aStack('App', {
  Parameters: { BootstrapVersion: { Default: '/cdk-bootstrap/version' }, Needed: {} },
  Conditions: {
    IsLocal: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'] },
    IsOther: { 'Fn::Not': [{ Condition: 'IsLocal' }] },
    Both: { 'Fn::And': [{ Condition: 'IsLocal' }, { Condition: 'IsOther' }] },
    Either: { 'Fn::Or': [{ Condition: 'IsLocal' }, { Condition: 'IsOther' }] },
  },
  Resources: {
    Thing: thing,
    Named: { Type: 'A::Thing', Properties: { Name: { 'Fn::Sub': 'my-${AWS::Region}' } } },
  },
});

describe('references', () => {
  it.each([
    ['a resource by its name', { Ref: 'Thing' }, 'App-Thing'],
    ['a resource by the name in its template', { Ref: 'Named' }, 'my-us-east-1'],
    ['the default of a parameter', { Ref: 'BootstrapVersion' }, '/cdk-bootstrap/version'],
    ['the account', { Ref: 'AWS::AccountId' }, '000000000000'],
    ['the partition', { Ref: 'AWS::Partition' }, 'aws'],
    ['the stack', { Ref: 'AWS::StackName' }, 'App'],
    ['an attribute', { 'Fn::GetAtt': ['Thing', 'Arn'] }, 'arn:Thing'],
    ['an attribute with dots', { 'Fn::GetAtt': ['Thing', 'Nested.Value'] }, 'nested'],
    ['a joined list', { 'Fn::Join': ['-', ['a', { Ref: 'Thing' }]] }, 'a-App-Thing'],
    ['a substitution', { 'Fn::Sub': '${Thing}/${Thing.Arn}/${!Literal}' }, 'App-Thing/arn:Thing/${Literal}'],
    ['a substitution with variables', { 'Fn::Sub': ['${x}', { x: { Ref: 'Thing' } }] }, 'App-Thing'],
    ['an item of a split text', { 'Fn::Select': [1, { 'Fn::Split': ['-', { Ref: 'Thing' }] }] }, 'Thing'],
    ['the branch of a condition', { 'Fn::If': ['IsLocal', 'yes', 'no'] }, 'yes'],
    ['the other branch', { 'Fn::If': ['IsOther', 'yes', 'no'] }, 'no'],
    ['a conjunction', { 'Fn::If': ['Both', 'yes', 'no'] }, 'no'],
    ['a disjunction', { 'Fn::If': ['Either', 'yes', 'no'] }, 'yes'],
  ])('resolve to %s', (_what, value, expected) => {
    expect(resolverFor(stack).resolve(stack, value)).toBe(expected);
  });

  it('are found at any depth, and members without a value are left out', () => {
    const value = { list: [{ Ref: 'Thing' }, { Ref: 'AWS::NoValue' }], none: { Ref: 'AWS::NoValue' }, n: 1 };
    expect(resolverFor(stack).resolve(stack, value)).toEqual({ list: ['App-Thing'], n: 1 });
  });

  it('resolve to the export of another stack', () => {
    const output = { Value: { Ref: 'Thing' }, Export: { Name: { 'Fn::Sub': '${AWS::StackName}:Out' } } };
    const exporter = aStack('Data', { Resources: { Thing: thing }, Outputs: { Out: output } });
    const importer = aStack('Api');
    const resolver = resolverFor(exporter, importer);
    expect(resolver.resolve(importer, { 'Fn::ImportValue': 'Data:Out' })).toBe('Data-Thing');
    expect(resolver.outputs(exporter)).toEqual(new Map([['Out', 'Data-Thing']]));
  });
});

describe('an unresolvable reference is named', () => {
  it.each([
    [{ Ref: 'Missing' }, /no resource Missing in stack App/],
    [{ Ref: 'Needed' }, /parameter Needed of stack App has no default/],
    [{ Ref: 'AWS::Unknown' }, /unknown pseudo parameter AWS::Unknown/],
    [{ 'Fn::GetAtt': ['Thing', 'Url'] }, /attribute Url of A::Thing \(App\/Thing\)/],
    [{ 'Fn::ImportValue': 'Missing' }, /no stack exports Missing, which App imports/],
    [{ 'Fn::GetAZs': '' }, /unsupported intrinsic function Fn::GetAZs in stack App/],
    [{ 'Fn::Join': ['', [{ list: [] }]] }, /Fn::Join needs text/],
    [{ 'Fn::Select': [3, ['a']] }, /Fn::Select beyond its list/],
    [{ 'Fn::If': ['Nothing', 1, 2] }, /no condition Nothing in stack App/],
  ])('%j', (value, message) => {
    expect(() => resolverFor(stack).resolve(stack, value)).toThrow(message);
  });
});
