import { createInterface } from 'node:readline/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { Argument, Command, Option } from 'commander';
import { administratorSettings } from '../../../packages/local-aws/src/control.ts';
import { UsageError, type Target } from '../explain-failure.ts';
import type { Response } from '../command-behaviour.ts';
import { restoreBeside } from './restore-beside.ts';
import { restoreClean } from './restore-clean.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { restoreExchange } from './restore-exchange.ts';
import { restoreFolder } from './restore-folder.ts';
import { WRITERS } from './scan.ts';

/** The steps of a restore: each is a command with its usage and its help. */
export const RESTORE_STEPS = {
  beside: {
    usage: 'beside TIME TABLE...',
    does: 'Restores tables under other names, and lists what differs; the service runs on',
    asks: undefined,
  },
  exchange: {
    usage: 'exchange',
    does: 'Stops the service, replaces the tables by the restored ones, and starts it again',
    asks: 'Callers get 503 until the exchange is complete.',
  },
  clean: {
    usage: 'clean',
    does: 'Deletes the copies and backups of a complete restore, or drops one before its exchange',
    asks: 'The copies and backups of the restore are deleted.',
  },
} as const;

export type RestoreStep = keyof typeof RESTORE_STEPS;

export interface RestoreRequest {
  readonly step: RestoreStep;
  readonly time: string;
  readonly tables: readonly string[];
  readonly folder: string;
  readonly isConfirmed: boolean;
}

/** Attempts of a call that AWS throttles: the steps send as much as it accepts. */
const ATTEMPTS = 10;

/** The lifetime of a cached key ring (src/core/crypto/tenant-keys.ts) plus a minute, in ms. */
const QUIET_MS = 360_000;
/** The local account ends the instances of a function that is stopped. */
const LOCAL_QUIET_MS = 1_000;

export function restoreDeps(
  { local }: Target,
  folder: string,
  say: (line: string) => void,
  pause: (ms: number) => Promise<void>,
): RestoreDeps {
  const settings = {
    ...(local === undefined ? {} : administratorSettings(local)),
    maxAttempts: ATTEMPTS,
    requestHandler: { httpsAgent: { maxSockets: WRITERS }, httpAgent: { maxSockets: WRITERS } },
  };
  const dynamodb = new DynamoDBClient(settings);
  const lambda = new LambdaClient(settings);
  const quietMs = local === undefined ? QUIET_MS : LOCAL_QUIET_MS;
  return { dynamodb, lambda, folder: restoreFolder(folder), clock: Date.now, pause, quietMs, say };
}

/** Runs a step and resolves with its result. */
export async function runRestore(
  { step, time, tables }: RestoreRequest,
  { functionName }: Target,
  deps: RestoreDeps,
): Promise<Response> {
  if (step === 'beside') return await restoreBeside(deps, functionName, time, tables);
  return step === 'exchange' ? await restoreExchange(deps) : await restoreClean(deps);
}

/** Asks before a step that callers notice. Throws {@link UsageError} unless agreed. */
export async function confirmStep({ step, isConfirmed }: RestoreRequest, isTerminal: boolean): Promise<void> {
  const { asks } = RESTORE_STEPS[step];
  if (asks === undefined || isConfirmed) return;
  if (!isTerminal) throw new UsageError(`${asks} Confirm it with --yes; nothing was done`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${asks} Continue? Enter yes: `);
    if (answer.trim() !== 'yes') throw new UsageError('nothing was done');
  } finally {
    lines.close();
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;

function timeOf(text: string): string {
  if (text === 'latest' || (TIME.test(text) && !Number.isNaN(Date.parse(text)))) return text;
  throw new UsageError('TIME must be latest or a time in UTC, such as 2026-11-22T10:00:00Z');
}

function stepCommand(
  step: RestoreStep,
  fileOf: (text: string) => string,
  run: (request: RestoreRequest, command: Command) => Promise<void>,
): Command {
  const { does, asks } = RESTORE_STEPS[step];
  const command = new Command(step).description(does);
  if (step === 'beside') {
    command.addArgument(
      new Argument('<TIME>', 'the restore point: a time in UTC, or latest').argParser(timeOf),
    );
    command.addArgument(
      new Argument('<TABLE...>', 'Tokens, Reactors, both, or all of Tokens Access Reactors'),
    );
  }
  const folder = new Option('--folder <FOLDER>', 'state and lists of the restore');
  command.addOption(folder.default('restore'));
  if (asks !== undefined) command.addOption(new Option('--yes', 'do not ask'));
  return command.action(async () => {
    const [time = '', tables = []] = command.processedArgs as [string?, string[]?];
    const options = command.opts<{ readonly folder: string; readonly yes?: true }>();
    const isConfirmed = options.yes === true;
    await run({ step, time, tables, folder: fileOf(options.folder), isConfirmed }, command);
  });
}

/** `restore` with its steps. They use the credentials of the caller, not the operator function. */
export function restoreCommand(
  fileOf: (text: string) => string,
  run: (request: RestoreRequest, command: Command) => Promise<void>,
): Command {
  const restore = new Command('restore')
    .description('Restores tables to a point in time, in three steps (docs/restore.md)')
    .usage('STEP [options]');
  for (const step of Object.keys(RESTORE_STEPS) as RestoreStep[])
    restore.addCommand(stepCommand(step, fileOf, run));
  return restore;
}
