// The calls of AWS Backup and CloudFormation that a restore makes, over the AWS endpoint.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { awsBackupAccount } from '../../../../bin/operator/restore/backup-account.ts';
import { startAwsEndpoint } from '../../../../packages/local-aws/src/aws-endpoint/start-aws-endpoint.ts';
import { createBackup } from '../../../../packages/local-aws/src/backup/create-backup.ts';
import { createRecoveryPoints } from '../../../../packages/local-aws/src/backup/recovery-points.ts';
import { createCloudFormation } from '../../../../packages/local-aws/src/cloudformation/create-cloudformation.ts';
import type { DeployedStack } from '../../../../packages/local-aws/src/assembly/deployed-stack.ts';
import { aDynamoDb } from '../../../../packages/local-aws/test/dynamodb/a-dynamodb.ts';

const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' };
const ROLE = 'arn:aws:iam::123456789012:role/restore';
const stack = {
  name: 'Vault-3-Backup',
  id: 'arn:aws:cloudformation:eu-west-1:123456789012:stack/Vault-3-Backup/local',
  template: { Resources: {}, Outputs: {} },
  resources: [],
  outputs: new Map([
    ['BackupVaultName', 'Vault-3-1a2b'],
    ['RestoreRoleArn', ROLE],
  ]),
} as unknown as DeployedStack;

async function anAccount() {
  const { service: dynamodb, send } = await aDynamoDb();
  const points = createRecoveryPoints(dynamodb, { ...ACCOUNT, now: () => 0 });
  const endpoint = await startAwsEndpoint({
    ...ACCOUNT,
    services: [
      dynamodb,
      createBackup({ ...ACCOUNT, points, vaults: new Set(['Vault-3-1a2b']) }),
      createCloudFormation({ stacks: [stack], removers: {} }),
    ],
    issuedKey: () => ({ owner: 'administrator', secretAccessKey: 'secret' }),
  });
  const settings = {
    endpoint: endpoint.url,
    region: ACCOUNT.region,
    credentials: { accessKeyId: 'KEY', secretAccessKey: 'secret' },
  };
  const client = new DynamoDBClient(settings);
  const backups = awsBackupAccount(settings, client, () => Promise.resolve());
  const close = async () => {
    client.destroy();
    await endpoint.close();
    await dynamodb.close();
  };
  return { backups, points, dynamodb, send, close };
}

it('finds the vault, describes a recovery point, and restores it with the key of the tables', async () => {
  const { backups, points, dynamodb, send, close } = await anAccount();
  const { arn } = await points.create('Vault-3-1a2b', dynamodb.tableArn('Things'), 2);
  const place = await backups.place('Vault-3-Access');
  expect(place).toEqual({ vault: 'Vault-3-1a2b', roleArn: ROLE });
  expect(await backups.point(place.vault, arn)).toMatchObject({
    arn,
    tableArn: dynamodb.tableArn('Things'),
    isComplete: true,
  });
  const wanted = { point: arn, tableName: 'Things-at-then', keyArn: 'arn:key', roleArn: ROLE };
  const id = await backups.start(wanted);
  expect(await backups.start(wanted)).toBe(id);
  expect(await backups.job(id)).toEqual({ state: 'done' });
  expect((await send('DescribeTable', { TableName: 'Things-at-then' })).Table).toMatchObject({
    SSEDescription: { KMSMasterKeyArn: 'arn:key' },
  });
  await close();
});

it('says which stack is missing, and which recovery point', async () => {
  const { backups, close } = await anAccount();
  await expect(backups.place('Shop-Access')).rejects.toThrow(
    'the stack Shop-Backup with the vault is missing: deploy with the setting backup',
  );
  const arn = 'arn:aws:backup:eu-west-1:123456789012:recovery-point:none';
  await expect(backups.point('Vault-3-1a2b', arn)).rejects.toThrow(
    `${arn} is no recovery point of the vault`,
  );
  await close();
});
