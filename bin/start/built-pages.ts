import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './local-app.ts';

const run = promisify(execFile);

/**
 * Static files that a program of the repository builds. The first call builds them, in a process of
 * its own: most starts show no page. A call after a failure tries again.
 */
export function createBuiltPages(program: string, ...args: readonly string[]): () => Promise<void> {
  let built: Promise<unknown> | undefined;
  return async () => {
    built ??= run(process.execPath, [join(ROOT, program), ...args], { cwd: ROOT });
    // The next request retries.
    built.catch(() => (built = undefined));
    await built;
  };
}
