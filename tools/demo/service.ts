import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Service {
  readonly baseUrl: string;
  readonly managementKey: string;
  readonly webhookSecret: string;
  /** Moves its clock forward by whole seconds. */
  advanceClock(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

interface Credentials {
  readonly aws_endpoint_url: string;
  readonly aws_access_key_id: string;
  readonly aws_secret_access_key: string;
  readonly base_url: string;
  readonly management_key: string;
  readonly webhook_secret: string;
}

/**
 * Ends the leftovers of an interrupted start, such as a bundler that would still write its files.
 */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/** The service as `npm start` runs it, on a free port, with its state in memory. */
export async function startService(options: {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly certFile: string;
  readonly signal: AbortSignal;
}): Promise<Service> {
  const credentialsFile = join(options.folder, 'credentials.json');
  const settings = Object.entries(options.settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const script = join(import.meta.dirname, '../../bin/start.cjs');
  const child = spawn(
    process.execPath,
    // With `--verbose` the functions log to the pipe: the demo leaves nothing in `.local`.
    [
      ...[script, '--port', '0', '--tick', '1', '--verbose', '--credentials', credentialsFile],
      ...['--trust', options.certFile],
      ...settings,
    ],
    {
      cwd: join(import.meta.dirname, '../..'),
      // A separate process group: it can be ended with all its descendants.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The demo's temporary folder contains the leftovers of an interrupted start.
      env: { ...process.env, TMPDIR: options.folder },
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
    endGroup(child.pid);
  };
  let printed = '';
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString('utf8')));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString('utf8')).slice(-10_000);
      if (printed.includes('Ready.')) resolve();
    });
    void ended.then(() => {
      endGroup(child.pid);
      reject(new Error(`the service did not start:\n${complaints}`));
    });
    options.signal.addEventListener('abort', () => void stop(), { once: true });
  });
  const credentials = JSON.parse(readFileSync(credentialsFile, 'utf8')) as Credentials;
  const { base_url: baseUrl, management_key: managementKey, webhook_secret: webhookSecret } = credentials;
  return {
    baseUrl,
    managementKey,
    webhookSecret,
    stop,
    advanceClock: async (seconds) => {
      const body = JSON.stringify({ advance_seconds: seconds });
      const { aws_access_key_id: id, aws_secret_access_key: secret } = credentials;
      const headers = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
      const url = `${credentials.aws_endpoint_url}/_local/clock`;
      const response = await fetch(url, { method: 'PUT', headers, body });
      if (!response.ok) throw new Error(await response.text());
    },
  };
}
