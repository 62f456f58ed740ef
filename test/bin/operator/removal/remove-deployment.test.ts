import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RemovalAccount } from '../../../../bin/operator/removal/removal-account.ts';
import { removeDeployment, type RemovalOptions } from '../../../../bin/operator/removal/remove-deployment.ts';
import { cases, fc } from '../../../../packages/local-aws/test/properties.ts';
import { aRemovalAccount, Cut, cutAt, LATER, NOW } from './a-removal-account.ts';

const MODES = ['all', 'data'] as const;
const mapping = join(mkdtempSync(join(tmpdir(), 'cloakroom-removal-')), 'mapping.json');

async function removed(
  account: RemovalAccount,
  options: Partial<RemovalOptions> = {},
  { now = NOW, ask }: { readonly now?: Date; readonly ask?: () => Promise<string> } = {},
) {
  const said: string[] = [];
  const { service = 'Cloakroom' } = options;
  const result = await removeDeployment(
    {
      account,
      pause: () => Promise.resolve(),
      say: (line) => said.push(line),
      now: () => now,
      ...(ask !== undefined && { ask }),
    },
    { service, removes: 'all', isDryRun: false, ...(ask === undefined && { confirm: service }), ...options },
  );
  return { result, said: said.join('\n') };
}

/** What each mode leaves of a deployment, by kind. */
const kindsLeft = (left: readonly string[]): readonly string[] => [
  ...new Set(left.map((each) => each.split(' ')[0] ?? '')),
];

describe('a removal', () => {
  it('of all but the trail leaves its tables, their backups, and the keys', async () => {
    const { account, left } = aRemovalAccount(['Cloakroom']);
    const { said } = await removed(account);
    expect(left('Cloakroom').filter((each) => !each.startsWith('key'))).toEqual([
      'table Cloakroom-Audit',
      'table Cloakroom-AuditIndex',
      'table Cloakroom-AuditSeals',
      'backup arn:Cloakroom-Audit/backup/1',
    ]);
    expect(left('Cloakroom').filter((each) => each.startsWith('key'))).toHaveLength(2);
    expect(said).toContain('Retained until 2027-12-30');
  });

  it('after the last record has expired leaves nothing', async () => {
    const { account, left } = aRemovalAccount(['Cloakroom']);
    await removed(account);
    await removed(account, {}, { now: LATER });
    expect(left('Cloakroom')).toEqual([]);
  });

  it('of all but the data leaves what a deployment adopts, and names it for cdk import', async () => {
    const { account, left } = aRemovalAccount(['Cloakroom']);
    await removed(account, { removes: 'data', mapping });
    expect(kindsLeft(left('Cloakroom')).toSorted()).toEqual(['backup', 'key', 'logs', 'table']);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual({
      Tokens1180AAEA: { TableName: 'Cloakroom-Tokens' },
      Key961B73FD: { KeyId: 'mrk-1' },
    });
  });

  it('prints the dollars of what it deletes and of what stays', async () => {
    const { account } = aRemovalAccount(['Cloakroom']);
    const { said } = await removed(account, { isDryRun: true });
    // A table of a gigabyte with recovery, of the two classes.
    expect(said).toMatch(/table +Cloakroom-Tokens +0\.45 /);
    expect(said).toMatch(/table +Cloakroom-Audit +0\.30 /);
    expect(said).toMatch(/function +Cloakroom-reactor-[\da-f]{32} +5\.48 /);
    // Three tables, a backup, two keys.
    expect(said).toMatch(/a month now, 3\.00 afterwards$/);
  });

  it('that runs dry changes nothing', async () => {
    const { account, changes } = aRemovalAccount(['Cloakroom']);
    await removed(account, { isDryRun: true });
    expect(changes).toEqual([]);
  });

  it('of a deployment that changes after the plan deletes nothing', async () => {
    const { account, changes, addReactor } = aRemovalAccount(['Cloakroom']);
    const ask = () => {
      addReactor('Cloakroom');
      return Promise.resolve('Cloakroom');
    };
    await expect(removed(account, {}, { ask })).rejects.toThrow('has changed since the plan above');
    expect(changes).toEqual([]);
  });

  it('reports a reactor that a caller made meanwhile, and does not delete it', async () => {
    const { account, addReactor } = aRemovalAccount(['Cloakroom']);
    const during: RemovalAccount = {
      ...account,
      deleteStack: async (place) => {
        if (place.name === 'Cloakroom-Monitoring') addReactor('Cloakroom');
        await account.deleteStack(place);
      },
    };
    await expect(removed(during)).rejects.toThrow(/^made during the removal: function Cloakroom-reactor-/);
    await removed(account);
  });

  it('of the trail asks a second time, at a terminal', async () => {
    const { account, changes } = aRemovalAccount(['Cloakroom']);
    await expect(removed(account, { removes: 'trail' })).rejects.toThrow('--delete-trail needs a terminal');
    const answers = ['Cloakroom', 'Cloakroom'];
    const ask = () => Promise.resolve(answers.shift() ?? '');
    await expect(removed(account, { removes: 'trail' }, { ask })).rejects.toThrow('not confirmed');
    expect(changes).toEqual([]);
    const right = ['Cloakroom', 'delete the audit trail of Cloakroom'];
    await removed(account, { removes: 'trail' }, { ask: () => Promise.resolve(right.shift() ?? '') });
    expect(changes).toContain('table Cloakroom-AuditSeals');
  });

  it('names what it leaves and what costs: keys without the tag, replicas, copies', async () => {
    const { account } = aRemovalAccount(['Cloakroom']);
    const { said: usual } = await removed(account, { isDryRun: true });
    expect(usual).not.toContain('and costs');
    const { said } = await removed(
      {
        ...account,
        keys: () =>
          Promise.resolve({
            keys: [{ id: 'mrk-1', use: 'SIGN_VERIFY', replicas: ['eu-central-1'] }],
            unreadable: 2,
          }),
        tableNames: () => Promise.resolve(['Cloakroom-Tokens-at-20261125T100000Z']),
        backups: () =>
          Promise.resolve([
            { arn: 'arn:system', tableName: 'x', bytes: 1, expiresAt: new Date('2026-12-30T00:00:00Z') },
          ]),
      },
      { isDryRun: true },
    );
    expect(said).toMatch(/the key arn:key\/mrk-[\da-f]+ encrypts a table and lacks the tag/);
    expect(said).toContain('2 KMS keys whose tags you may not read');
    expect(said).toContain('the replica of mrk-1 in eu-central-1 costs 1 dollar a month');
    expect(said).toContain('the table Cloakroom-Tokens-at-20261125T100000Z stays, and costs');
    expect(said).toContain('AWS keeps its backup arn:system without charge until 2026-12-30');
  });

  it('names the reason if CloudFormation cannot delete a stack', async () => {
    const { account } = aRemovalAccount(['Cloakroom']);
    const failing: RemovalAccount = {
      ...account,
      deleteStack: () => Promise.resolve(),
      stackStatus: () => Promise.resolve({ status: 'DELETE_FAILED', reason: 'in use' }),
    };
    await expect(removed(failing)).rejects.toThrow('could not delete Cloakroom-Monitoring: in use');
  });
});

