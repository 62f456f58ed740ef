import { errorMessage } from '../packages/local-aws/src/error-code.ts';
import { greeting } from './local/greeting.ts';
import { parseOptions, USAGE, type StartOptions } from './local/options.ts';
import { createProgress } from './local/progress.ts';

/** Longer than the second in which running requests may end. */
const LONGEST_STOP_MS = 3_000;

/** Resolves at the first signal to end: Ctrl-C, a kill, a terminal that was closed. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        resolve();
      });
  });
}

async function run(options: StartOptions): Promise<never> {
  // Lambda runs in UTC, and worker threads share the time zone of their process.
  process.env['TZ'] = 'UTC';
  const abort = new AbortController();
  const stopped = stopSignal();
  void stopped.then(() => {
    abort.abort();
    // Whatever hangs must not keep the terminal; what was acknowledged is stored, and locks of a
    // process that has ended hold nobody up.
    setTimeout(() => process.exit(0), LONGEST_STOP_MS).unref();
  });
  const progress = createProgress(process.stderr);
  try {
    const { startService } = await import('./local/start-service.ts');
    const service = await startService(options, { signal: abort.signal, onProgress: progress.step });
    progress.end();
    const {
      baseUrl,
      keyHeader,
      credentials,
      credentialsFile,
      awsEndpointUrl,
      logDirectory,
      reactorOutputFile,
    } = service;
    const { tenant_id: tenantId, management_key: managementKey } = credentials;
    process.stdout.write(
      greeting(
        {
          baseUrl,
          keyHeader,
          managementKey,
          tenantId,
          awsEndpointUrl,
          credentialsFile,
          logDirectory,
          reactorOutputFile,
          dataDirectory: options.dataDirectory,
        },
        process.stdout,
      ),
    );
    await stopped;
    await service.close();
    // Threads of what has been closed may take their time.
    process.exit(0);
  } catch (error) {
    progress.end();
    // A start that was interrupted fails somewhere; that is what was asked for.
    if (abort.signal.aborted) process.exit(0);
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exit(1);
  }
}

const options = parseOptions(process.argv.slice(2));
if (options.kind === 'start') await run(options);
else if (options.kind === 'help') process.stdout.write(USAGE);
else {
  process.stderr.write(`${options.problem} (--help lists the options)\n`);
  process.exitCode = 2;
}
