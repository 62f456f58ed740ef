// The permissions on the tables of the audit trail, as the templates grant them.
import { synthesized } from '../support/synthesized.ts';

interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const stacks = synthesized();
const all = stacks.flatMap(({ template }) => Object.entries(template.Resources));
const policies = all.flatMap(([id, { Type, Properties }]) =>
  Type === 'AWS::IAM::Policy'
    ? (Properties['PolicyDocument'] as { readonly Statement: readonly Statement[] }).Statement.map(
        (statement) => ({ ...statement, of: id.replace(/RoleDefaultPolicy.*$/, '') }),
      )
    : [],
);

/** Actions that functions are granted on a table, by the end of its ARN. */
function granted(table: RegExp): Record<string, readonly string[]> {
  const found: Record<string, string[]> = {};
  for (const { of, Effect, Action, Resource } of policies)
    if (Effect === 'Allow' && table.test(JSON.stringify(Resource)))
      (found[of] ??= []).push(...[Action].flat().map((action) => action.replace('dynamodb:', '')));
  return Object.fromEntries(Object.entries(found).map(([of, actions]) => [of, actions.toSorted()]));
}

/** The calls that read how a table is protected. */
const PROTECTION = ['DescribeContinuousBackups', 'DescribeTable', 'DescribeTimeToLive', 'GetResourcePolicy'];
const INSERT = ['PartiQLInsert'];

it('every function that serves requests or acts may add records, and three may read them', () => {
  expect(granted(/table\/Cloakroom-Audit"/)).toEqual({
    Applications: INSERT,
    Tokens: INSERT,
    Proxies: INSERT,
    Proxy: INSERT,
    Reactors: INSERT,
    Worker: INSERT,
    Sender: INSERT,
    Logs: ['BatchGetItem', 'PartiQLInsert', 'Query'],
    Operator: ['BatchGetItem', 'PartiQLInsert', 'Query', ...PROTECTION].toSorted(),
    OperatorAccess: INSERT,
    AuditSealer: ['Query'],
  });
});

it('only the sealer may add and sign seals', () => {
  expect(granted(/table\/Cloakroom-AuditSeals"/)).toEqual({
    AuditSealer: ['PartiQLInsert', 'Query'],
    Operator: ['Query', ...PROTECTION].toSorted(),
  });
  expect(granted(/SealKey[\dA-F]{8}Arn/)).toEqual({
    AuditSealer: ['kms:GetPublicKey', 'kms:Sign'],
    Operator: ['kms:GetPublicKey'],
  });
});

it('only the sealer may add indexes, and two functions search them', () => {
  expect(granted(/table\/Cloakroom-AuditIndex"/)).toEqual({
    AuditSealer: ['PartiQLInsert', 'Query'],
    Logs: ['Query'],
    Operator: ['Query', ...PROTECTION].toSorted(),
  });
});

it('no function has all actions of DynamoDB, or actions on all tables', () => {
  for (const { Action, Resource } of policies) {
    const actions = [Action].flat();
    expect(actions.filter((action) => /^dynamodb:(\*|PartiQL(?!Insert))/.test(action))).toEqual([]);
    if (actions.some((action) => action.startsWith('dynamodb:')))
      expect([Resource].flat()).not.toContain('*');
  }
});

