import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { buildService } from '../../lib/service.ts';
import { parseSettings, SettingsError } from '../../lib/settings.ts';

const app = new App();
buildService(app, parseSettings({ headerPrefixes: 'SVC,ACME', throttleRate: '7', throttleBurst: 9 }));
function template(name: string): Template {
  const stack = app.node.findChild(`Cloakroom-${name}`);
  if (!(stack instanceof Stack)) throw new Error(`${name} is no stack`);
  return Template.fromStack(stack);
}
const [data, api, operations] = [template('Data'), template('Api'), template('Operations')];

const resources = (from: Template, type: string) =>
  Object.entries(from.findResources(type)) as [string, any][];
const statements = [data, api, operations].flatMap((from) =>
  resources(from, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
    Properties.PolicyDocument.Statement.map((statement: any) => ({ id, ...statement })),
  ),
);

describe('the data stack', () => {
  it('retains, protects and encrypts every table under the customer-managed key', () => {
    data.resourceCountIs('AWS::DynamoDB::Table', 4);
    data.allResourcesProperties('AWS::DynamoDB::Table', {
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
    data.allResources('AWS::DynamoDB::Table', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    data.hasResource('AWS::KMS::Key', { DeletionPolicy: 'Retain', Properties: { EnableKeyRotation: true } });
  });

  it('keeps backups of everything but what must vanish', () => {
    const backups = resources(data, 'AWS::DynamoDB::Table').map(([id, { Properties }]) => [
      id.replace(/[0-9A-F]{8}$/, ''),
      Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
    ]);
    expect(Object.fromEntries(backups)).toEqual({
      Tokens: true,
      Ephemeral: false,
      Access: true,
      Reactors: true,
    });
  });
});

describe('the functions', () => {
  it('run on arm64 with Node 24, each with a log that ends', () => {
    for (const from of [api, operations]) {
      from.allResourcesProperties('AWS::Lambda::Function', {
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogGroup: Match.anyValue() },
      });
      from.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
    }
  });

  it('are granted named actions on named resources', () => {
    expect(statements.length).toBeGreaterThan(5);
    for (const statement of statements) {
      const actions = [statement.Action].flat();
      expect(actions.filter((action: string) => action.includes('*'))).toEqual([]);
      expect(JSON.stringify(statement.Resource)).not.toMatch(/"\*"|\/\*/);
    }
  });

  it('touch the KMS key only for keys of a tenant', () => {
    const onKey = statements.filter(({ Action }) =>
      [Action].flat().some((action: string) => action.startsWith('kms:')),
    );
    expect(onKey.length).toBeGreaterThan(2);
    for (const { Condition } of onKey)
      expect(Condition).toEqual({ Null: { 'kms:EncryptionContext:tenant': 'false' } });
  });
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
        AllowHeaders: Match.arrayWith(['svc-api-key', 'acme-api-key']),
      },
    });
  });

  it('logs neither a path, nor a query, nor a header, nor a body', () => {
    const [[, stage] = ['', undefined]] = resources(api, 'AWS::ApiGatewayV2::Stage');
    const format = JSON.parse(stage.Properties.AccessLogSettings.Format);
    expect(Object.values(format).join(' ')).not.toMatch(/path|query|header|body|authorizer|identity/i);
  });
});

describe('settings', () => {
  it.each([
    { nothing: 1 },
    { cvcLifetimeSeconds: 'soon' },
    { headerPrefixes: 'A B' },
    { logRetentionDays: 2 },
    { clientCompatibility: 'some' },
    { egressAllowList: 'a@b' },
    { throttleRate: 0 },
  ])('refuse %j by name', (given) => {
    expect(() => parseSettings(given)).toThrow(SettingsError);
    expect(() => parseSettings(given)).toThrow(Object.keys(given)[0]);
  });
});
