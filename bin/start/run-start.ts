import { errorMessage } from '../../packages/local-aws/src/error-code.ts';
import { UsageError } from '../command-line/failures.ts';
import { printable } from '../command-line/show.ts';
import { greeting } from './greeting.ts';
import type { StartOptions } from './options.ts';
import { createProgress } from './progress.ts';
import type { LocalService } from './start-service.ts';

/** Longer than the second in which running requests may end. */
const LONGEST_STOP_MS = 3_000;

/** Resolves at the first signal to end: Ctrl-C, a kill, a closed terminal or reader. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        resolve();
      });
    process.stdout.once('error', () => {
      resolve();
    });
  });
}

/** Resolves with the key for the sample data of a service. Closes the service if that fails. */
async function sampleOf(service: LocalService): Promise<string> {
  const { createClient } = await import('../../packages/sdk/src/index.ts');
  const { sampleKeyOf } = await import('./sample.ts');
  const { baseUrl, keyHeader } = service;
  const headerPrefix = keyHeader.replace(/-API-KEY$/, '');
  try {
    return await sampleKeyOf(service, (apiKey) => createClient({ baseUrl, apiKey, headerPrefix }));
  } catch (error) {
    await service.close();
    throw new Error(`the sample data cannot be created: ${errorMessage(error)}`, { cause: error });
  }
}

/** Runs the service until a signal ends this process. */
export async function runStart(options: StartOptions): Promise<never> {
  // Lambda runs in UTC, and worker threads share the time zone of their process.
  process.env['TZ'] = 'UTC';
  const abort = new AbortController();
  const stopped = stopSignal();
  void stopped.then(() => {
    abort.abort();
    // A hanging part must not block the terminal. All acknowledged data is stored, and the locks of
    // an ended process block no other.
    setTimeout(() => process.exit(0), LONGEST_STOP_MS).unref();
  });
  const progress = createProgress(process.stderr);
  try {
    const { startService } = await import('./start-service.ts');
    const service = await startService(options, { signal: abort.signal, onProgress: progress.step });
    let { sample_key: sampleKey } = service.credentials;
    if (options.sample) {
      if (sampleKey === undefined) progress.step('creating sample data');
      sampleKey = await sampleOf(service);
    }
    progress.end();
    const {
      baseUrl,
      keyHeader,
      credentials,
      codeFragment,
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
          consoleUrl: credentials.console_url,
          fieldsUrl: credentials.fields_url,
          docsUrl: credentials.docs_url,
          startUrl: credentials.start_url,
          codeFragment,
          logDirectory,
          reactorOutputFile,
          dataDirectory: options.dataDirectory,
          sampleKey,
        },
        process.stdout,
      ),
    );
    await stopped;
    await service.close();
    // Threads of closed parts may take some time to end.
    process.exit(0);
  } catch (error) {
    progress.end();
    // An interrupted start fails at some point, as requested.
    if (abort.signal.aborted) process.exit(0);
    // Some list what they found, each on a line, with names of the app that runs.
    const lines = errorMessage(error).split('\n').map(printable);
    process.stderr.write(`cloakroom: ${lines.join('\n')}\n`);
    // Threads of parts that had started may still run.
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}
