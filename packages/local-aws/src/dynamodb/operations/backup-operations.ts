import { z } from 'zod';
import { AwsError } from '../../aws-service.ts';
import type { Backup, Backups } from '../backups.ts';
import type { History } from '../history.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { parseWith } from '../requests.ts';
import type { Table } from '../table.ts';
import { aboutTable, presentTable, tableName } from './describe-table.ts';

const newBackup = z.strictObject({ TableName: tableName, BackupName: z.string().min(3).max(255) });
const oneBackup = z.strictObject({ BackupArn: z.string() });
const fromBackup = z.strictObject({ TargetTableName: tableName, BackupArn: z.string() });
const fromTable = z.strictObject({
  SourceTableName: tableName,
  TargetTableName: tableName,
  UseLatestRestorableTime: z.boolean().default(false),
  RestoreDateTime: z.number().optional(),
});
const recovery = z.strictObject({
  TableName: tableName,
  PointInTimeRecoverySpecification: z.strictObject({ PointInTimeRecoveryEnabled: z.boolean() }),
});
const oneTable = z.strictObject({ TableName: tableName });
// A deleted table leaves no backup of AWS here: both types are those by request.
const listed = oneTable.extend({ BackupType: z.enum(['USER', 'ALL']).default('USER') });

const arnOf = ({ id, table }: Backup): string => `${table.description.TableArn}/backup/${id}`;

const details = (backup: Backup) => ({
  BackupArn: arnOf(backup),
  BackupName: backup.name,
  BackupStatus: 'AVAILABLE',
  BackupType: 'USER',
  BackupCreationDateTime: backup.createdAt / 1_000,
});

/** The calls about backups that a caller requests. */
function requestedBackupOperations(
  { tables }: OperationContext,
  backups: Backups,
): Readonly<Record<string, Operation>> {
  function found(arn: string): Backup {
    const backup = backups.find(arn.slice(arn.lastIndexOf('/') + 1));
    if (backup === undefined) throw new AwsError('BackupNotFoundException', 400, `Backup not found: ${arn}`);
    return backup;
  }

  return {
    CreateBackup: (body) => {
      const { TableName: name, BackupName } = parseWith(newBackup, body);
      return aboutTable(tables, 'CreateBackup', name, async () => ({
        BackupDetails: details(await backups.create(name, BackupName)),
      }));
    },
    DescribeBackup: (body) => {
      const { BackupArn } = parseWith(oneBackup, body);
      return {
        accesses: [{ action: 'dynamodb:DescribeBackup', resource: BackupArn }],
        perform: () => {
          const description = { BackupDetails: details(found(BackupArn)) };
          return Promise.resolve({ body: { BackupDescription: description }, consumedCapacity: 0 });
        },
      };
    },
    ListBackups: (body) => {
      const { TableName: name } = parseWith(listed, body);
      return {
        accesses: [{ action: 'dynamodb:ListBackups', resource: '*' }],
        perform: async () => {
          const summaries = (await backups.of(name)).map((backup) => ({
            ...details(backup),
            TableName: name,
          }));
          return { body: { BackupSummaries: summaries }, consumedCapacity: 0 };
        },
      };
    },
    DeleteBackup: (body) => {
      const { BackupArn } = parseWith(oneBackup, body);
      return {
        accesses: [{ action: 'dynamodb:DeleteBackup', resource: BackupArn }],
        perform: async () => {
          const backup = found(BackupArn);
          await backups.remove(backup.id);
          const description = { BackupDetails: { ...details(backup), BackupStatus: 'DELETED' } };
          return { body: { BackupDescription: description }, consumedCapacity: 0 };
        },
      };
    },
    RestoreTableFromBackup: (body) => {
      const { TargetTableName: name, BackupArn } = parseWith(fromBackup, body);
      return {
        accesses: [
          { action: 'dynamodb:RestoreTableFromBackup', resource: tables.arn(name) },
          { action: 'dynamodb:RestoreTableFromBackup', resource: BackupArn },
        ],
        perform: async () => {
          await backups.restore(found(BackupArn), BackupArn, name);
          return { body: { TableDescription: presentTable(tables.get(name)) }, consumedCapacity: 0 };
        },
      };
    },
  };
}

/** The calls about the recovery to a point in time. */
function recoveryOperations(
  { tables, now }: OperationContext,
  backups: Backups,
  history: History,
): Readonly<Record<string, Operation>> {
  /** The times to which a table can be restored, in ms since the epoch. */
  const rangeOf = ({ description }: Table) => ({
    earliest: Math.max(history.since(), description.CreationDateTime * 1_000),
    latest: now(),
  });

  const recoveryOf = (name: string) => {
    const table = tables.get(name);
    const isOn = table.hasPointInTimeRecovery;
    const { earliest, latest } = rangeOf(table);
    return {
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription:
          isOn === true
            ? {
                PointInTimeRecoveryStatus: 'ENABLED',
                EarliestRestorableDateTime: Math.min(earliest, latest) / 1_000,
                LatestRestorableDateTime: latest / 1_000,
              }
            : { PointInTimeRecoveryStatus: 'DISABLED' },
      },
    };
  };

  return {
    RestoreTableToPointInTime: (body) => {
      const {
        SourceTableName: source,
        TargetTableName: target,
        UseLatestRestorableTime: isLatest,
        RestoreDateTime: time = 0,
      } = parseWith(fromTable, body);
      const timeMs = Math.round(time * 1_000);
      return aboutTable(tables, 'RestoreTableToPointInTime', source, async () => {
        if (tables.get(source).hasPointInTimeRecovery !== true)
          throw new AwsError(
            'PointInTimeRecoveryUnavailableException',
            400,
            `Point in time recovery is not enabled for table '${source}'`,
          );
        const { earliest, latest } = rangeOf(tables.get(source));
        if (!isLatest && !(timeMs >= earliest && timeMs <= latest))
          throw new AwsError(
            'InvalidRestoreTimeException',
            400,
            `The table has no content of ${String(time)}`,
          );
        await backups.copy(source, target, isLatest ? Infinity : timeMs);
        return { TableDescription: presentTable(tables.get(target)) };
      });
    },
    DescribeContinuousBackups: (body) => {
      const { TableName: name } = parseWith(oneTable, body);
      return aboutTable(tables, 'DescribeContinuousBackups', name, () => recoveryOf(name));
    },
    UpdateContinuousBackups: (body) => {
      const { TableName: name, PointInTimeRecoverySpecification: wanted } = parseWith(recovery, body);
      return aboutTable(tables, 'UpdateContinuousBackups', name, async () => {
        await tables.change(name, { hasPointInTimeRecovery: wanted.PointInTimeRecoveryEnabled });
        return recoveryOf(name);
      });
    },
  };
}

/** Backups by request and recovery to a point in time. */
export function backupOperations(
  context: OperationContext,
  backups: Backups,
  history: History,
): Readonly<Record<string, Operation>> {
  return {
    ...requestedBackupOperations(context, backups),
    ...recoveryOperations(context, backups, history),
  };
}
