import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CdkApp } from './assembly/app-key.ts';
import { runProgram } from './assembly/run-program.ts';
import { openSynthesizedApp, type OpenOptions, type SynthesizedApp } from './assembly/synthesized-apps.ts';

const COMPILE_FUNCTIONS = join(import.meta.dirname, 'compile-functions.ts');

/** A start works without the result too, but takes longer and needs more memory. */
async function compileFunctions(app: SynthesizedApp, { workDirectory, signal }: OpenOptions): Promise<void> {
  const compiling = runProgram({
    args: [COMPILE_FUNCTIONS, app.directory, app.compileCache],
    cwd: workDirectory,
    environment: { ...process.env, NODE_COMPILE_CACHE: join(workDirectory, 'compile-cache') },
    ...(signal !== undefined && { signal }),
  });
  await compiling.catch(() => undefined);
  // An app without functions, or whose functions do not load, is not compiled at each start.
  if (signal?.aborted !== true) mkdirSync(app.compileCache, { recursive: true });
}

/**
 * Does what {@link openSynthesizedApp} does, and compiles the functions of a new app. Both run in
 * processes that end: V8 does not return the memory of a compilation to the system.
 */
export async function openApp(app: CdkApp, options: OpenOptions): Promise<SynthesizedApp> {
  const opened = await openSynthesizedApp(app, options);
  if (!existsSync(opened.compileCache)) await compileFunctions(opened, options);
  return opened;
}
