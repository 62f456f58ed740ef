import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandFailure } from '../../command-line/failures.ts';
import { carryTokens } from './carry-tokens.ts';
import { environmentOf, functionsOf, startFunctions, stopFunctions } from './functions.ts';
import { carryRecords, dropInvocations, hasSealHead, recordLists } from './records.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { PHASES, restoredTables, type Phase, type RestoreState, type TableState } from './restore-state.ts';
import { backUp, swapTable } from './swap-table.ts';
import { describeTable, settle } from './tables.ts';
import {
  hideTokens,
  nowFiles,
  partitionOfLine,
  readTable,
  rememberIds,
  thenFiles,
  tokenChanges,
  TOKEN_LISTS,
  type TokenChange,
} from './token-changes.ts';

/** Changes of tokens that were applied to the copy before the service was stopped. */
const appliedFile = ({ folder }: RestoreDeps) => join(folder.work, 'applied.jsonl');
const applied = z.tuple([z.string(), z.string(), z.number()]);
/** A deletion and a used id are final. A changed token may be written again before the outage. */
const identityOf = ({ kind, pk, version }: TokenChange) =>
  JSON.stringify([kind, pk, kind === 'changed' ? version : 0]);

function appliedChanges(deps: RestoreDeps): ReadonlySet<string> {
  if (!existsSync(appliedFile(deps))) return new Set();
  const lines = readFileSync(appliedFile(deps), 'utf8').split('\n').filter(Boolean);
  return new Set(lines.map((line) => JSON.stringify(applied.parse(JSON.parse(line)))));
}

/** The tokens that the administrator removed from the lists. */
function askedTokens({ folder }: RestoreDeps): ReadonlySet<string> {
  const lines = TOKEN_LISTS.flatMap((name) => folder.removedLines(name));
  return new Set(lines.map(partitionOfLine));
}

/** Gives the copy of Tokens everything that has to differ from the restore point. */
async function carryTokenChanges(
  deps: RestoreDeps,
  { name, copy }: TableState,
): Promise<readonly TokenChange[]> {
  const asked = askedTokens(deps);
  const before = appliedChanges(deps);
  const changes = [...tokenChanges(thenFiles(deps), nowFiles(deps), deps.clock())].filter(
    (change) => !asked.has(change.pk) && !before.has(identityOf(change)),
  );
  const of = (...wanted: readonly TokenChange['kind'][]) =>
    changes.filter(({ kind }) => wanted.includes(kind)).map(({ pk }) => pk);
  await hideTokens(deps, copy, of('deleted', 'begun'));
  await rememberIds(deps, copy, of('used'));
  await carryTokens(deps, name, copy, of('changed'));
  return changes;
}

/** Does everything that takes long while the service runs: no request reads the copies yet. */
async function prepare(deps: RestoreDeps, state: RestoreState): Promise<void> {
  for (const table of restoredTables(state)) {
    deps.say(`preparing ${table.copy}`);
    if (table.role === 'Tokens') {
      // The lists may have been read for days: less is left for the outage.
      await readTable(deps, table.name, nowFiles(deps));
      const changes = await carryTokenChanges(deps, table);
      writeFileSync(appliedFile(deps), changes.map((change) => `${identityOf(change)}\n`).join(''), {
        mode: 0o600,
      });
    } else await carryRecords(deps, table);
    if (table.role === 'Reactors') await dropInvocations(deps, table.copy);
  }
}

/** Gives the copies their final content. Nothing is written to the tables any more. */
async function decide(deps: RestoreDeps, state: RestoreState): Promise<void> {
  for (const table of restoredTables(state)) {
    deps.say(`comparing ${table.role} again`);
    if (table.role === 'Tokens') {
      await readTable(deps, table.name, nowFiles(deps));
      await carryTokenChanges(deps, table);
    } else await carryRecords(deps, table);
  }
}

/** The lists of a restore that the administrator edits. */
const listNames = (state: RestoreState) =>
  restoredTables(state).flatMap(({ role }) => (role === 'Tokens' ? TOKEN_LISTS : recordLists(role)));

/**
 * Remembers what the administrator asked for. Later runs must be asked for the same: what was
 * carried over is no longer as it was then.
 */
