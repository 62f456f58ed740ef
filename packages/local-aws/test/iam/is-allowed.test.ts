import type { AwsAccess, PolicyStatement, Role } from '../../src/aws-service.ts';
import { isAllowed, isAllowedToRoot, type Decision } from '../../src/iam/is-allowed.ts';

const account = '123456789012';
const roleArn = `arn:aws:iam::${account}:role/tokens`;
const table = `arn:aws:dynamodb:eu-west-1:${account}:table/Tokens`;
const key = `arn:aws:kms:eu-west-1:${account}:key/k-1`;

function aRole(statements: readonly PolicyStatement[], boundary?: readonly PolicyStatement[]): Role {
  return {
    arn: roleArn,
    policies: [{ Statement: statements }],
    ...(boundary !== undefined && { permissionsBoundary: { Statement: boundary } }),
  };
}

const allow = (Action: string | string[], Resource: string | string[] = '*'): PolicyStatement => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const deny = (Action: string | string[], Resource: string | string[] = '*'): PolicyStatement => ({
  Effect: 'Deny',
  Action,
  Resource,
});

const putItem: AwsAccess = { action: 'dynamodb:PutItem', resource: table };
const why = (decision: Decision): string => (decision.allowed ? 'allowed' : decision.why);

describe('identity policies', () => {
  it.each<[string, PolicyStatement[], boolean]>([
    ['nothing is allowed without a statement', [], false],
    ['the exact action and resource', [allow('dynamodb:PutItem', table)], true],
    ['another resource', [allow('dynamodb:PutItem', `${table}s`)], false],
    ['an index is not its table', [allow('dynamodb:PutItem', `${table}/index/*`)], false],
    ['an action in another case', [allow('DynamoDB:putitem', table)], true],
    ['a resource in another case', [allow('dynamodb:PutItem', table.toUpperCase())], false],
    ['a wildcard in the action', [allow('dynamodb:Put*', table)], true],
    ['a question mark is one character', [allow('dynamodb:PutIte?', table)], true],
    ['a question mark is not two characters', [allow('dynamodb:PutIt?', table)], false],
    ['a wildcard does not reach over a colon', [allow('dynamodb:PutItem', 'arn:aws:*:table/Tokens')], false],
    ['a dot is a dot', [allow('dynamodb.PutItem', table)], false],
    ['one of many actions', [allow(['dynamodb:GetItem', 'dynamodb:PutItem'], ['*'])], true],
    ['NotAction allows the others', [{ Effect: 'Allow', NotAction: 'kms:*', Resource: '*' }], true],
    [
      'NotAction does not allow its own',
      [{ Effect: 'Allow', NotAction: 'dynamodb:*', Resource: '*' }],
      false,
    ],
    ['NotResource allows the others', [{ Effect: 'Allow', Action: '*', NotResource: key }], true],
    ['NotResource does not allow its own', [{ Effect: 'Allow', Action: '*', NotResource: table }], false],
    ['an explicit deny wins', [allow('*'), deny('dynamodb:PutItem')], false],
    ['a deny of something else does not matter', [allow('*'), deny('dynamodb:DeleteItem')], true],
  ])('%s', (_title, statements, expected) => {
    expect(isAllowed(aRole(statements), putItem).allowed).toBe(expected);
  });

  it('a denial states its reason in the words of AWS', () => {
    expect(why(isAllowed(aRole([]), putItem))).toBe(
      'because no identity-based policy allows the dynamodb:PutItem action',
    );
    expect(why(isAllowed(aRole([allow('*'), deny('*')]), putItem))).toBe(
      'with an explicit deny in an identity-based policy',
    );
  });
});

describe('permissions boundary', () => {
  it('both the policies and the boundary must allow', () => {
    expect(isAllowed(aRole([allow('*')], [allow('dynamodb:*')]), putItem).allowed).toBe(true);
    expect(isAllowed(aRole([], [allow('*')]), putItem).allowed).toBe(false);
    expect(why(isAllowed(aRole([allow('*')], [allow('kms:*')]), putItem))).toBe(
      'because no permissions boundary allows the dynamodb:PutItem action',
    );
  });

  it('a deny in the permissions boundary is stronger than any allow', () => {
    expect(isAllowed(aRole([allow('*')], [allow('*'), deny('dynamodb:*')]), putItem).allowed).toBe(false);
  });
});

