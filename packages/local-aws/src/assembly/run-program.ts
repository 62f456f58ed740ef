import { spawn } from 'node:child_process';

export interface ProgramOptions {
  /** The arguments that Node gets: the program and the program's own. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Kills it. */
  readonly signal?: AbortSignal;
}

/** Runs a program for Node to its end. Rejects with its error output if it fails. */
export async function runProgram({ args, cwd, environment, signal }: ProgramOptions): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal !== undefined && { signal, killSignal: 'SIGKILL' as const }),
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0)
    throw new Error(errors.trim() || `${String(args[0])} stopped with exit code ${String(code)}`);
}
