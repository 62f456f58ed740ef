import { resolve } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { UsageError } from '../../command-line/failures.ts';
import { repeatableOption } from '../../command-line/values.ts';

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
  /** These recovery points of AWS Backup replace the time and the tables. */
  readonly fromBackup: readonly string[];
  readonly folder: string;
  readonly isConfirmed: boolean;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;

function timeOf(text: string): string {
  if (text === 'latest' || (TIME.test(text) && !Number.isNaN(Date.parse(text)))) return text;
  throw new UsageError('TIME must be latest or a time in UTC, such as 2026-11-22T10:00:00Z');
}

interface Options {
  readonly folder: string;
  readonly yes?: true;
  readonly fromBackup?: readonly string[];
}

function pointOf(text: string): string {
  if (/^arn:aws[a-z-]*:backup:[a-z\d-]+:\d{12}:recovery-point:[\w-]+$/.test(text)) return text;
  throw new UsageError('--from-backup must be the ARN of a recovery point of AWS Backup');
}

function requireOneSource(time: string, tables: readonly string[], points: readonly string[]): void {
  if (points.length > 0 && time !== '')
    throw new UsageError('--from-backup says which tables and of when: name no TIME and no TABLE');
  if (points.length === 0 && (time === '' || tables.length === 0))
    throw new UsageError(`missing required argument '${time === '' ? 'TIME' : 'TABLE'}'`);
}

function stepCommand(
  step: RestoreStep,
  run: (request: RestoreRequest, command: Command) => Promise<void>,
): Command {
  const { does, asks } = RESTORE_STEPS[step];
  const command = new Command(step).description(does);
  if (step === 'beside') {
    command.usage('[options] <TIME> <TABLE...> | --from-backup <ARN...>');
    command.addArgument(
      new Argument('[TIME]', 'the restore point: a time in UTC, or latest').argParser(timeOf),
    );
    command.addArgument(
      new Argument('[TABLE...]', 'Tokens, Reactors, both, or all of Tokens Access Reactors'),
    );
    command.addOption(
      repeatableOption(
        '--from-backup <ARN...>',
        'recovery points of AWS Backup, one for each table, in place of TIME and TABLE',
        pointOf,
      ),
    );
  }
  const folder = new Option('--folder <FOLDER>', 'state and lists of the restore');
  command.addOption(folder.default('restore'));
  if (asks !== undefined) command.addOption(new Option('--yes', 'do not ask'));
  return command.action(async () => {
    const [time = '', tables = []] = command.processedArgs as [string?, string[]?];
    const options = command.opts<Options>();
    const { fromBackup = [] } = options;
    if (step === 'beside') requireOneSource(time, tables, fromBackup);
    const isConfirmed = options.yes === true;
    await run({ step, time, tables, fromBackup, folder: resolve(options.folder), isConfirmed }, command);
  });
}

/** `restore` with its steps. They use the credentials of the caller, not the operator function. */
export function restoreCommand(run: (request: RestoreRequest, command: Command) => Promise<void>): Command {
  const restore = new Command('restore')
    .description('Restores tables to a point in time, in three steps (docs/restore.md)')
    .usage('STEP [options]');
  for (const step of Object.keys(RESTORE_STEPS) as RestoreStep[]) restore.addCommand(stepCommand(step, run));
  return restore;
}
