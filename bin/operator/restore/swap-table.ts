import {
  CreateBackupCommand,
  DeleteBackupCommand,
  DescribeBackupCommand,
  ListBackupsCommand,
  RestoreTableFromBackupCommand,
  type ListBackupsCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { until, whenPossible, type RestoreDeps } from './restore-deps.ts';
import type { TableState } from './restore-state.ts';
import { describeTable, dropTable, isNamed, requireDefinition, unlessDone } from './tables.ts';

const summary = z.object({ BackupArn: z.string(), BackupName: z.string() });
const described = z.object({
  BackupDescription: z.object({ BackupDetails: z.object({ BackupStatus: z.string() }) }),
});

/** The backups of a copy that a restore made. */
async function backupsOf({ dynamodb }: RestoreDeps, copy: string): Promise<readonly string[]> {
  const arns: string[] = [];
  let ExclusiveStartBackupArn: string | undefined;
  do {
    const page: ListBackupsCommandOutput = await dynamodb.send(
      new ListBackupsCommand({ TableName: copy, ExclusiveStartBackupArn }),
    );
    for (const each of page.BackupSummaries ?? []) {
      const { BackupArn, BackupName } = summary.parse(each);
      if (BackupName === copy) arns.push(BackupArn);
    }
    ExclusiveStartBackupArn = page.LastEvaluatedBackupArn;
  } while (ExclusiveStartBackupArn !== undefined);
  return arns;
}

async function isAvailable({ dynamodb }: RestoreDeps, arn: string): Promise<boolean> {
  const response = await dynamodb.send(new DescribeBackupCommand({ BackupArn: arn }));
  return described.parse(response).BackupDescription.BackupDetails.BackupStatus === 'AVAILABLE';
}

/** AWS refuses a backup of a new table, and of one with another backup under way, for a while. */
const NOT_YET = ['ContinuousBackupsUnavailableException', 'TableInUseException', 'LimitExceededException'];

/** Makes a backup of a copy that has its final content, or finds the backup of an earlier run. */
export async function backUp(deps: RestoreDeps, { copy }: TableState): Promise<string> {
  const [found] = await backupsOf(deps, copy);
  let arn = found;
  if (arn === undefined) {
    const command = new CreateBackupCommand({ TableName: copy, BackupName: copy });
    const { BackupDetails } = await whenPossible(deps, NOT_YET, () => deps.dynamodb.send(command));
    arn = summary.parse(BackupDetails).BackupArn;
  }
  const made = arn;
  await until(deps, () => isAvailable(deps, made));
  return made;
}

/**
 * Replaces a table by the backup of its copy, unless that is done. The table is deleted only while
 * the backup exists and has the same definition.
 */
export async function swapTable(deps: RestoreDeps, table: TableState, arn: string): Promise<void> {
  const { name, copy, definition } = table;
  const isSuccessor = async () => (await describeTable(deps, name))?.RestoreSummary?.SourceBackupArn === arn;
  if (await isSuccessor()) return;
  await requireDefinition(deps, copy, definition);
  if (!(await isAvailable(deps, arn))) throw new Error(`the backup of ${copy} is not available`);
  await dropTable(deps, name);
  const command = new RestoreTableFromBackupCommand({ TargetTableName: name, BackupArn: arn });
  const busy = ['LimitExceededException', 'BackupInUseException'];
  await whenPossible(deps, busy, () => unlessDone(() => deps.dynamodb.send(command)));
  if (!(await isSuccessor())) throw new Error(`${name} exists, but not from the backup of ${copy}`);
}

/** Deletes the copy and its backups. Resolves with what was deleted. */
export async function removeCopy(deps: RestoreDeps, { copy }: TableState): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const arn of await backupsOf(deps, copy)) {
    const command = new DeleteBackupCommand({ BackupArn: arn });
    await whenPossible(deps, ['BackupInUseException', 'LimitExceededException'], async () => {
      try {
        await deps.dynamodb.send(command);
      } catch (error) {
        if (!isNamed(error, 'BackupNotFoundException')) throw error;
      }
    });
    removed.push(arn);
  }
  if ((await describeTable(deps, copy)) !== undefined) {
    await dropTable(deps, copy);
    removed.push(copy);
  }
  return removed;
}
