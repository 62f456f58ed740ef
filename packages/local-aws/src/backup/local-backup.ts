import { later, type LocalAccount, type LocalService } from '../assembly/local-service.ts';
import { definedIn } from '../assembly/resource-type.ts';
import type { DynamoDb } from '../dynamodb/create-dynamodb.ts';
import { errorMessage } from '../error-code.ts';
import { backupDefinitions, type BackupRule } from './backup-definitions.ts';
import { backupResources } from './backup-resources.ts';
import { createBackup } from './create-backup.ts';
import { createRecoveryPoints, type RecoveryPoints } from './recovery-points.ts';

export interface LocalBackup extends LocalService {
  /** Runs what is due in scheduled minutes, counted since the start. */
  passMinutes(before: number, after: number): void;
}

const MINUTE_MS = 60_000;
/** A plan runs again within so many minutes: a day and an hour. */
const LOOK_BACK_MINUTES = 25 * 60;

/** Whether a rule is due in one of these minutes; it runs once, however many passed. */
function isDueIn({ isDue }: BackupRule, start: number, before: number, after: number): boolean {
  for (let minute = Math.max(before + 1, after - LOOK_BACK_MINUTES); minute <= after; minute += 1)
    if (isDue(minute, new Date(start + minute * MINUTE_MS))) return true;
  return false;
}

export function createLocalBackup(account: LocalAccount, dynamoDb: () => DynamoDb): LocalBackup {
  const { clock, logs } = account;
  const definitions = backupDefinitions();
  const points = later<RecoveryPoints>('AWS Backup');
  const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

  async function run(before: number, after: number): Promise<void> {
    const now = points.get();
    await now.expire();
    for (const { id, rules, tableArns } of definitions.plans.values())
      for (const rule of rules) {
        if (!isDueIn(rule, start, before, after)) continue;
        for (const tableArn of tableArns) await now.create(rule.vault, tableArn, rule.deleteAfterDays);
        const elsewhere = rule.copiesTo.map((arn) => `, and no copy to ${arn}`).join('');
        logs.line('backup', `${id}: ${String(tableArns.length)} backups in ${rule.vault}${elsewhere}`);
      }
  }

  return {
    resources: definedIn(definitions, backupResources),
    removers: {
      'AWS::Backup::BackupPlan': ({ identity }) => {
        definitions.plans.delete(identity.ref);
      },
    },
    deploy: () => {
      const { accountId, region } = account;
      const settings = { accountId, region, now: () => clock.now() };
      const made = points.set(createRecoveryPoints(dynamoDb(), settings));
      return createBackup({ accountId, region, vaults: definitions.vaults, points: made });
    },
    passMinutes: (before, after) => {
      run(before, after).catch((error: unknown) => {
        logs.line('backup', errorMessage(error));
      });
    },
  };
}
