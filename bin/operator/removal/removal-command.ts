import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { administratorSettings, control } from '../../../packages/local-aws/src/control.ts';
import type { Response } from '../command-behaviour.ts';
import { CommandFailure, UsageError } from '../../command-line/failures.ts';
import type { Target } from '../explain-failure.ts';
import { printable } from '../../command-line/show.ts';
import type { Surroundings } from '../../command-line/surroundings.ts';
import type { RemovalAccount } from './removal-account.ts';
import { removeDeployment, type RemovalOptions } from './remove-deployment.ts';

/** `--help` and the table of docs/deploy.md describe the command from this. */
export const REMOVAL_COMMAND = {
  name: 'remove-deployment',
  usage:
    'remove-deployment [--service NAME] [--dry-run] [--confirm NAME] [--keep-data ...] [--delete-trail ...]',
  does: 'Prints what a deployment has and costs, and deletes it; its audit trail once that has expired',
} as const;

interface Flags {
  readonly service: string;
  readonly dryRun?: true;
  readonly confirm?: string;
  readonly keepData?: true;
  readonly mapping?: string;
  readonly deleteTrail?: true;
  readonly exports?: string;
  readonly key?: string;
}

/** The name of a stack as far as the service chooses it (lib/settings.ts). */
const SERVICE_NAME = /^[A-Za-z][A-Za-z0-9-]{0,39}$/;

/** Flags that only make sense together. */
function requireTogether(flags: Flags, first: keyof Flags, others: readonly (keyof Flags)[]): void {
  const named = (flag: keyof Flags) =>
    `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  for (const other of others)
    if ((flags[first] === undefined) !== (flags[other] === undefined))
      throw new UsageError(`${named(first)} and ${named(other)} belong together`);
}

function optionsOf(flags: Flags): RemovalOptions {
  const { service, confirm, mapping, exports: folder, key } = flags;
  if (!SERVICE_NAME.test(service))
    throw new UsageError('--service must be the setting serviceName of a deployment');
  requireTogether(flags, 'keepData', ['mapping']);
  requireTogether(flags, 'deleteTrail', ['exports', 'key']);
  if (flags.keepData === true && flags.deleteTrail === true)
    throw new UsageError('--keep-data and --delete-trail exclude each other');
  const all = flags.deleteTrail === true ? 'trail' : 'all';
  return {
    service,
    removes: flags.keepData === true ? 'data' : all,
    isDryRun: flags.dryRun === true,
    ...(confirm !== undefined && { confirm }),
    ...(mapping !== undefined && { mapping }),
    ...(folder !== undefined && key !== undefined && { exports: { folder, key } }),
  };
}

export function removalCommand(run: (options: RemovalOptions, command: Command) => Promise<void>): Command {
  const file = (flags: string, does: string) => new Option(flags, does).argParser((path) => resolve(path));
  const command = new Command(REMOVAL_COMMAND.name)
    .description(REMOVAL_COMMAND.does)
    .usage('[options]')
    .addOption(new Option('--service <NAME>', 'the setting serviceName').default('Cloakroom'))
    .addOption(new Option('--dry-run', 'only print the plan'))
    .addOption(new Option('--confirm <NAME>', 'the name of the deployment, without a terminal'))
    .addOption(new Option('--keep-data', 'keep tables, keys, logs and backups for a new deployment'))
    .addOption(file('--mapping <FILE>', 'the resource mapping for cdk import, to write'))
    .addOption(new Option('--delete-trail', 'delete the audit trail before it has expired, too'))
    .addOption(file('--exports <FOLDER>', 'a folder with an export of each trail (export-audit)'))
    .addOption(file('--key <FILE>', 'the public key that audit-key printed, PEM'));
  return command.action(async () => {
    await run(optionsOf(command.opts<Flags>()), command);
  });
}

export interface RemovalSurroundings extends Pick<Surroundings, 'printError' | 'ask'> {
  /** Waits so many ms. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** A call that AWS throttles is repeated so often: Lambda deletes some 15 functions a second. */
const ATTEMPTS = 10;

/** Other commands make one call, whose right their explanation names. */
const ABOUT_A_CALL = ['AccessDenied', 'AccessDeniedException', 'ResourceNotFoundException'];

const clock = z.object({ now: z.iso.datetime() });

function explained(error: unknown): unknown {
  return error instanceof Error && ABOUT_A_CALL.includes(error.name)
    ? new CommandFailure(error.message)
    : error;
}

/**
 * Returns the account of a target. A local account has its own clock, which its responses do not
 * show.
 */
export async function accountOf(local: Target['local']): Promise<RemovalAccount> {
  // It needs the clients of six services, which other commands do not load.
  const { awsRemovalAccount } = await import('./aws-removal-account.ts');
  if (local === undefined) return awsRemovalAccount({ maxAttempts: ATTEMPTS });
  const account = awsRemovalAccount({ ...administratorSettings(local), maxAttempts: ATTEMPTS });
  return { ...account, now: async () => new Date(clock.parse(await control(local, 'clock')).now) };
}

/** Runs the command with the AWS credentials of the environment, or on a local account. */
export async function runRemoval(
  options: RemovalOptions,
  { local }: Target,
  { printError, pause = (ms) => sleep(ms), ask }: RemovalSurroundings,
): Promise<Response> {
  const deps = {
    account: await accountOf(local),
    pause,
    say: (line: string) => {
      printError(`${printable(line)}\n`);
    },
    ...(ask !== undefined && { ask }),
  };
  try {
    return await removeDeployment(deps, options);
  } catch (error) {
    throw explained(error);
  }
}
