import { RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { randomBytes } from 'node:crypto';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import { environmentOf, type OperatorEnvironment } from './functions.ts';
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

const nameIn = (environment: OperatorEnvironment, role: Role) =>
  environment[`${role.toUpperCase() as Uppercase<Role>}_TABLE`];

/** Every table is restored to one time, also for `latest`. */
async function restorePoint(deps: RestoreDeps, wanted: string, names: readonly string[]): Promise<Date> {
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

async function plannedTable(deps: RestoreDeps, role: Role, name: string, id: string): Promise<TableState> {
  return {
    role,
    name,
    copy: `${name}-at-${id}`,
    definition: definitionOf(await existingTable(deps, name)),
    settings: await settingsOf(deps, name),
  };
}

/** A new restore, with everything that is needed to create the tables again. */
async function plan(
  deps: RestoreDeps,
  operatorFunction: string,
  wanted: string,
  roles: readonly Role[],
): Promise<RestoreState> {
  const environment = await environmentOf(deps, operatorFunction);
  const names = roles.map((role) => nameIn(environment, role));
  const time = await restorePoint(deps, wanted, names);
  // The random part makes each copy that of one restore.
  const id = `${time.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const tables: TableState[] = [];
  for (const role of [...roles, 'Ephemeral' as const])
    tables.push(await plannedTable(deps, role, nameIn(environment, role), id));
  const common = { version: 1, id, phase: 'copying', time: time.toISOString() } as const;
  return { ...common, operatorFunction, tables };
}

/** Asks AWS for the copies. One that exists is of this restore: its name contains the id. */
async function requestCopies(deps: RestoreDeps, state: RestoreState): Promise<void> {
  for (const { role, name, copy, definition } of state.tables) {
    if (role === 'Ephemeral') await createEmptyTable(deps, copy, definition);
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
  copying: 'it was interrupted: run beside with the same TIME and tables, or drop it with restore clean',
  compared: 'continue with restore exchange, or drop it with restore clean',
  stopping:
    'complete it with restore exchange, or drop it with restore clean, which starts the service again',
  decided: 'complete it with restore exchange',
  exchanged: 'complete it with restore exchange',
  done: 'its copies still exist: delete them with restore clean',
};

/** The restore to work on: a new one, or the interrupted one of the same arguments. */
async function begun(
  deps: RestoreDeps,
  operatorFunction: string,
  wanted: string,
  roles: readonly Role[],
): Promise<RestoreState> {
  const found = deps.folder.load();
  if (found === undefined) {
    const state = await plan(deps, operatorFunction, wanted, roles);
    // Before the first copy is requested, so that every copy can be found again.
    deps.folder.save(state);
    return state;
  }
  const isSameTime = wanted === 'latest' || Date.parse(wanted) === Date.parse(found.time);
  const isSame =
    restoredTables(found)
      .map(({ role }) => role)
      .join() === roles.join();
  if (found.phase === 'copying' && isSameTime && isSame) return found;
  throw new CommandFailure(
    `${deps.folder.path} has the restore ${found.id}, which is not finished: ${WHAT_NOW[found.phase]}; nothing was done`,
  );
}

/**
 * Restores tables under other names, next to the current ones, and lists the differences. The
 * service runs on.
 */
export async function restoreBeside(
  deps: RestoreDeps,
  operatorFunction: string,
  wanted: string,
  tableNames: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const roles = chosenRoles(tableNames);
  const state = await begun(deps, operatorFunction, wanted, roles);
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
