import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { functionOf, type CommandName } from '../../src/operator/command-names.ts';
import { CommandFailure, lacksCredentials, UsageError } from '../command-line/failures.ts';
import { printable, show } from '../command-line/show.ts';
import type { Surroundings } from '../command-line/surroundings.ts';
import { storeCredentials } from '../start/credentials-file.ts';
import { createExportFile, publicKeyOf, verifyFile } from './audit-files.ts';
import { COMMAND_BEHAVIOUR, type CommandBehaviour, type Response } from './command-behaviour.ts';
import { explainFailure, type Target } from './explain-failure.ts';
import { DEFAULT_FUNCTION, localAccountOf } from './local-account.ts';
import { operatorProgram, type CommonRequest, type Request } from './program.ts';
import { runRemoval, type RemovalSurroundings } from './removal/removal-command.ts';
import type { RestoreRequest } from './restore/restore-command.ts';
import { openTarget, secretsManager, type SecretsManager, type SecretTarget } from './secret-target.ts';
import { createSecretsFile } from './secrets-file.ts';

/** A request for a command of the functions, or for one that the command line carries out. */
type Named = CommonRequest & { readonly name?: CommandName };

/** Tests replace what a process has not got. */
export interface OperatorSurroundings extends Surroundings, Pick<RemovalSurroundings, 'pause'> {
  readonly invoke?: (target: Target, payload: Response) => Promise<Response>;
  readonly secrets?: SecretsManager;
}

/** The function that a command of an operator function runs in, or that function itself. */
const named = (functionName: string, name: CommandName | undefined): string =>
  name === undefined ? functionName : functionOf(name, functionName);

function targetOf({ functionName, local: file, name }: Named): Target {
  const local = file === undefined ? undefined : localAccountOf(file);
  return {
    functionName: named(functionName ?? local?.operator_function ?? DEFAULT_FUNCTION, name),
    ...(local !== undefined && { local }),
  };
}

/** Runs a command, step by step if it has steps. */
async function carryOut(
  request: Request,
  target: Target,
  surroundings: OperatorSurroundings,
  addLines?: (lines: unknown) => void,
): Promise<Response> {
  // The clients of AWS take longer to load than the help of a command.
  const { invokeFunction, principalOf } = await import('./invoke.ts');
  const { invoke = invokeFunction, printError } = surroundings;
  const { progress, isDone, joined } = COMMAND_BEHAVIOUR[request.name];
  const { key } = request.files;
  let payload: Response = {
    ...request.payload,
    ...(key !== undefined && { public_key: publicKeyOf(key) }),
    principal: await principalOf(target),
  };
  let all: Response | undefined;
  for (;;) {
    const { lines, ...result } = await invoke(target, payload);
    addLines?.(lines);
    all = all === undefined || joined === undefined ? result : joined(all, result);
    // Progress goes to standard error, so that the output of `--json` stays valid JSON.
    if (progress !== undefined) printError(`${printable(progress(result))}\n`);
    if (isDone === undefined || isDone(result)) {
      // No step follows, so the place where it would begin is not shown.
      const { next: _, ...shown } = all;
      return shown;
    }
    payload = { ...payload, ...(result['next'] as Response | undefined) };
    // Another run works on the rest.
    if (result['removed'] === 0) await sleep(5_000);
  }
}

/**
 * The result without its secrets, which are in the file; the whole result if the file could not be
 * written.
 */
async function withSecretsFile(
  file: string,
  secrets: readonly string[],
  { printError }: OperatorSurroundings,
  work: () => Promise<Response>,
): Promise<Response> {
  const opened = createSecretsFile(file);
  let result: Response;
  try {
    result = await work();
  } catch (error) {
    opened.discard();
    throw error;
  }
  try {
    opened.write(`${JSON.stringify(result)}\n`);
  } catch {
    printError(
      `cloakroom: ${file} could not be written; the secrets are printed, since they are shown only once\n`,
    );
    return result;
  }
  const shown = Object.entries(result).filter(([name]) => !secrets.includes(name));
  return { ...Object.fromEntries(shown), secrets_in: file };
}