describe('key policies', () => {
  const decrypt: AwsAccess = { action: 'kms:Decrypt', resource: key };
  const named = (Principal: unknown, effect: 'Allow' | 'Deny' = 'Allow'): PolicyStatement => ({
    Effect: effect,
    Action: 'kms:*',
    Resource: '*',
    Principal,
  });
  const root = { AWS: `arn:aws:iam::${account}:root` };

  it.each<[string, PolicyStatement[], PolicyStatement[], boolean]>([
    ['the account delegates to a role that is allowed', [named(root)], [allow('kms:Decrypt', key)], true],
    ['the account delegates to a role that is not allowed', [named(root)], [], false],
    ['a bare account id is the account', [named({ AWS: account })], [allow('kms:*')], true],
    ['the role itself needs no identity policy', [named({ AWS: [roleArn] })], [], true],
    ['anyone includes the role', [named('*')], [], true],
    ['another role', [named({ AWS: `${roleArn}-other` })], [allow('kms:*')], false],
    ['another account', [named({ AWS: 'arn:aws:iam::999999999999:root' })], [allow('kms:*')], false],
    ['a service principal', [named({ Service: 'dynamodb.amazonaws.com' })], [allow('kms:*')], false],
    ['an empty policy locks everyone out', [], [allow('*')], false],
    ['a deny for the account', [named(root), named(root, 'Deny')], [allow('*')], false],
    ['a deny in an identity policy', [named({ AWS: roleArn })], [deny('kms:*')], false],
  ])('%s', (_title, keyStatements, statements, expected) => {
    const resourcePolicy = { document: { Statement: keyStatements }, isRequired: true };
    expect(isAllowed(aRole(statements), decrypt, { resourcePolicy }).allowed).toBe(expected);
  });

  it('a boundary limits what the key policy grants to the role by name', () => {
    const resourcePolicy = { document: { Statement: [named({ AWS: roleArn })] }, isRequired: true };
    expect(isAllowed(aRole([], [allow('dynamodb:*')]), decrypt, { resourcePolicy }).allowed).toBe(false);
  });
});

describe('policies of tables', () => {
  const root = `arn:aws:iam::${account}:root`;
  const named = (Principal: unknown, effect: 'Allow' | 'Deny' = 'Allow'): PolicyStatement => ({
    Effect: effect,
    Action: 'dynamodb:PutItem',
    Resource: '*',
    Principal,
  });
  const except = (arn: string): PolicyStatement => ({
    ...named('*', 'Deny'),
    Condition: { ArnNotEquals: { 'aws:PrincipalArn': arn } },
  });
  const policyOf = (...Statement: PolicyStatement[]) => ({ document: { Statement }, isRequired: false });
  const denied = 'with an explicit deny in a resource-based policy';
  const notGranted = 'because no identity-based policy allows the dynamodb:PutItem action';

  it.each<[string, PolicyStatement[], PolicyStatement[], string]>([
    ['a policy that does not speak of it leaves it to the role', [], [allow('dynamodb:*')], 'allowed'],
    ['neither allows', [], [], notGranted],
    ['the policy allows the role by name', [named({ AWS: roleArn })], [], 'allowed'],
    ['the policy allows everyone', [named('*')], [], 'allowed'],
    ['the account is not the role', [named({ AWS: root })], [], notGranted],
    ['the account delegates to the role', [named({ AWS: root })], [allow('dynamodb:*')], 'allowed'],
    ['a deny for everyone', [named('*', 'Deny')], [allow('*')], denied],
    ['a deny for everyone, in the other spelling', [named({ AWS: '*' }, 'Deny')], [allow('*')], denied],
    ['a deny for the account', [named({ AWS: root }, 'Deny')], [allow('*')], denied],
    ['a deny for the role', [named({ AWS: [roleArn] }, 'Deny')], [allow('*')], denied],
    ['a deny for another role', [named({ AWS: `${roleArn}s` }, 'Deny')], [allow('*')], 'allowed'],
    ['a deny wins over an allow beside it', [named('*'), named('*', 'Deny')], [], denied],
    ['a deny for all but the role', [except(roleArn)], [allow('*')], 'allowed'],
    ['a deny for all but another role', [except(`${roleArn}s`)], [allow('*')], denied],
    [
      'a deny in the identity policy',
      [named('*')],
      [deny('*')],
      'with an explicit deny in an identity-based policy',
    ],
  ])('%s', (_title, tableStatements, statements, expected) => {
    const resourcePolicy = policyOf(...tableStatements);
    expect(why(isAllowed(aRole(statements), putItem, { resourcePolicy }))).toBe(expected);
  });

  it.each<[string, PolicyStatement[], string]>([
    ['nothing is said', [], 'allowed'],
    ['another principal is denied', [named({ AWS: roleArn }, 'Deny')], 'allowed'],
    ['everyone is denied', [named('*', 'Deny')], denied],
    ['the account is denied', [named({ AWS: account }, 'Deny')], denied],
    ['all but a role are denied', [except(roleArn)], denied],
  ])('a policy of the root decides: %s', (_title, statements, expected) => {
    expect(why(isAllowedToRoot(root, putItem, policyOf(...statements)))).toBe(expected);
  });

  it('the root can delete a policy that denies everything', () => {
    const policy = policyOf({ ...named('*', 'Deny'), Action: 'dynamodb:*' });
    const access = (action: string): AwsAccess => ({ action, resource: table });
    expect(isAllowedToRoot(root, access('dynamodb:PutResourcePolicy'), policy).allowed).toBe(false);
    expect(isAllowedToRoot(root, access('dynamodb:DeleteResourcePolicy'), policy).allowed).toBe(true);
    const role = aRole([allow('*')]);
    expect(isAllowed(role, access('dynamodb:DeleteResourcePolicy'), { resourcePolicy: policy }).allowed).toBe(
      false,
    );
  });
});