function freezeLists(deps: RestoreDeps, state: RestoreState): RestoreState {
  const removed = listNames(state).map((name) => deps.folder.removedLines(name));
  const asked = createHash('sha256').update(JSON.stringify(removed)).digest('base64');
  if (state.asked !== undefined && state.asked !== asked)
    throw new CommandFailure(
      'the lists were edited after restore exchange began: undo that, or drop the restore with restore clean',
    );
  const frozen = { ...state, asked };
  deps.folder.save(frozen);
  return frozen;
}

/** Everything that must hold before the service is stopped. */
async function requireReady(deps: RestoreDeps, state: RestoreState): Promise<void> {
  for (const { name, copy } of state.tables)
    for (const needed of [name, copy])
      if ((await describeTable(deps, needed)) === undefined)
        throw new CommandFailure(`${needed} does not exist; nothing was done`);
  const access = state.tables.find(({ role }) => role === 'Access');
  if (access !== undefined && !(await hasSealHead(deps, access.name)))
    deps.say(
      `${access.name} has no head of the audit trail now. If there are seals: docs/runbook.md, AuditBroken.`,
    );
}

/** Stores the functions with their concurrency, stops them, and waits until nothing runs. */
async function stop(deps: RestoreDeps, state: RestoreState): Promise<RestoreState> {
  const functions =
    state.functions ?? (await functionsOf(deps, await environmentOf(deps, state.operatorFunction)));
  const stopping: RestoreState = { ...state, phase: 'stopping', functions };
  deps.folder.save(stopping);
  deps.say('stopping the service: callers get 503');
  await stopFunctions(deps, functions);
  deps.say(`waiting ${String(deps.quietMs / 1_000)} s`);
  await deps.pause(deps.quietMs);
  return stopping;
}

/** Replaces all tables at once. The backup of each is stored before its table is deleted. */
async function swapTables(deps: RestoreDeps, state: RestoreState): Promise<RestoreState> {
  let current = state;
  const results = await Promise.allSettled(
    state.tables.map(async (table) => {
      deps.say(`exchanging ${table.name}`);
      const backupArn = table.backupArn ?? (await backUp(deps, table));
      const tables = current.tables.map((each) => (each.role === table.role ? { ...each, backupArn } : each));
      current = { ...current, tables };
      deps.folder.save(current);
      await swapTable(deps, table, backupArn);
      await settle(deps, table);
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return current;
}

const reaches = (phase: Phase, other: Phase) => PHASES.indexOf(phase) >= PHASES.indexOf(other);

/** The unfinished restore of the folder. Throws {@link CommandFailure} if there is none. */
function unfinished({ folder }: RestoreDeps): RestoreState {
  const state = folder.load();
  if (state === undefined)
    throw new CommandFailure(`${folder.path} has no restore: run restore beside first`);
  if (state.phase === 'copying')
    throw new CommandFailure('restore beside was interrupted: run it again first; nothing was done');
  if (state.phase === 'done')
    throw new CommandFailure(
      `the restore ${state.id} is complete: a second exchange would lose what was written since; next: restore clean`,
    );
  return state;
}

/** Replaces the tables by the copies while the service is stopped. Can be repeated at any point. */
export async function restoreExchange(deps: RestoreDeps): Promise<Readonly<Record<string, unknown>>> {
  let state = unfinished(deps);
  const advance = (next: RestoreState, phase: Phase) => {
    state = { ...next, phase };
    deps.folder.save(state);
  };
  if (!reaches(state.phase, 'decided')) {
    state = freezeLists(deps, state);
    await requireReady(deps, state);
    if (state.phase === 'compared') await prepare(deps, state);
    state = await stop(deps, state);
    await decide(deps, state);
    advance(state, 'decided');
  }
  if (!reaches(state.phase, 'exchanged')) advance(await swapTables(deps, state), 'exchanged');
  await startFunctions(deps, state.functions ?? []);
  advance(state, 'done');
  deps.say('The service runs again. Look: npx cdk drift, cloakroom operator health. Then: restore clean');
  const stopped = (state.functions ?? []).filter(({ reserved }) => reserved === 0).map(({ name }) => name);
  if (stopped.length > 0) deps.say(`Stopped before the restore, and still: ${stopped.join(', ')}`);
  return { restore: state.id, time: state.time, served: stopped.length === 0 };
}
