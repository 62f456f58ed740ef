// The copies of the tables in a vault elsewhere, and what leaves tables out of others' copies.
import { requireElsewhere } from '../../lib/settings.ts';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import { BACKUP, synthesized } from '../support/synthesized.ts';

const off = synthesized({}, 'eu-west-1');
const on = synthesized(BACKUP, 'eu-west-1');

const resources = (stacks: readonly Stack[], type: string) =>
  stacks.flatMap(({ template }) => Object.values(template.Resources)).filter(({ Type }) => Type === type);

const TABLES = ['Tokens', 'Access', 'Reactors', 'Audit', 'AuditIndex', 'AuditSeals'];

describe('a backup', () => {
  it('is of all tables but Ephemeral, by their names', () => {
    const [selection] = resources(on, 'AWS::Backup::BackupSelection');
    const text = JSON.stringify(selection?.Properties);
    expect([...text.matchAll(/table\/Cloakroom-(\w+)/g)].map(([, name]) => name)).toEqual(TABLES);
  });

  it('is made once a day, copied for as long as the setting says, and stays two days', () => {
    const [plan] = resources(on, 'AWS::Backup::BackupPlan');
    expect(plan?.Properties['BackupPlan']).toMatchObject({
      BackupPlanRule: [
        {
          ScheduleExpression: 'cron(0 3 * * ? *)',
          Lifecycle: { DeleteAfterDays: 2 },
          CopyActions: [
            { DestinationBackupVaultArn: BACKUP.backupCopyTo, Lifecycle: { DeleteAfterDays: 90 } },
          ],
        },
      ],
    });
  });

  it('has a stack of its own, which changes no other one but the alarms', () => {
    const named = (stacks: readonly Stack[]) => stacks.map(({ name }) => name);
    expect(named(on).filter((name) => !named(off).includes(name))).toEqual(['Cloakroom-Backup']);
    const others = (stacks: readonly Stack[]) =>
      stacks.filter(({ name }) => !/-(?:Backup|Monitoring)$/.test(name));
    expect(others(on)).toEqual(others(off));
  });

  it('must go to another Region or account', () => {
    const vault = (place: string) => ({ backupCopyTo: `arn:aws:backup:${place}:backup-vault:copies` });
    const here = { region: 'eu-west-1', account: '111122223333' };
    expect(() => {
      requireElsewhere(vault('eu-west-1:111122223333'), here);
    }).toThrow('another Region or account');
    requireElsewhere(vault('eu-west-1:444455556666'), here);
    requireElsewhere(vault('eu-west-2:111122223333'), here);
    requireElsewhere({ backupCopyTo: '' }, here);
    expect(() => synthesized({ backup: 'daily' })).toThrow('setting backupCopyTo is needed with a backup');
  });
});

it('each table says whether copies of it may exist, with a backup or without', () => {
  for (const stacks of [off, on]) {
    const tags = resources(stacks, 'AWS::DynamoDB::Table').map(({ Properties }) => [
      String(Properties['TableName']).replace('Cloakroom-', ''),
      (Properties['Tags'] as { Key: string; Value: string }[]).find(({ Key }) => Key === 'cloakroom:backup')
        ?.Value,
    ]);
    expect(Object.fromEntries(tags)).toEqual({
      ...Object.fromEntries(TABLES.map((name) => [name, 'daily'])),
      Ephemeral: 'never',
    });
  }
});
