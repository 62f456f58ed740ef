// Prepares the first `npm start`: starts the service once and stops it. This synthesizes the app
// with the default settings, and fills Node's compile cache with all that a start runs. Then builds
// the documentation. Whatever fails here, a start or a visit does itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../packages/local-aws/src/assembly/run-program.ts';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { DOCS_BUILD } from './docs-server.ts';
import { ROOT } from './local-app.ts';
import { startProgram } from './options.ts';
import { createProgress } from './progress.ts';
import { startService } from './start-service.ts';

/** A registry that does not respond must not stop an installation, nor a machine that is slow. */
const LONGEST_MS = 120_000;
/** How long a preparation that took too long may take to stop. */
const STOP_MS = 10_000;

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    interrupted.abort();
  });

async function prepare(signal: AbortSignal): Promise<void> {
  // These load the modules that only parse or print.
  await runProgram({ args: ['bin/start.cjs', '--help'], cwd: ROOT, environment: process.env, signal });
  await import('./run-start.ts');
  const folder = mkdtempSync(join(tmpdir(), 'cloakroom-prepare-'));
  try {
    const program = startProgram(async (options) => {
      const service = await startService(options, { signal });
      await service.close();
    });
    const args = ['--port', '0', '--credentials', join(folder, 'credentials.json')];
    await program.parseAsync(args, { from: 'user' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds the documentation, so that its first visit shows a page. */
async function buildDocs(signal: AbortSignal): Promise<void> {
  const { program, directory, options } = DOCS_BUILD;
  const args = [program, directory, ...options];
  try {
    await runProgram({ args, cwd: ROOT, environment: process.env, signal });
  } catch (error) {
    if (!interrupted.signal.aborted)
      process.stderr.write(`Its first visit will build the documentation: ${errorMessage(error)}\n`);
  }
}

/** Rejects if a preparation does not stop. */
async function tooLate(): Promise<never> {
  await sleep(LONGEST_MS + STOP_MS, undefined, { ref: false });
  throw new Error('it does not stop');
}

// The preparation runs in the same time zone as bin/start/run-start.ts.
process.env['TZ'] = 'UTC';
const late = AbortSignal.timeout(LONGEST_MS);
const progress = createProgress(process.stderr);
try {
  if (process.stderr.isTTY) progress.step('preparing the first npm start');
  const signal = AbortSignal.any([interrupted.signal, late]);
  await Promise.race([prepare(signal), tooLate()]);
  if (process.stderr.isTTY) progress.step('building the documentation');
  await Promise.race([buildDocs(signal), tooLate()]);
  progress.end();
} catch (error) {
  progress.end();
  const reason = late.aborted ? `it took more than ${String(LONGEST_MS / 1000)} s` : errorMessage(error);
  // npm ends an interrupted installation itself.
  if (!interrupted.signal.aborted)
    process.stderr.write(`The first npm start is not prepared and will take longer: ${reason}\n`);
}
// Threads of closed parts may take some time to end. Only an interrupted installation fails.
process.exit(interrupted.signal.aborted ? 1 : 0);
