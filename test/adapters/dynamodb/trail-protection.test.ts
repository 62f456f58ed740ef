import {
  DynamoDBClient,
  PutResourcePolicyCommand,
  DeleteResourcePolicyCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { DENIED_WRITES, policyProblems } from '../../../src/adapters/dynamodb/trail-protection.ts';

const ARN = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Cloakroom-Data-Audit';
const DENIAL = { Effect: 'Deny', Principal: { AWS: '*' }, Action: DENIED_WRITES, Resource: '*' };
const problems = (...statements: readonly object[]) =>
  policyProblems(JSON.stringify({ Version: '2012-10-17', Statement: statements }), ARN);

describe('a resource policy is that of the template', () => {
  it.each<[string, readonly object[]]>([
    ['with its actions in another order', [{ ...DENIAL, Action: DENIED_WRITES.toReversed() }]],
    ['with the principal in its other form', [{ ...DENIAL, Principal: '*' }]],
    ['with the table instead of all', [{ ...DENIAL, Resource: [ARN] }]],
    ['with more actions than needed', [{ ...DENIAL, Action: 'dynamodb:*' }]],
    ['in several statements', DENIED_WRITES.map((Action) => ({ ...DENIAL, Action }))],
    ['with a further denial', [DENIAL, { ...DENIAL, Action: 'dynamodb:Scan', Condition: { Bool: {} } }]],
  ])('%s', (_how, statements) => {
    expect(problems(...statements)).toEqual([]);
  });
});

describe('a resource policy differs from that of the template', () => {
  const missing = (...actions: readonly string[]) => [
    `its policy does not deny ${actions.join(', ')} to all`,
  ];
  const all = missing(...DENIED_WRITES);

  it.each<[string, object, readonly string[]]>([
    ['with a condition', { ...DENIAL, Condition: { StringNotEquals: { 'aws:PrincipalArn': 'a' } } }, all],
    ['for one principal', { ...DENIAL, Principal: { AWS: 'arn:aws:iam::123456789012:root' } }, all],
    ['for all but one', { ...DENIAL, Principal: undefined, NotPrincipal: { AWS: 'a' } }, all],
    ['for services', { ...DENIAL, Principal: { Service: '*' } }, all],
    ['on another table', { ...DENIAL, Resource: `${ARN}s` }, all],
    ['on its indexes alone', { ...DENIAL, Resource: `${ARN}/index/*` }, all],
    ['for all actions but some', { ...DENIAL, Action: undefined, NotAction: ['dynamodb:PutItem'] }, all],
    ['without an action', { ...DENIAL, Action: DENIED_WRITES.slice(1) }, missing('dynamodb:PutItem')],
    [
      'that allows what it denied',
      { ...DENIAL, Effect: 'Allow' },
      [...all, `its policy allows ${DENIED_WRITES.join(', ')}`],
    ],
  ])('%s', (_how, statement, expected) => {
    expect(problems(statement)).toEqual(expected);
  });

  it('with a statement that allows anything', () => {
    const allowed = { Effect: 'Allow', Principal: '*', Action: 'dynamodb:PartiQLInsert', Resource: '*' };
    expect(problems(DENIAL, allowed)).toEqual(['its policy allows dynamodb:PartiQLInsert']);
    expect(problems(DENIAL, { ...allowed, Action: undefined, NotAction: 'a' })).toEqual([
      'its policy allows actions',
    ]);
  });

  it('that is missing, empty or no policy', () => {
    expect(policyProblems(undefined, ARN)).toEqual(['it has no policy']);
    expect(problems()).toEqual(all);
    expect(policyProblems('[]', ARN)).toEqual(['its policy cannot be read']);
  });
});
