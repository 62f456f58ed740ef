import { RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { randomBytes } from 'node:crypto';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import { environmentOf } from './functions.ts';
import {
  nameOf,
  restoreFromPoint,
  returnMissing,
  wantedPoints,
  type WantedPoints,
} from './restore-points.ts';
import { listRecords } from './records.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { restoredTables, type RestoreState, type Role, type TableState } from './restore-state.ts';
import {
  createEmptyTable,
  definitionOf,
  describeTable,
  existingTable,
  recoveryOf,
  requireDefinition,
  settingsOf,
  unlessDone,
  whenActive,
} from './tables.ts';
import { nowFiles, readTable, thenFiles, tokenChanges, tokenLine } from './token-changes.ts';

/** The tables of an `Access` restore are encrypted under its root keys. */
const CHOICES: readonly (readonly Role[])[] = [
  ['Tokens'],
  ['Reactors'],
  ['Tokens', 'Reactors'],
  ['Tokens', 'Access', 'Reactors'],
];

const TRAIL = ['Audit', 'AuditIndex', 'AuditSeals'];

/** The chosen tables. Throws {@link UsageError} for a choice that cannot be restored. */
export function chosenRoles(names: readonly string[]): readonly Role[] {
  if (names.some((name) => TRAIL.includes(name)))
    throw new UsageError(
      'the audit trail cannot be restored: the records and seals written since then would be lost (docs/restore.md)',
    );
  const chosen = CHOICES.find((roles) => roles.join() === names.toSorted(inOrder).join());
  if (chosen === undefined)
    throw new UsageError('the tables must be Tokens, Reactors, both, or all of Tokens Access Reactors');
  return chosen;
}

const ORDER = ['Tokens', 'Access', 'Reactors'];
const inOrder = (a: string, b: string) => ORDER.indexOf(a) - ORDER.indexOf(b);

/** Every table is restored to one time, also for `latest`. */
async function timeOf(deps: RestoreDeps, wanted: string, names: readonly string[]): Promise<Date> {
  const ranges = await Promise.all(names.map((name) => recoveryOf(deps, name)));
  const earliest = ranges.map(({ EarliestRestorableDateTime: time }) => time?.getTime() ?? Infinity);
  const latest = ranges.map(({ LatestRestorableDateTime: time }) => time?.getTime() ?? -Infinity);
  const from = Math.max(...earliest);
  const to = Math.min(...latest);
  if (to === -Infinity || from === Infinity)
    throw new CommandFailure('point-in-time recovery is off for a table: it cannot be restored');
  const time = wanted === 'latest' ? to : Date.parse(wanted);
  if (time >= from && time <= to) return new Date(time);
  const range = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
  throw new UsageError(`TIME must be latest or a time in UTC in the range ${range}`);
}

async function plannedTable(
  deps: RestoreDeps,
  {
    role,
    name,
    id,
    point,
  }: { readonly role: Role; readonly name: string; readonly id: string; readonly point?: string | undefined },
): Promise<TableState> {
  return {
    role,
    name,
    copy: `${name}-at-${id}`,
    ...(point !== undefined && { point }),
    definition: definitionOf(await existingTable(deps, name)),
    settings: await settingsOf(deps, name),
  };
}

/** The restore that an administrator asked for. */
interface Wanted {
  readonly operatorFunction: string;
  readonly roles: readonly Role[];
  /** It is `latest`, or a time in UTC. */
  readonly time: string;
  /** Replace the point in time. */
  readonly backups?: WantedPoints;
}

/** Backups of a night are made one after the other: the restore is as old as the oldest of them. */
const oldestOf = ({ points }: WantedPoints): Date =>
  new Date(Math.min(...[...points.values()].map(({ time }) => time.getTime())));

/** A new restore, with everything that is needed to create the tables again. */
async function plan(
  deps: RestoreDeps,
  { operatorFunction, roles, time: wanted, backups }: Wanted,
): Promise<RestoreState> {
  const environment = await environmentOf(deps, operatorFunction);
  const names = roles.map((role) => nameOf(environment, role));
  const time = backups === undefined ? await timeOf(deps, wanted, names) : oldestOf(backups);
  // The random part makes each copy that of one restore.
  const id = `${time.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const tables: TableState[] = [];
  for (const role of [...roles, 'Ephemeral' as const])
    tables.push(
      await plannedTable(deps, {
        role,
        name: nameOf(environment, role),
        id,
        point: backups?.points.get(role)?.arn,
      }),
    );
  const common = { version: 1, id, phase: 'copying', time: time.toISOString() } as const;
  const backupRole = backups?.place.roleArn;
  return { ...common, operatorFunction, tables, ...(backupRole !== undefined && { backupRole }) };
}

/** Makes a copy of a recovery point. */
async function requestCopy(
  deps: RestoreDeps,
  { backupRole: roleArn = '' }: RestoreState,
  { copy, point, definition }: { readonly point: string } & Pick<TableState, 'copy' | 'definition'>,
): Promise<void> {
  const wanted = { point, tableName: copy, keyArn: definition.KmsKeyArn };
  await restoreFromPoint(deps, roleArn, wanted);
}

/** Asks AWS for the copies. One that exists is of this restore: its name contains the id. */
async function requestCopies(deps: RestoreDeps, state: RestoreState): Promise<void> {
  for (const { role, name, copy, definition, settings, point } of state.tables) {
    if (role === 'Ephemeral') await createEmptyTable(deps, copy, definition, settings.tags);
    else if (point !== undefined) await requestCopy(deps, state, { copy, point, definition });
    else if ((await describeTable(deps, copy)) === undefined) {
      const command = new RestoreTableToPointInTimeCommand({
        SourceTableName: name,
        TargetTableName: copy,
        RestoreDateTime: new Date(state.time),
      });
      await unlessDone(() => deps.dynamodb.send(command));
    }
  }
  for (const { copy, definition } of state.tables) {
    await whenActive(deps, copy);
    await requireDefinition(deps, copy, definition);
  }
}

async function listTokens(deps: RestoreDeps, { name, copy }: TableState): Promise<Record<string, number>> {
  await readTable(deps, copy, thenFiles(deps));
  await readTable(deps, name, nowFiles(deps));
  const lines = { deleted: [] as string[], changed: [] as string[] };
  for (const { kind, pk } of tokenChanges(thenFiles(deps), nowFiles(deps), deps.clock()))
    if (kind === 'deleted' || kind === 'changed') lines[kind].push(tokenLine(pk));
  deps.folder.writeList('deleted-Tokens', lines.deleted);
  deps.folder.writeList('changed-Tokens', lines.changed);
  return { 'deleted-Tokens': lines.deleted.length, 'changed-Tokens': lines.changed.length };
}

const WHAT_NOW: Readonly<Record<RestoreState['phase'], string>> = {
  copying:
    'it was interrupted: run beside with the same TIME and tables, or backups, or drop it with restore clean',
  compared: 'continue with restore exchange, or drop it with restore clean',
  stopping:
    'complete it with restore exchange, or drop it with restore clean, which starts the service again',
  decided: 'complete it with restore exchange',
  exchanged: 'complete it with restore exchange',
  done: 'its copies still exist: delete them with restore clean',
};

function isSame(found: RestoreState, { roles, time, backups }: Wanted): boolean {
  const tables = restoredTables(found);
  if (tables.map(({ role }) => role).join() !== roles.join()) return false;
  if (backups !== undefined)
    return tables.every(({ role, point }) => point === backups.points.get(role)?.arn);
  const isFromTime = tables.every(({ point }) => point === undefined);
  return isFromTime && (time === 'latest' || Date.parse(time) === Date.parse(found.time));
}

/** The restore to work on: a new one, or the interrupted one of the same arguments. */
async function begun(deps: RestoreDeps, wanted: Wanted): Promise<RestoreState> {
  const found = deps.folder.load();
  if (found === undefined) {
    const state = await plan(deps, wanted);
    // Before the first copy is requested, so that every copy can be found again.
    deps.folder.save(state);
    return state;
  }
  if (found.phase === 'copying' && isSame(found, wanted)) return found;
  throw new CommandFailure(
    `${deps.folder.path} has the restore ${found.id}, which is not finished: ${WHAT_NOW[found.phase]}; nothing was done`,
  );
}

async function restored(deps: RestoreDeps, wanted: Wanted): Promise<Readonly<Record<string, unknown>>> {
  const state = await begun(deps, wanted);
  deps.say(`restore ${state.id}: waiting for the copies as of ${state.time}`);
  await requestCopies(deps, state);
  const lengths: Record<string, number> = {};
  for (const table of restoredTables(state)) {
    deps.say(`comparing ${table.role}`);
    Object.assign(
      lengths,
      table.role === 'Tokens' ? await listTokens(deps, table) : await listRecords(deps, table),
    );
  }
  deps.folder.save({ ...state, phase: 'compared' });
  deps.say(`Remove from the lists in ${deps.folder.path} what you want back as it was at ${state.time}.`);
  deps.say('What stays in a list stays as it is now. Then: restore exchange');
  return { restore: state.id, time: state.time, ...lengths };
}

/**
 * Restores tables under other names, next to the current ones, and lists the differences. The
 * service runs on.
 */
export async function restoreBeside(
  deps: RestoreDeps,
  operatorFunction: string,
  time: string,
  tableNames: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  return await restored(deps, { operatorFunction, time, roles: chosenRoles(tableNames) });
}

/**
 * Does the same from recovery points of AWS Backup, which say of which tables they are. Tables that
 * are gone come back under their own names.
 */
export async function restoreBackups(
  deps: RestoreDeps,
  operatorFunction: string,
  arns: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const environment = await environmentOf(deps, operatorFunction);
  const backups = await wantedPoints(deps, environment, arns);
  const roles = chosenRoles([...backups.points.keys()]);
  const returned = await returnMissing(deps, environment, backups);
  if (roles.every((role) => returned.includes(role))) return { returned };
  if (returned.some((role) => role !== 'Ephemeral'))
    throw new CommandFailure(
      `${returned.join(', ')} came back; run it again with the backups of the other tables alone, if their data is damaged too`,
    );
  return await restored(deps, { operatorFunction, time: oldestOf(backups).toISOString(), roles, backups });
}