it('only the sealer may write the head in the table of keys, only the operator the cursor, and only both functions of the operator the deployment key', () => {
  const onAccess = policies.filter(({ Resource }) =>
    /table\/Cloakroom-Access"/.test(JSON.stringify(Resource)),
  );
  // Grants that are bound to the items of keys reach neither.
  const isOfKeys = ({ Condition }: Statement) =>
    String(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']) === 'key#*';
  const writes = (statement: Statement) =>
    /PutItem|UpdateItem|DeleteItem|BatchWrite/.test(String(statement.Action)) && !isOfKeys(statement);
  const writers = new Set(
    onAccess.filter((each) => each.Effect === 'Allow' && writes(each)).map(({ of }) => of),
  );
  const HEAD = { 'dynamodb:LeadingKeys': ['audit'] };
  const BOTH = { 'dynamodb:LeadingKeys': ['audit', 'audit-check'] };
  for (const of of writers) {
    const own = onAccess.filter((each) => each.of === of);
    const denial = own.find(({ Effect }) => Effect === 'Deny');
    if (of === 'AuditSealer')
      expect(own.map(({ Condition }) => Condition?.['ForAllValues:StringEquals'])).toEqual([HEAD]);
    else
      expect(denial).toMatchObject({
        Action: ['BatchWriteItem', 'DeleteItem', 'PutItem', 'UpdateItem'].map((call) => `dynamodb:${call}`),
        Condition: { 'ForAnyValue:StringEquals': of === 'Operator' ? HEAD : BOTH },
      });
  }
  const TENANT = '????????-????-????-????-????????????';
  const partitionsOf = (wanted: string) =>
    onAccess.flatMap(({ of, Effect, Action, Condition }) =>
      of === wanted && Effect === 'Allow' && /PutItem/.test(String(Action))
        ? [Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'], Condition?.['Null']]
        : [],
    );
  const withKeys = { 'dynamodb:LeadingKeys': 'false' };
  expect(partitionsOf('Proxies')).toEqual([[TENANT, 'key#*'], withKeys]);
  expect(partitionsOf('Applications')).toEqual([
    [TENANT, `${TENANT}#copy#*`, `${TENANT}#grants#*`, 'key#*'],
    withKeys,
  ]);
  expect([...writers].toSorted()).toEqual([
    ...['Applications', 'AuditSealer', 'Operator', 'OperatorAccess', 'Proxies', 'Sweeper'],
  ]);
  const barred = onAccess.filter(
    ({ Effect, Condition }) =>
      Effect === 'Deny' &&
      String(Condition?.['ForAnyValue:StringEquals']?.['dynamodb:LeadingKeys']) === 'deployment-key',
  );
  expect(barred.map(({ of }) => of).toSorted()).toEqual(['Applications', 'Proxies', 'Sweeper']);
});

it('the operator writes no key of an application nor its grants, so that none of its commands makes, widens or ends one', () => {
  const barred = policies.filter(
    ({ Effect, Condition }) =>
      Effect === 'Deny' &&
      /^key#\*,[?-]{36}#grants#\*$/.test(
        String(Condition?.['ForAnyValue:StringLike']?.['dynamodb:LeadingKeys']),
      ),
  );
  expect(barred).toMatchObject([
    {
      of: 'Operator',
      Action: ['BatchWriteItem', 'DeleteItem', 'PutItem', 'UpdateItem'].map((call) => `dynamodb:${call}`),
      Resource: expect.objectContaining({}),
    },
  ]);
});

it('only the commands that give access may remove what a tenant has', () => {
  const removing = (table: string) =>
    policies
      .filter(
        ({ of, Effect, Action, Resource }) =>
          /^Operator/.test(of) &&
          Effect === 'Allow' &&
          /DeleteItem|DeleteFunction/.test(String(Action)) &&
          JSON.stringify(Resource).includes(table),
      )
      .map(({ of }) => of);
  expect(removing('Cloakroom-Reactors')).toEqual(['OperatorAccess']);
  expect(removing('Cloakroom-reactor-')).toEqual(['OperatorAccess']);
});

it('Lambda does not repeat an event of a schedule that failed', () => {
  const configs = all.filter(([, { Type }]) => Type === 'AWS::Lambda::EventInvokeConfig');
  const scheduled = all.flatMap(([, { Type, Properties }]) =>
    Type === 'AWS::Events::Rule' && Properties['ScheduleExpression'] !== undefined
      ? (Properties['Targets'] as { readonly Arn: unknown }[])
      : [],
  );
  const nameIn = (value: unknown) =>
    /(AuditSealer|Operator|Sweeper)Function/.exec(JSON.stringify(value))?.[1];
  expect(configs.map(([, { Properties }]) => Properties['MaximumRetryAttempts'])).toEqual([0, 0, 0]);
  expect(configs.map(([, { Properties }]) => nameIn(Properties['FunctionName'])).toSorted()).toEqual(
    scheduled.map(({ Arn }) => nameIn(Arn)).toSorted(),
  );
});

it.each(['Audit', 'AuditIndex', 'AuditSeals'])(
  'the table %s denies every write except an insert to all principals',
  (name) => {
    const [, table]: any = all.find(
      ([id, { Type }]) => Type === 'AWS::DynamoDB::Table' && new RegExp(`^${name}[\\dA-F]{8}$`).test(id),
    );
    const { PolicyDocument: policy } = table.Properties.ResourcePolicy;
    expect(policy.Statement).toEqual([
      {
        Sid: 'NothingButInserts',
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: [
          'BatchWriteItem',
          'DeleteItem',
          'PartiQLDelete',
          'PartiQLUpdate',
          'PutItem',
          'UpdateItem',
        ].map((action) => `dynamodb:${action}`),
        Resource: { 'Fn::Join': ['', expect.arrayContaining([`:table/Cloakroom-${name}`])] },
      },
    ]);
  },
);

it('only the functions that serve requests may note uses of keys, and write nothing else of a key', () => {
  const noting = policies.filter(
    ({ Condition }) => String(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']) === 'key#*',
  );
  expect(noting.map(({ of }) => of).toSorted()).toEqual([
    'Applications',
    'Logs',
    'Proxies',
    'Proxy',
    'Reactors',
    'Tokens',
  ]);
  for (const statement of noting)
    expect(statement).toMatchObject({
      Effect: 'Allow',
      Action: 'dynamodb:UpdateItem',
      Condition: {
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'lastUsedOn'] },
        Null: { 'dynamodb:LeadingKeys': 'false', 'dynamodb:Attributes': 'false' },
      },
    });
});