describe('a removal that was interrupted', () => {
  it.each(
    MODES.flatMap((removes) => (['before', 'after'] as const).map((moment) => [removes, moment] as const)),
  )('at any call ends as one that was not: %s, cut %s the call', async (removes, moment) => {
    const whole = aRemovalAccount(['Cloakroom']);
    const counted = cutAt(whole.account, Infinity, moment);
    await removed(counted.account, { removes });
    expect(counted.state.calls).toBeGreaterThan(60);
    for (let at = 1; at <= counted.state.calls; at += 1) {
      const { account, left } = aRemovalAccount(['Cloakroom']);
      await expect(removed(cutAt(account, at, moment).account, { removes })).rejects.toThrow(Cut);
      await removed(account, { removes });
      expect(left('Cloakroom')).toEqual(whole.left('Cloakroom'));
    }
  });
});

describe('every removal', () => {
  /** Names that begin others, end in words of ours, or are cut. */
  const name = fc.oneof(
    fc.constantFrom(
      ...[
        'Cloakroom',
        'Cloakroom-2',
        'Cloakroom2',
        'Cloakroom-Api',
        'Cloakroom-Api-Api',
        'Cloakroom-reactor',
      ],
      ...['Cloakroom-reactor-x', 'Cloakroom-Tokens', 'Cloakroom-Reactors', 'Cloakroom-Data', 'C', 'Cl'],
      ...[`${'y'.repeat(30)}-1`, `${'y'.repeat(30)}-2`, 'y'.repeat(23), 'y'.repeat(24)],
    ),
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,39}$/),
  );

  it('changes nothing of another deployment, and nothing that it did not print', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { minLength: 2, maxLength: 6 }),
        fc.constantFrom(...MODES),
        fc.boolean(),
        async (services, removes, isExpired) => {
          const { account, changes, left } = aRemovalAccount(services);
          const [service = '', ...others] = services;
          const before = others.map(left);
          const { said } = await removed(account, { service, removes }, { now: isExpired ? LATER : NOW });
          expect(others.map(left)).toEqual(before);
          const [plan = ''] = said.split('\nIn total ');
          for (const change of changes) expect(plan.split(/\s+/)).toContain(change.split(' ')[1]);
          if (removes === 'all' && isExpired) expect(left(service)).toEqual([]);
        },
      ),
      { numRuns: cases(100) },
    );
  });
});
