import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RemovalAccount, Stack } from '../../../../bin/operator/removal/removal-account.ts';
import { removeDeployment, type RemovalOptions } from '../../../../bin/operator/removal/remove-deployment.ts';
import { cases, fc } from '../../../../packages/test-kit/src/properties.ts';
import { aRemovalAccount, Cut, cutAt, keyArnOf, keyIdOf, LATER, NOW } from './a-removal-account.ts';

const MODES = ['all', 'data'] as const;
const folder = mkdtempSync(join(tmpdir(), 'cloakroom-removal-'));
const mapping = join(folder, 'mapping.json');
/** A copy of the ids in lib/data-stack.ts, so that a change there fails here. */
const MAPPING = {
  Key961B73FD: { KeyId: keyArnOf('Cloakroom').slice('arn:key/'.length) },
  Tokens1180AAEA: { TableName: 'Cloakroom-Tokens' },
  Ephemeral62C09283: { TableName: 'Cloakroom-Ephemeral' },
  Access9901B1FF: { TableName: 'Cloakroom-Access' },
  Reactors98A0C40F: { TableName: 'Cloakroom-Reactors' },
  Audit3D8ADE0A: { TableName: 'Cloakroom-Audit' },
  AuditIndexFD1561BE: { TableName: 'Cloakroom-AuditIndex' },
  AuditSealsDFB09333: { TableName: 'Cloakroom-AuditSeals' },
  SealKey94782D95: { KeyId: keyIdOf('Cloakroom', 'SealKey') },
};

async function removed(
  account: RemovalAccount,
  options: Partial<RemovalOptions> = {},
  { now = NOW, ask }: { readonly now?: Date; readonly ask?: () => Promise<string> } = {},
) {
  const said: string[] = [];
  const { service = 'Cloakroom' } = options;
  const result = await removeDeployment(
    {
      account: new Proxy(account, {
        get: (target, name) =>
          name === 'now' ? () => target.now().then(() => now) : (Reflect.get(target, name) as unknown),
      }),
      pause: () => Promise.resolve(),
      say: (line) => said.push(line),
      ...(ask !== undefined && { ask }),
    },
    { service, removes: 'all', isDryRun: false, ...(ask === undefined && { confirm: service }), ...options },
  );
  return { result, said: said.join('\n') };
}

/** Returns the kinds of what a mode leaves. */
const kindsLeft = (left: readonly string[]): readonly string[] => [
  ...new Set(left.map((each) => each.split(' ')[0] ?? '')),
];

describe('a removal', () => {
  it('a removal of all but the trail leaves its tables, their backups, and the keys', async () => {
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

  it('a removal after the last record has expired leaves nothing', async () => {
    const { account, left } = aRemovalAccount(['Cloakroom']);
    await removed(account);
    await removed(account, {}, { now: LATER });
    expect(left('Cloakroom')).toEqual([]);
  });

  it('a removal of all but the data leaves what a deployment adopts, and names it for cdk import', async () => {
    const { account, left } = aRemovalAccount(['Cloakroom']);
    await removed(account, { removes: 'data', mapping });
    expect(kindsLeft(left('Cloakroom')).toSorted()).toEqual(['backup', 'key', 'logs', 'table']);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual(MAPPING);
  });

  it('a removal of all but the data writes the mapping also without stacks', async () => {
    const { account } = aRemovalAccount(['Cloakroom']);
    const file = join(folder, 'without-stacks.json');
    const without: RemovalAccount = { ...account, stack: () => Promise.resolve(undefined) };
    await removed(without, { removes: 'data', mapping: file });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(MAPPING);
    const again = join(folder, 'again.json');
    await removed(without, { removes: 'data', mapping: again });
    expect(JSON.parse(readFileSync(again, 'utf8'))).toEqual(MAPPING);
  });

  it('prints the dollars of what it deletes and of what stays', async () => {
    const { account } = aRemovalAccount(['Cloakroom']);
    const { said } = await removed(account, { isDryRun: true });
    // The tables have a gigabyte and recovery. Their classes differ.
    expect(said).toMatch(/table +Cloakroom-Tokens +0\.45 /);
    expect(said).toMatch(/table +Cloakroom-Audit +0\.30 /);
    expect(said).toMatch(/function +Cloakroom-reactor-[\da-f]{32} +5\.48 /);
    // Three tables, a backup and two keys remain.
    expect(said).toMatch(/a month now, 3\.00 afterwards$/);
  });

  it('that runs dry changes nothing', async () => {
    const { account, changes } = aRemovalAccount(['Cloakroom']);
    await removed(account, { isDryRun: true });
    expect(changes).toEqual([]);
  });

  it('a removal of a deployment that changes after the plan deletes nothing', async () => {
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
        if (place.name === 'Cloakroom-Edge') addReactor('Cloakroom');
        await account.deleteStack(place);
      },
    };
    await expect(removed(during)).rejects.toThrow(/^made during the removal: function Cloakroom-reactor-/);
    await removed(account);
  });

  it('a removal of the trail asks a second time, at a terminal', async () => {
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
    await expect(removed(failing)).rejects.toThrow('could not delete Cloakroom-Console-eu-west-1: in use');
  });
});