/** Stores what a command made in its target, and returns the rest: no output has the secret. */
async function withTarget(
  target: SecretTarget,
  { secret, beside }: NonNullable<CommandBehaviour['stored']>,
  surroundings: OperatorSurroundings,
  work: () => Promise<Response>,
): Promise<Response> {
  const opened = await openTarget(target, surroundings.secrets ?? (await secretsManager()));
  let result: Response;
  try {
    result = await work();
  } catch (error) {
    await opened.discard().catch(() => {
      surroundings.printError(`cloakroom: ${target.shown} remains, without a key\n`);
    });
    throw error;
  }
  const { [secret]: _, ...shown } = result;
  const stored = Object.fromEntries([secret, ...beside].map((name) => [name, result[name]]));
  try {
    await opened.write(`${JSON.stringify(stored)}\n`);
  } catch {
    const ids = beside.map((name) => `${name} ${String(result[name])}`).join(', ');
    throw new CommandFailure(
      `${target.shown} could not be written, so that no one has the ${secret} (${ids}): run the command again with another --${target.option}`,
    );
  }
  return { ...shown, [`${secret}_in`]: target.shown };
}

/** Writes an export to its file and shows the path. */
async function exported(
  file: string,
  request: Request,
  target: Target,
  surroundings: OperatorSurroundings,
): Promise<Response> {
  const opened = createExportFile(file, request.payload);
  try {
    await carryOut(request, target, surroundings, (lines) => {
      opened.add(lines);
    });
  } finally {
    opened.close();
  }
  return { exported_to: file };
}

/** The examples and the receiver read the secret of `cloakroom start` from its credentials file. */
function storeLocally(
  { local, payload }: Request,
  result: Response,
  { printError }: OperatorSurroundings,
): void {
  const tenant = payload['tenant_id'];
  const secret = result['webhook_secret'];
  if (local === undefined || typeof tenant !== 'string' || typeof secret !== 'string') return;
  try {
    if (storeCredentials(local, tenant, { webhook_secret: secret }))
      printError(`cloakroom: ${local} has the new secret\n`);
  } catch (error) {
    printError(`cloakroom: ${local} has the old secret still: ${printable((error as Error).message)}\n`);
  }
}

async function resultOf(
  request: Request,
  target: Target,
  surroundings: OperatorSurroundings,
): Promise<Response> {
  const { secrets, stored } = COMMAND_BEHAVIOUR[request.name];
  const { file, key, out } = request.files;
  if (file !== undefined) {
    if (key === undefined) throw new UsageError('--file needs --key: the public key that audit-key printed');
    return await verifyFile(file, key);
  }
  if (out !== undefined) return await exported(out, request, target, surroundings);
  const work = async () => {
    const result = await carryOut(request, target, surroundings);
    if (request.name === 'rotate-webhook-secret') storeLocally(request, result, surroundings);
    return result;
  };
  if (stored !== undefined && request.target !== undefined)
    return await withTarget(request.target, stored, surroundings, work);
  if (secrets === undefined) return await work();
  if (request.secretsTo !== undefined)
    return await withSecretsFile(request.secretsTo, secrets, surroundings, work);
  const result = await work();
  if (!surroundings.isTerminal)
    surroundings.printError(
      `cloakroom: the output contains secrets (${secrets.join(', ')}); where output is stored, use --secrets-to FILE\n`,
    );
  return result;
}

async function restored(
  request: RestoreRequest,
  target: Target,
  surroundings: OperatorSurroundings,
): Promise<Response> {
  const { printError, pause = sleep } = surroundings;
  const { confirmStep, restoreDeps, runRestore } = await import('./restore/run-restore.ts');
  await confirmStep(request, surroundings);
  const say = (line: string) => {
    printError(`${printable(line)}\n`);
  };
  return await runRestore(request, target, restoreDeps(target, request.folder, say, pause));
}

/** `cloakroom operator` with its commands. */
export function operatorCommand(surroundings: OperatorSurroundings, failed: () => void): Command {
  const { print, printError } = surroundings;
  /** Runs a command on its target and prints its result. */
  async function run<T extends Named>(
    request: T,
    work: (request: T, target: Target, surroundings: OperatorSurroundings) => Promise<Response>,
  ): Promise<Response> {
    let target: Target = { functionName: named(request.functionName ?? DEFAULT_FUNCTION, request.name) };
    try {
      target = targetOf(request);
      const result = await work(request, target, surroundings);
      print(show(result, request.asJson));
      return result;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const Failure = lacksCredentials(error) ? UsageError : CommandFailure;
      throw new Failure(explainFailure(error, target), { cause: error });
    }
  }
  return operatorProgram(
    async (request) => {
      const result = await run(request, resultOf);
      const { isBad, advice } = COMMAND_BEHAVIOUR[request.name];
      if (isBad?.(result) !== true) return;
      failed();
      if (advice !== undefined) printError(`cloakroom: ${advice}\n`);
    },
    async (request) => {
      await run(request, restored);
    },
    async (request) => {
      await run(request, runRemoval);
    },
  );
}
