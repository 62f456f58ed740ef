import { setTimeout as sleep } from 'node:timers/promises';
import { CommanderError, type Command } from 'commander';
import { storeWebhookSecret } from '../start/credentials-file.ts';
import { createExportFile, publicKeyOf, verifyFile } from './audit-files.ts';
import { COMMAND_BEHAVIOUR, type Response } from './command-behaviour.ts';
import { explainFailure, UsageError, type Target } from './explain-failure.ts';
import { localAccountOf, invokeFunction, principalOf } from './invoke.ts';
import { operatorProgram, type CommonRequest, type Request } from './program.ts';
import { runRemoval, type RemovalSurroundings } from './removal/removal-command.ts';
import { confirmStep, restoreDeps, runRestore, type RestoreRequest } from './restore/restore-command.ts';
import { createSecretsFile } from './secrets-file.ts';
import { printable, show } from './show.ts';

export interface Surroundings extends RemovalSurroundings {
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Whether the output goes to a person and is not stored. */
  readonly isTerminal: boolean;
  readonly invoke?: (target: Target, payload: Response) => Promise<Response>;
}

const DONE = 0;
const FAILED = 1;
const USED_WRONGLY = 2;

function targetOf({ functionName, local }: CommonRequest): Target {
  return { functionName, ...(local !== undefined && { local: localAccountOf(local) }) };
}

/** Runs a command, step by step if it has steps. */
async function carryOut(
  request: Request,
  target: Target,
  surroundings: Surroundings,
  addLines?: (lines: unknown) => void,
): Promise<Response> {
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
  { printError }: Surroundings,
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
      `operator: ${file} could not be written; the secrets are printed, since they are shown only once\n`,
    );
    return result;
  }
  const shown = Object.entries(result).filter(([name]) => !secrets.includes(name));
  return { ...Object.fromEntries(shown), secrets_in: file };
}

/** Writes an export to its file and shows the path. */
async function exported(
  file: string,
  request: Request,
  target: Target,
  surroundings: Surroundings,
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

/** The examples and the receiver read the secret of `npm start` from its credentials file. */
function storeLocally({ local, payload }: Request, result: Response, { printError }: Surroundings): void {
  const tenant = payload['tenant_id'];
  const secret = result['webhook_secret'];
  if (local === undefined || typeof tenant !== 'string' || typeof secret !== 'string') return;
  try {
    if (storeWebhookSecret(local, tenant, secret)) printError(`operator: ${local} has the new secret\n`);
  } catch (error) {
    printError(`operator: ${local} has the old secret still: ${printable((error as Error).message)}\n`);
  }
}

async function resultOf(request: Request, target: Target, surroundings: Surroundings): Promise<Response> {
  const { secrets } = COMMAND_BEHAVIOUR[request.name];
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
  if (secrets === undefined) return await work();
  if (request.secretsTo !== undefined)
    return await withSecretsFile(request.secretsTo, secrets, surroundings, work);
  const result = await work();
  if (!surroundings.isTerminal)
    surroundings.printError(
      `operator: the output contains secrets (${secrets.join(', ')}); where output is stored, use --secrets-to FILE\n`,
    );
  return result;
}

async function restored(
  request: RestoreRequest,
  target: Target,
  { printError, isTerminal, pause = sleep }: Surroundings,
): Promise<Response> {
  await confirmStep(request, isTerminal);
  const say = (line: string) => {
    printError(`${printable(line)}\n`);
  };
  return await runRestore(request, target, restoreDeps(target, request.folder, say, pause));
}

/**
 * `help` with an unknown command becomes that command, which is rejected with the nearest name.
 * Commander would print the help of the whole program.
 */
function withoutUnknownHelp(args: readonly string[], { commands }: Command): readonly string[] {
  const [help, name = '-'] = args;
  const isKnown = name.startsWith('-') || commands.some((command) => command.name() === name);
  return help === 'help' && !isKnown ? [name] : args;
}

/** Runs a command line. Resolves with its exit code; prints every error in one line. */
export async function operate(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { print, printError } = surroundings;
  let exitCode: number = DONE;
  let target: Target = { functionName: '' };
  /** Runs a command on its target and prints its result. */
  async function run<T extends CommonRequest>(
    request: T,
    work: (request: T, target: Target, surroundings: Surroundings) => Promise<Response>,
  ): Promise<Response> {
    target = { functionName: request.functionName };
    target = targetOf(request);
    const result = await work(request, target, surroundings);
    print(show(result, request.asJson));
    return result;
  }
  const program = operatorProgram(
    async (request) => {
      const result = await run(request, resultOf);
      const { isBad, advice } = COMMAND_BEHAVIOUR[request.name];
      if (isBad?.(result) !== true) return;
      exitCode = FAILED;
      if (advice !== undefined) printError(`operator: ${advice}\n`);
    },
    async (request) => {
      await run(request, restored);
    },
    async (request) => {
      await run(request, runRemoval);
    },
    surroundings,
  );
  try {
    await program.parseAsync(withoutUnknownHelp(args, program), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed it; help and version are no failures.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USED_WRONGLY;
    printError(`operator: ${printable(explainFailure(error, target))}\n`);
    return error instanceof UsageError ? USED_WRONGLY : FAILED;
  }
}