describe('a removal leaves alone what only has a name of the deployment:', () => {
  const isRefused = async (change: Partial<Stack>, message: string) => {
    const { account, changes } = aRemovalAccount(['Cloakroom']);
    const changed: RemovalAccount = {
      ...account,
      stack: async (place) => {
        const stack = await account.stack(place);
        return stack !== undefined && stack !== 'denied' && place.name === 'Cloakroom-Monitoring'
          ? { ...stack, ...change }
          : stack;
      },
    };
    await expect(removed(changed)).rejects.toThrow(message);
    expect(changes).toEqual([]);
  };

  it('a stack of another description ends the command, before anything is deleted', () =>
    isRefused({ description: 'Monitoring of prod' }, 'Cloakroom-Monitoring is the stack of another product'));

  it('a stack with termination protection does, too', () =>
    isRefused({ isProtected: true }, 'Cloakroom-Monitoring has termination protection'));

  it.each(['all', 'data'] as const)('a table with neither tag nor key: %s', async (removes) => {
    const { account, left } = aRemovalAccount(['Cloakroom']);
    const changed: RemovalAccount = {
      ...account,
      table: async (name) => {
        const table = await account.table(name);
        return table && name === 'Cloakroom-Tokens' ? { ...table, tags: {}, keyArn: 'arn:key/other' } : table;
      },
    };
    const result = removed(changed, { removes, ...(removes === 'data' && { mapping }) });
    if (removes === 'data')
      await expect(result).rejects.toThrow('is certain to be that of Tokens1180AAEA, so no new deployment');
    else expect((await result).said).toContain('the table Cloakroom-Tokens, which lacks the tag');
    expect(left('Cloakroom')).toContain('table Cloakroom-Tokens');
    expect(left('Cloakroom')).toContain('backup arn:Cloakroom-Tokens/backup/1');
  });

  it('but not a table that a restore made, which has the key and no tags', async () => {
    const { account, left } = aRemovalAccount(['Cloakroom']);
    const table: RemovalAccount['table'] = async (name) => {
      const found = await account.table(name);
      return found && { ...found, tags: {} };
    };
    await removed({ ...account, table }, {}, { now: LATER });
    expect(left('Cloakroom')).toEqual([]);
  });

  it('logs that no key of the deployment encrypts', async () => {
    const { account, left } = aRemovalAccount(['Cloakroom']);
    const logGroups: RemovalAccount['logGroups'] = async (prefix) =>
      (await account.logGroups(prefix)).map((group) => ({ ...group, keyArn: undefined }));
    const { said } = await removed({ ...account, logGroups }, {}, { now: LATER });
    expect(said).toContain('the log group Cloakroom-Api-AccessLog');
    expect(kindsLeft(left('Cloakroom'))).toEqual(['logs']);
  });
});

