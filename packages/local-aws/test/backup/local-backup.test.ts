import type { LocalAccount } from '../../src/assembly/local-service.ts';
import type { AwsCall, AwsService } from '../../src/aws-service.ts';
import { createLocalBackup } from '../../src/backup/local-backup.ts';
import { aDynamoDb, aThing, s } from '../dynamodb/a-dynamodb.ts';

const VAULT = 'App-vault';
const ROLE = 'arn:aws:iam::000000000000:role/Backup';
const DAY_SECONDS = 86_400;

async function anAccount() {
  const { service: dynamoDb, send } = await aDynamoDb();
  await send('PutItem', { TableName: 'Things', Item: aThing('a', '1', { group: s('g') }) });
  const lines: string[] = [];
  let now = Date.UTC(2027, 0);
  const account = {
    accountId: '000000000000',
    region: 'us-east-1',
    clock: { now: () => now },
    logs: { line: (_file: string, line: string) => lines.push(line) },
  } as unknown as LocalAccount;
  const backup = createLocalBackup(account, () => dynamoDb);
  const define = (type: string, ref: string, properties: object) =>
    backup.resources?.[type]?.start({
      stackName: 'App',
      logicalId: ref,
      identity: { ref, attributes: {} },
      properties,
      assets: new Map(),
    });
  define('AWS::Backup::BackupVault', VAULT, { BackupVaultName: VAULT });
  define('AWS::Backup::BackupPlan', 'plan', {
    BackupPlan: {
      BackupPlanName: 'daily',
      BackupPlanRule: [
        {
          RuleName: 'Daily',
          TargetBackupVault: VAULT,
          ScheduleExpression: 'cron(0 3 * * ? *)',
          Lifecycle: { DeleteAfterDays: 2 },
          CopyActions: [{ DestinationBackupVaultArn: 'arn:elsewhere' }],
        },
      ],
    },
  });
  define('AWS::Backup::BackupSelection', 'tables', {
    BackupPlanId: 'plan',
    BackupSelection: { SelectionName: 'Tables', IamRoleArn: ROLE, Resources: [dynamoDb.tableArn('Things')] },
  });
  const service = (await backup.deploy?.({ stacks: [], removers: {} })) as AwsService;
  const call = async (method: string, path: string, body: object = {}) => {
    const response = await service.handle({
      method,
      path,
      body: Buffer.from(JSON.stringify(body)),
    } as unknown as AwsCall);
    return JSON.parse(String(response.body)) as Record<string, unknown>;
  };
  const points = async () => {
    const { RecoveryPoints } = await call('GET', `/backup-vaults/${VAULT}/recovery-points/`);
    return RecoveryPoints as readonly { readonly RecoveryPointArn: string; readonly ResourceArn: string }[];
  };
  const passDay = async (minutes: number) => {
    now += DAY_SECONDS * 1_000;
    const before = lines.length;
    backup.passMinutes(minutes - 1_440, minutes);
    while (lines.length === before) await new Promise(setImmediate);
  };
  return { dynamoDb, send, call, points, passDay, lines };
}

it('a plan makes a backup a day, which is deleted after its days, and no copy elsewhere', async () => {
  const { points, passDay, lines, dynamoDb, send } = await anAccount();
  await passDay(1_440);
  expect(lines).toEqual(['plan: 1 backups in App-vault, and no copy to arn:elsewhere']);
  expect((await points()).map(({ ResourceArn }) => ResourceArn)).toEqual([dynamoDb.tableArn('Things')]);
  await passDay(2_880);
  await passDay(4_320);
  expect(await points()).toHaveLength(2);
  // DynamoDB does not list backups of a vault.
  expect(await send('ListBackups', { TableName: 'Things' })).toEqual({ BackupSummaries: [] });
});

it('a recovery point is restored once for a token, with the key that the job names', async () => {
  const { call, send, passDay, points } = await anAccount();
  await passDay(1_440);
  const arn = (await points())[0]?.RecoveryPointArn ?? '';
  const found = await call('GET', `/backup-vaults/${VAULT}/recovery-points/${encodeURIComponent(arn)}`);
  expect(found).toMatchObject({ RecoveryPointArn: arn, Status: 'COMPLETED' });
  const job = (targetTableName: string, IdempotencyToken: string) => ({
    RecoveryPointArn: arn,
    IamRoleArn: ROLE,
    IdempotencyToken,
    Metadata: { targetTableName, encryptionType: 'KMS', kmsMasterKeyArn: 'arn:key' },
  });
  const first = await call('PUT', '/restore-jobs', job('Restored', 'a'));
  expect(await call('PUT', '/restore-jobs', job('Restored', 'a'))).toEqual(first);
  const stateOf = (started: Record<string, unknown>) =>
    call('GET', `/restore-jobs/${String(started['RestoreJobId'])}`);
  expect(await stateOf(first)).toMatchObject({ Status: 'COMPLETED' });
  expect((await send('Scan', { TableName: 'Restored' })).Count).toBe(1);
  expect((await send('DescribeTable', { TableName: 'Restored' })).Table).toMatchObject({
    SSEDescription: { KMSMasterKeyArn: 'arn:key' },
    RestoreSummary: { SourceBackupArn: arn },
  });
  expect(await stateOf(await call('PUT', '/restore-jobs', job('Restored', 'b')))).toMatchObject({
    Status: 'FAILED',
    StatusMessage: expect.stringContaining('already exists') as unknown,
  });
});
