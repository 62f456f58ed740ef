import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

export interface SynthesisOptions {
  readonly root: string;
  /** The program that Node runs. Its path is relative to `root`. */
  readonly program: string;
  /** The arguments of Node for what runs before it. */
  readonly build?: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  /** The folder must be empty. */
  readonly directory: string;
  /** Speeds up the next synthesis. */
  readonly compileCache: string;
  readonly signal?: AbortSignal;
}

/**
 * Synthesizes a CDK app into a folder, without the CDK's command line. Rejects with the app's error
 * output if it fails, for example for an invalid setting.
 */
export async function synthesize(options: SynthesisOptions): Promise<void> {
  // In Lambda no package.json is above the code, so the app's own must not set the module type.
  writeFileSync(join(options.directory, 'package.json'), '{}\n');
  const { program, build, root, signal } = options;
  const run = (args: readonly string[]) =>
    runProgram({
      args,
      cwd: root,
      environment: {
        ...process.env,
        CDK_OUTDIR: options.directory,
        CDK_CONTEXT_JSON: JSON.stringify(options.context),
        NODE_COMPILE_CACHE: options.compileCache,
        // Takes half of a synthesis, and is for a deployment: `cdk synth` does it.
        CDK_VALIDATION: 'false',
      },
      ...(signal !== undefined && { signal }),
    });
  if (build !== undefined) await run(build);
  await run([program]);
}
