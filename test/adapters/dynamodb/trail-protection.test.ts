import {
  DeleteResourcePolicyCommand,
  PutResourcePolicyCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { DENIED_WRITES } from '../../../src/adapters/dynamodb/append-only.ts';
import {
  createDataProtection,
  createTrailProtection,
  policyProblems,
} from '../../../src/adapters/dynamodb/trail-protection.ts';
import { createCheckCursor } from '../../../src/adapters/dynamodb/check-cursor.ts';
import type { CheckState } from '../../../src/core/trail/check-latest.ts';
import { aDatabase, type Database } from '../../support/a-database.ts';
import { tablesInMemory } from '../../support/stores-in-memory.ts';

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

  it('a policy with a statement that allows anything differs from that of the template', () => {
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

describe('in a database', () => {
  let database: Database;
  beforeAll(async () => {
    database = await aDatabase();
  });
  afterAll(() => database.close());

  it('each setting of a table is compared', async () => {
    const table = database.table('Audit');
    const { client, name: TableName } = table;
    const found = createTrailProtection([{ ...table, title: 'Audit', expires: true }]);
    const ResourceArn = ARN.replace('Cloakroom-Data-Audit', TableName);
    const recovery = (PointInTimeRecoveryEnabled: boolean) =>
      client.send(
        new UpdateContinuousBackupsCommand({
          TableName,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled },
        }),
      );
    const expiry = (AttributeName: string, Enabled: boolean) =>
      client.send(
        new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled } }),
      );
    const protect = (DeletionProtectionEnabled: boolean) =>
      client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled }));
    expect(await found()).toEqual([
      'Audit: it has no policy',
      'Audit: it is not protected against deletion',
      'Audit: its point-in-time recovery is off',
    ]);
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [DENIAL] });
    await client.send(new PutResourcePolicyCommand({ ResourceArn, Policy }));
    await protect(true);
    await recovery(true);
    expect(await found()).toEqual([]);
    await expiry('ttl', false);
    expect(await found()).toEqual(['Audit: its items do not expire']);
    await expiry('sk', true);
    expect(await found()).toEqual(['Audit: its items expire by sk']);
    expect(await createTrailProtection([{ ...table, title: 'AuditSeals', expires: false }])()).toEqual([
      'AuditSeals: its items expire by sk',
    ]);
    await expiry('sk', false);
    await expiry('ttl', true);
    const data = (isRecoverable: boolean) =>
      createDataProtection([{ ...table, title: 'Tokens', expires: true, isRecoverable }])();
    expect(await data(true)).toEqual(['Tokens: it has a policy']);
    expect(await data(false)).toEqual([
      'Tokens: it has a policy',
      'Tokens: its point-in-time recovery is on',
    ]);
    await client.send(new DeleteResourcePolicyCommand({ ResourceArn }));
    expect(await data(true)).toEqual([]);
    await protect(false);
    await recovery(false);
    await expiry('ttl', false);
    expect(await data(true)).toEqual([
      'Tokens: it is not protected against deletion',
      'Tokens: its point-in-time recovery is off',
      'Tokens: its items do not expire',
    ]);
    expect((await found())[0]).toBe('Audit: it has no policy');
  });

  it.each(['memory', 'DynamoDB'])('the cursor of the check in %s has one state at a time', async (where) => {
    const tables = where === 'memory' ? tablesInMemory() : database;
    const cursor = createCheckCursor(tables.table('Access'));
    const first = { interval: { from: 60_000, to: 120_000 }, trail: 'a', what: 'the MAC is wrong' };
    const state: CheckState = {
      to: 120_000,
      chunk: { to: 240_000, after: 'b', open: [['a', 180_000]] },
      broken: [{ from: 60_000, foundAt: 300_000, failures: 2, first }],
    };
    expect(await cursor.read()).toBeUndefined();
    expect(await cursor.save(state, 0)).toBe(true);
    expect(await cursor.read()).toEqual({ state, revision: 1 });
    expect(await cursor.save({ to: 0, broken: [] }, 0)).toBe(false);
    expect(await cursor.save({ to: 180_000, broken: [] }, 1)).toBe(true);
    expect(await cursor.save(state, 1)).toBe(false);
    expect(await cursor.read()).toEqual({ state: { to: 180_000, broken: [] }, revision: 2 });
  });
});
