import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import { BACKUP_TAG, DEPLOYMENT_TAG, tableNameOf } from '../../../lib/deployment-names.ts';
import type { OperatorEnvironment } from './functions.ts';
import { until, type RestoreDeps } from './restore-deps.ts';
import type { BackupPlace, RecoveryPoint } from './backup-account.ts';
import type { Role, TableSettings } from './restore-state.ts';
import {
  createEmptyTable,
  definitionOf,
  describeTable,
  existingTable,
  settle,
  whenActive,
} from './tables.ts';

/** A restore from backups has one recovery point for each table. */
export interface WantedPoints {
  readonly place: BackupPlace;
  readonly points: ReadonlyMap<Role, RecoveryPoint>;
}

const ROLES = ['Tokens', 'Access', 'Reactors'] as const;

const tableIn = (arn: string): string => arn.slice(arn.indexOf('/') + 1);

/**
 * Finds the table of each recovery point. Throws {@link UsageError} for a point of another table.
 */
export async function wantedPoints(
  { backups }: RestoreDeps,
  environment: OperatorEnvironment,
  arns: readonly string[],
): Promise<WantedPoints> {
  const place = await backups.place(environment.ACCESS_TABLE);
  const points = new Map<Role, RecoveryPoint>();
  for (const arn of arns) {
    const point = await backups.point(place.vault, arn);
    const name = tableIn(point.tableArn);
    const role = ROLES.find((each) => nameOf(environment, each) === name);
    if (role === undefined)
      throw new UsageError(
        `${arn} is a backup of ${name}: only Tokens, Access and Reactors of the deployment can be restored (docs/restore.md)`,
      );
    if (points.has(role)) throw new UsageError(`two backups of ${role}: name one of each table`);
    if (!point.isComplete) throw new UsageError(`${arn} is not complete: it cannot be restored`);
    points.set(role, point);
  }
  return { place, points };
}

export const nameOf = (environment: OperatorEnvironment, role: Role): string =>
  environment[`${role.toUpperCase() as Uppercase<Role>}_TABLE`];

/** Makes a table of a recovery point, unless it exists, and waits until it can be used. */
export async function restoreFromPoint(
  deps: RestoreDeps,
  roleArn: string,
  {
    point,
    tableName,
    keyArn,
  }: { readonly point: string; readonly tableName: string; readonly keyArn: string },
): Promise<void> {
  if ((await describeTable(deps, tableName)) === undefined) {
    const id = await deps.backups.start({ point, tableName, keyArn, roleArn });
    await until(deps, async () => {
      const { state, reason = 'AWS says no reason' } = await deps.backups.job(id);
      if (state === 'failed')
        throw new CommandFailure(
          `AWS Backup did not make ${tableName}: ${reason}; drop the restore with restore clean, and begin again`,
        );
      return state === 'done';
    });
  }
  await whenActive(deps, tableName);
}

/** A table that a deployment made has these settings (lib/data-stack.ts). */
const settingsOf = (service: string, role: Role): TableSettings => ({
  timeToLiveAttribute: 'ttl',
  isProtected: true,
  isRecoverable: role !== 'Ephemeral',
  warmIndexes: {},
  tags: { [DEPLOYMENT_TAG]: service, [BACKUP_TAG]: role === 'Ephemeral' ? 'never' : 'daily' },
});

/** Whether a table is gone, or came back by an interrupted run that did not complete it. */
async function isGone(deps: RestoreDeps, name: string, point: string | undefined): Promise<boolean> {
  const table = await describeTable(deps, name);
  if (table === undefined) return true;
  return table.RestoreSummary?.SourceBackupArn === point && !table.DeletionProtectionEnabled;
}

/**
 * Restores tables that are gone under their own names: there is nothing to compare, and callers get
 * 503 until they are back. Ephemeral becomes empty. Resolves with what came back.
 */
export async function returnMissing(
  deps: RestoreDeps,
  environment: OperatorEnvironment,
  { place, points }: WantedPoints,
): Promise<readonly Role[]> {
  const service = environment.ACCESS_TABLE.slice(0, -tableNameOf('', 'Access').length);
  const back: Role[] = [];
  for (const [role, { arn: point, time }] of points) {
    const name = nameOf(environment, role);
    if (!(await isGone(deps, name, point))) continue;
    deps.say(`${name} is gone: restoring it as of ${time.toISOString()}, under its own name`);
    await restoreFromPoint(deps, place.roleArn, { point, tableName: name, keyArn: environment.KEY_ID });
    const definition = definitionOf(await existingTable(deps, name));
    await settle(deps, { role, name, copy: name, definition, settings: settingsOf(service, role) });
    back.push(role);
  }
  const { ACCESS_TABLE: access, EPHEMERAL_TABLE: name } = environment;
  if ((await describeTable(deps, access)) !== undefined && (await isGone(deps, name, ''))) {
    // Both have the same keys and the same index.
    const definition = definitionOf(await existingTable(deps, access));
    deps.say(`${name} is gone: making an empty one`);
    const settings = settingsOf(service, 'Ephemeral');
    await createEmptyTable(deps, name, definition, settings.tags);
    await settle(deps, { role: 'Ephemeral', name, copy: name, definition, settings });
    back.push('Ephemeral');
  }
  return back;
}
