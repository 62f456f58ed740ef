import { AwsError } from '../aws-service.ts';
import type { Backup } from '../dynamodb/backups.ts';
import type { DynamoDb } from '../dynamodb/create-dynamodb.ts';

/** A vault has backups as recovery points. */
export interface RecoveryPoint {
  readonly arn: string;
  readonly vault: string;
  /** The table that it was made of. */
  readonly tableArn: string;
  /** Ms since the epoch. */
  readonly createdAt: number;
  readonly deleteAt: number | undefined;
}

/** Recovery points, whose tables DynamoDB stores. */
export interface RecoveryPoints {
  in(vault: string): Promise<readonly RecoveryPoint[]>;
  /** Throws AwsError ResourceNotFoundException if no vault has it. */
  get(arn: string): RecoveryPoint;
  create(vault: string, tableArn: string, deleteAfterDays: number | undefined): Promise<RecoveryPoint>;
  /** Makes a table, encrypted with a key or with one that DynamoDB owns. Throws AwsError. */
  restore(arn: string, tableName: string, keyArn: string | undefined): Promise<void>;
  /** Deletes those whose time is over. */
  expire(): Promise<void>;
}

export interface RecoveryPointSettings {
  readonly accountId: string;
  readonly region: string;
  /** In ms since the epoch. */
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

const nameIn = (tableArn: string): string => tableArn.slice(tableArn.indexOf('/') + 1);
const idIn = (arn: string): string => arn.slice(arn.lastIndexOf(':') + 1);

export function createRecoveryPoints(
  { backups, tableArn }: Pick<DynamoDb, 'backups' | 'tableArn'>,
  { accountId, region, now }: RecoveryPointSettings,
): RecoveryPoints {
  function pointOf({ id, createdAt, table, vault }: Backup): RecoveryPoint[] {
    if (vault === undefined) return [];
    return [
      {
        arn: `arn:aws:backup:${region}:${accountId}:recovery-point:${id}`,
        vault: vault.name,
        tableArn: tableArn(table.description.TableName),
        createdAt,
        deleteAt: vault.deleteAt,
      },
    ];
  }

  const all = async () => (await backups.all()).flatMap(pointOf);

  function found(arn: string): Backup {
    const backup = backups.find(idIn(arn));
    if (backup?.vault !== undefined) return backup;
    throw new AwsError('ResourceNotFoundException', 400, `Recovery point not found: ${arn}`);
  }

  return {
    in: async (vault) => (await all()).filter((point) => point.vault === vault),
    get: (arn) => {
      const [point] = pointOf(found(arn));
      if (point === undefined) throw new Error('a backup without a vault is no recovery point');
      return point;
    },
    create: async (name, ofTable, deleteAfterDays) => {
      const deleteAt = deleteAfterDays === undefined ? undefined : now() + deleteAfterDays * DAY_MS;
      const vault = { name, ...(deleteAt !== undefined && { deleteAt }) };
      const [made] = pointOf(await backups.create(nameIn(ofTable), 'AwsBackup', vault));
      if (made === undefined) throw new Error('a backup in a vault is a recovery point');
      return made;
    },
    restore: (arn, tableName, keyArn) => backups.restore(found(arn), arn, tableName, keyArn ?? null),
    expire: async () => {
      const ended = (await all()).filter(({ deleteAt }) => deleteAt !== undefined && deleteAt <= now());
      for (const { arn } of ended) await backups.remove(idIn(arn));
    },
  };
}
