import { errorMessage } from '../packages/local-aws/src/error-code.ts';
import type { LocalService } from './local/start-service.ts';
import { writeCredentials } from './local/credentials-file.ts';
import { parseOptions, USAGE, type StartOptions } from './local/options.ts';

/**
 * Three commands that can be pasted one after another into bash or zsh: no comments, no history
 * characters.
 */
function commands(baseUrl: string, managementKey: string, headerPrefix: string): string {
  const json = `-H 'Content-Type: application/json'`;
  const keyHeader = `${headerPrefix}-API-KEY`;
  const application = `{"name":"My app","type":"private","permissions":["token:create","token:read"]}`;
  const card = `{"type":"card","data":{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}}`;
  const pick = (member: string): string => `grep -o '"${member}":"[^"]*"' | head -n 1 | cut -d '"' -f 4`;
  return [
    `KEY=$(curl -s ${baseUrl}/applications -H '${keyHeader}: ${managementKey}' ${json} -d '${application}' | ${pick('key')}); echo "$KEY"`,
    `ID=$(curl -s ${baseUrl}/tokens -H "${keyHeader}: $KEY" ${json} -d '${card}' | ${pick('id')}); echo "$ID"`,
    `curl -s ${baseUrl}/tokens/$ID -H "${keyHeader}: $KEY"`,
  ].join('\n');
}

function greeting(
  { baseUrl, awsEndpointUrl, credentials, logDirectory }: LocalService,
  options: StartOptions,
): string {
  const [headerPrefix = 'SVC'] = (options.settings['headerPrefixes'] ?? 'SVC').split(',');
  return `
  API             ${baseUrl}
  tenant          ${credentials.tenant_id}
  management key  ${credentials.management_key}
  reference       ${baseUrl}/docs
  AWS endpoint    ${awsEndpointUrl}
  credentials     ${options.credentialsFile}
${logDirectory === undefined ? '' : `  logs            ${logDirectory}\n`}
Create an application and keep its key, create a card token, read it:

${commands(baseUrl, credentials.management_key, headerPrefix)}

Ready. Ctrl-C stops everything.
`;
}

/** Resolves at the first SIGINT or SIGTERM. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
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
    // Whatever hangs must not keep the terminal.
    setTimeout(() => process.exit(0), 1500).unref();
  });
  try {
    const { startService } = await import('./local/start-service.ts');
    const service = await startService(options, abort.signal);
    writeCredentials(options.credentialsFile, service.credentials);
    process.stdout.write(greeting(service, options));
    await stopped;
    await service.close();
    // Threads of what has been closed may take their time.
    process.exit(0);
  } catch (error) {
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
