import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aDynamoDb, aThing, n, s, things } from './a-dynamodb.ts';

const RECOVERY = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
const arnOf = (response: object): string =>
  (response as { readonly BackupDetails: { readonly BackupArn: string } }).BackupDetails.BackupArn;

describe('a table that is replaced with a restored one', () => {
  it('has the items and indexes of that time, and no settings that a restore omits', async () => {
    const { service, send } = await aDynamoDb();
    const before = aThing('a', '1', { group: s('g'), gone_at: n(1) });
    await send('PutItem', { TableName: 'Things', Item: before });
    const BackupArn = arnOf(await send('CreateBackup', { TableName: 'Things', BackupName: 'then' }));
    await send('PutItem', { TableName: 'Things', Item: aThing('b', '1', { group: s('g') }) });
    await send('UpdateTable', { TableName: 'Things', DeletionProtectionEnabled: true });
    await send('UpdateContinuousBackups', { TableName: 'Things', ...RECOVERY });
    await send('UpdateTable', { TableName: 'Things', DeletionProtectionEnabled: false });
    await send('DeleteTable', { TableName: 'Things' });
    await send('RestoreTableFromBackup', { TargetTableName: 'Things', BackupArn });

    const inIndex = await send('Query', {
      TableName: 'Things',
      IndexName: 'by-group',
      KeyConditionExpression: '#group = :group',
      ExpressionAttributeNames: { '#group': 'group' },
      ExpressionAttributeValues: { ':group': s('g') },
    });
    expect(inIndex.Items?.map(({ pk }) => pk)).toEqual([s('a')]);
    expect((await send('Scan', { TableName: 'Things' })).Items).toEqual([before]);
    expect((await send('DescribeTable', { TableName: 'Things' })).Table).toMatchObject({
      DeletionProtectionEnabled: false,
    });
    expect(await send('DescribeContinuousBackups', { TableName: 'Things' })).toMatchObject({
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'DISABLED' },
      },
    });
    expect(await service.expireItems(100)).toBe(0);
    await send('DeleteBackup', { BackupArn });
  });

  it('exists after a restart', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cloakroom-test-'));
    const first = await aDynamoDb(folder);
    await first.send('PutItem', { TableName: 'Things', Item: aThing('a', '1') });
    await first.send('UpdateContinuousBackups', { TableName: 'Things', ...RECOVERY });
    const target = { SourceTableName: 'Things', TargetTableName: 'Restored', UseLatestRestorableTime: true };
    await first.send('RestoreTableToPointInTime', target);
    await first.service.close();
    const second = await aDynamoDb(folder);
    expect((await second.send('Scan', { TableName: 'Restored' })).Count).toBe(1);
    await second.service.close();
  });
});

it('a table is restored to the time before a deletion, a change and a creation, its indexes too', async () => {
  // The clock of the account dates the creation of the table too, not that of the machine.
  let now = Date.UTC(2020);
  const { service, send } = await aDynamoDb(undefined, undefined, () => now);
  await send('UpdateContinuousBackups', { TableName: 'Things', ...RECOVERY });
  const deleted = aThing('a', '1', { group: s('g') });
  const changed = aThing('b', '1', { group: s('g') });
  for (const Item of [deleted, changed]) await send('PutItem', { TableName: 'Things', Item });
  const then = now / 1_000;
  expect(await send('DescribeContinuousBackups', { TableName: 'Things' })).toMatchObject({
    ContinuousBackupsDescription: {
      PointInTimeRecoveryDescription: { LatestRestorableDateTime: then },
    },
  });
  now += 1;
  await send('DeleteItem', { TableName: 'Things', Key: { pk: s('a'), sk: s('1') } });
  for (const group of ['h', 'i'])
    await send('PutItem', { TableName: 'Things', Item: { ...changed, group: s(group) } });
  await send('PutItem', { TableName: 'Things', Item: aThing('c', '1', { group: s('g') }) });
  const target = { SourceTableName: 'Things', TargetTableName: 'Then', RestoreDateTime: then };
  await send('RestoreTableToPointInTime', target);
  const names = async (request: object) =>
    ((await send('Query', { TableName: 'Then', ...request })).Items ?? []).map(({ pk }) => pk);
  const inIndex = {
    IndexName: 'by-group',
    KeyConditionExpression: '#g = :g',
    ExpressionAttributeNames: { '#g': 'group' },
    ExpressionAttributeValues: { ':g': s('g') },
  };
  expect((await send('Scan', { TableName: 'Then' })).Items).toEqual(
    expect.arrayContaining([deleted, changed]),
  );
  expect((await send('Scan', { TableName: 'Then' })).Count).toBe(2);
  expect(await names(inIndex)).toEqual([s('a'), s('b')]);
  await service.close();
});

describe('a call is rejected', () => {
  it('that deletes a protected table, restores over a table, to a time without a backup, or from a missing table', async () => {
    const { send, failureOf } = await aDynamoDb();
    await send('UpdateTable', { TableName: 'Things', DeletionProtectionEnabled: true });
    expect((await failureOf('DeleteTable', { TableName: 'Things' })).code).toBe('ValidationException');
    const target = { SourceTableName: 'Things', TargetTableName: 'Restored', UseLatestRestorableTime: true };
    expect((await failureOf('RestoreTableToPointInTime', target)).code).toBe(
      'PointInTimeRecoveryUnavailableException',
    );
    await send('UpdateContinuousBackups', { TableName: 'Things', ...RECOVERY });
    await send('RestoreTableToPointInTime', target);
    expect((await failureOf('RestoreTableToPointInTime', target)).code).toBe('ResourceInUseException');
    const past = { SourceTableName: 'Things', TargetTableName: 'Past', RestoreDateTime: 1 };
    expect((await failureOf('RestoreTableToPointInTime', past)).code).toBe('InvalidRestoreTimeException');
    const BackupArn = `arn:aws:dynamodb:eu-west-1:123456789012:table/${things.name}/backup/none`;
    expect((await failureOf('RestoreTableFromBackup', { TargetTableName: 'X', BackupArn })).code).toBe(
      'BackupNotFoundException',
    );
  });
});
