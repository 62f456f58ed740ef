import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { administratorSettings } from '../../../packages/local-aws/src/control.ts';
import { confirm } from '../../command-line/confirm.ts';
import type { Surroundings } from '../../command-line/surroundings.ts';
import type { Response } from '../command-behaviour.ts';
import type { Target } from '../explain-failure.ts';
import { awsBackupAccount } from './backup-account.ts';
import { restoreBackups, restoreBeside } from './restore-beside.ts';
import { restoreClean } from './restore-clean.ts';
import { RESTORE_STEPS, type RestoreRequest } from './restore-command.ts';
import type { RestoreDeps } from './restore-deps.ts';
import { restoreExchange } from './restore-exchange.ts';
import { restoreFolder } from './restore-folder.ts';
import { WRITERS } from './scan.ts';

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
  const backups = awsBackupAccount(settings, dynamodb, pause);
  const lambda = new LambdaClient(settings);
  const quietMs = local === undefined ? QUIET_MS : LOCAL_QUIET_MS;
  return { dynamodb, lambda, backups, folder: restoreFolder(folder), clock: Date.now, pause, quietMs, say };
}

/** Runs a step and resolves with its result. */
export async function runRestore(
  { step, time, tables, fromBackup }: RestoreRequest,
  { functionName }: Target,
  deps: RestoreDeps,
): Promise<Response> {
  if (step === 'beside')
    return await (fromBackup.length > 0
      ? restoreBackups(deps, functionName, fromBackup)
      : restoreBeside(deps, functionName, time, tables));
  return step === 'exchange' ? await restoreExchange(deps) : await restoreClean(deps);
}

/** Asks before a step that callers notice. Rejects with a `UsageError` unless agreed. */
export async function confirmStep(
  { step, isConfirmed }: RestoreRequest,
  surroundings: Pick<Surroundings, 'ask'>,
): Promise<void> {
  const { asks } = RESTORE_STEPS[step];
  if (asks !== undefined) await confirm(asks, isConfirmed, surroundings);
}
