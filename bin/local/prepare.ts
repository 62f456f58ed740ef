// Prepares the first `npm start`: synthesizes the app with the default settings, and compiles what
// a start loads. Whatever fails here, a start does itself.
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { prepareApp } from '../../packages/local-aws/src/prepare-app.ts';
import { localApp, WORK_DIRECTORY } from './local-app.ts';
import { createProgress } from './progress.ts';

/** A registry that does not respond must not stop an installation. */
const LONGEST_MS = 120_000;

const progress = createProgress(process.stderr);
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    interrupted.abort();
  });
const late = AbortSignal.timeout(LONGEST_MS);

try {
  if (process.stderr.isTTY) progress.step('preparing the first npm start');
  await import('./start-service.ts');
  await prepareApp(localApp({}), {
    workDirectory: WORK_DIRECTORY,
    signal: AbortSignal.any([interrupted.signal, late]),
  });
  progress.end();
} catch (error) {
  progress.end();
  // npm ends an interrupted installation itself.
  if (interrupted.signal.aborted) process.exit(1);
  const reason = late.aborted ? `it took more than ${String(LONGEST_MS / 1000)} s` : errorMessage(error);
  process.stderr.write(`The first npm start is not prepared and will take longer: ${reason}\n`);
}
