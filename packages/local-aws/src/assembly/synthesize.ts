import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const cdkJsonSchema = z.object({ context: z.record(z.string(), z.unknown()).default({}) });

/** A CDK app, as `app` in cdk.json names it. */
export interface CdkApp {
  /** The folder of cdk.json, whose context the app gets. */
  readonly root: string;
  /** The app's program for Node, from `root`. */
  readonly program: string;
  /** More context, which wins over that of cdk.json. */
  readonly context?: Readonly<Record<string, string>>;
}

export interface SynthesisOptions extends CdkApp {
  /** Holds the synthesized app while it runs, and what makes the next synthesis quicker. */
  readonly workDirectory: string;
  readonly signal?: AbortSignal;
}

export interface SynthesizedApp {
  readonly directory: string;
  remove(): void;
}

/** The context that the CDK's command line would hand on: feature flags change templates. */
function projectContext(root: string): Readonly<Record<string, unknown>> {
  const file = join(root, 'cdk.json');
  if (!existsSync(file)) return {};
  return cdkJsonSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).context;
}

function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Removes what killed starts left behind. */
function removeAbandoned(workDirectory: string): void {
  for (const name of readdirSync(workDirectory)) {
    const owner = /^app-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !processIsAlive(Number(owner)))
      rmSync(join(workDirectory, name), { recursive: true, force: true });
  }
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
 * Synthesizes a CDK app into a fresh folder, without the CDK's command line.
 * Rejects with what the app wrote to its error output if it refuses, as for an invalid setting.
 */
export async function synthesize(options: SynthesisOptions): Promise<SynthesizedApp> {
  const { root, workDirectory, context } = options;
  mkdirSync(workDirectory, { recursive: true, mode: 0o700 });
  removeAbandoned(workDirectory);
  const directory = mkdtempSync(join(workDirectory, `app-${String(process.pid)}-`));
  const remove = (): void => {
    rmSync(directory, { recursive: true, force: true });
  };
  // In Lambda no package.json lies above the code; the app's own must not say what kind of module
  // it is.
  writeFileSync(join(directory, 'package.json'), '{}\n');
  try {
    await run(options, {
      ...process.env,
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON: JSON.stringify({ ...projectContext(root), ...context }),
      NODE_COMPILE_CACHE: join(workDirectory, 'compile-cache'),
    });
    return { directory, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