describe('a trail without its records stays', () => {
  const trail = (left: readonly string[]) => left.filter((each) => /^(?:key|table .*AuditIndex)/.test(each));

  it('a trail without its records stays until the newest seal with records says that they have expired', async () => {
    const { account, left, drop } = aRemovalAccount(['Cloakroom']);
    drop('Cloakroom-Audit');
    await removed(account);
    expect(trail(left('Cloakroom'))).toHaveLength(3);
    await removed(account, {}, { now: LATER });
    expect(trail(left('Cloakroom'))).toEqual([]);
  });

  it('a trail without records and seals stays until the backup that AWS made has ended', async () => {
    const { account, left, drop } = aRemovalAccount(['Cloakroom']);
    for (const name of ['Audit', 'AuditSeals']) drop(`Cloakroom-${name}`);
    const backup = { arn: 'arn:system', tableName: 'Cloakroom-Audit', bytes: 1, expiresAt: LATER };
    const changed: RemovalAccount = {
      ...account,
      backups: (name) => Promise.resolve(name === 'Cloakroom-Audit' ? [backup] : []),
    };
    await removed(changed);
    expect(trail(left('Cloakroom'))).toHaveLength(3);
    await removed(changed, {}, { now: LATER });
    expect(trail(left('Cloakroom'))).toEqual([]);
  });
});

describe('the Region of the edge', () => {
  const looking = (account: RemovalAccount, answer?: 'denied') => {
    const asked: string[] = [];
    const stack: RemovalAccount['stack'] = (place) => {
      if (place.region === undefined) return account.stack(place);
      asked.push(`${place.name} in ${place.region}`);
      return answer === undefined ? account.stack(place) : Promise.resolve(answer);
    };
    return { account: { ...account, stack }, asked };
  };

  it('is asked for console and card fields alone without an edge, since no other stack refers to them', async () => {
    const { account } = aRemovalAccount(['Cloakroom']);
    const { account: looked, asked } = looking({
      ...account,
      stack: async (place) => {
        if (place.name.endsWith('-Edge')) return undefined;
        const stack = await account.stack(place);
        return stack === undefined || stack === 'denied' ? stack : { ...stack, template: {} };
      },
    });
    const { said } = await removed(looked, { isDryRun: true });
    const sites = ['Cloakroom-Console-eu-west-1', 'Cloakroom-Fields-eu-west-1'];
    expect(asked).toEqual(sites.map((name) => `${name} in us-east-1`));
    for (const name of sites) expect(said).toContain(name);
    expect(said).not.toContain('Cloakroom-Firewall-eu-west-1');
  });

  it('is asked once the stack of the edge is gone, for that of the firewall', async () => {
    const { account } = aRemovalAccount(['Cloakroom']);
    const { account: looked, asked } = looking({
      ...account,
      stack: (place) => (place.name.endsWith('-Edge') ? Promise.resolve(undefined) : account.stack(place)),
    });
    const { said } = await removed(looked, { isDryRun: true });
    expect(asked).toContain('Cloakroom-Firewall-eu-west-1 in us-east-1');
    expect(said).toContain('Cloakroom-Firewall-eu-west-1');
  });

  it('that may not be asked is a note', async () => {
    const { account } = aRemovalAccount(['Cloakroom']);
    const { said } = await removed(looking(account, 'denied').account, { isDryRun: true });
    for (const id of ['Firewall', 'Console', 'Fields'])
      expect(said).toContain(`the stack Cloakroom-${id}-eu-west-1 in us-east-1, which you may not look at`);
  });
});

describe('a removal that was interrupted', () => {
  it.each(
    MODES.flatMap((removes) => (['before', 'after'] as const).map((moment) => [removes, moment] as const)),
  )(
    'a removal that was interrupted at any call ends as one that was not: %s, cut %s the call',
    async (removes, moment) => {
      const whole = aRemovalAccount(['Cloakroom']);
      const counted = cutAt(whole.account, Infinity, moment);
      await removed(counted.account, { removes });
      expect(counted.state.calls).toBeGreaterThan(60);
      for (let at = 1; at <= counted.state.calls; at += 1) {
        const { account, left } = aRemovalAccount(['Cloakroom']);
        const file = join(folder, `${moment}-${String(at)}.json`);
        const options = { removes, ...(removes === 'data' && { mapping: file }) };
        await expect(removed(cutAt(account, at, moment).account, options)).rejects.toThrow(Cut);
        await removed(account, options);
        if (removes === 'data') expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(MAPPING);
        expect(left('Cloakroom')).toEqual(whole.left('Cloakroom'));
      }
    },
  );
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
