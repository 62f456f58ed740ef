import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SynthesisOptions {
  readonly root: string;
  /** The app's program for Node, from `root`. */
  readonly program: string;
  readonly context: Readonly<Record<string, unknown>>;
  /** An empty folder. */
  readonly directory: string;
  /** Speeds up the next synthesis. */
  readonly compileCache: string;
  readonly signal?: AbortSignal;
}

/** Rejects with the program's own error output if it fails. */
async function run(options: SynthesisOptions, environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [options.program], {
    cwd: options.root,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(options.signal !== undefined && { signal: options.signal, killSignal: 'SIGKILL' as const }),
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(errors.trim() || `the CDK app stopped with exit code ${String(code)}`);
}

/**
 * Synthesizes a CDK app into a folder, without the CDK's command line. Rejects with the app's error
 * output if it fails, for example for an invalid setting.
 */
export async function synthesize(options: SynthesisOptions): Promise<void> {
  // In Lambda no package.json is above the code, so the app's own must not set the module type.
  writeFileSync(join(options.directory, 'package.json'), '{}\n');
  await run(options, {
    ...process.env,
    CDK_OUTDIR: options.directory,
    CDK_CONTEXT_JSON: JSON.stringify(options.context),
    NODE_COMPILE_CACHE: options.compileCache,
  });
}
