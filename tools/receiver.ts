// `npm run receiver`: starts examples/webhook-receiver with a certificate of its own, which
// `npm start -- --trust` accepts. Docs: docs/reactors.md.
import { spawn, execFileSync, type ChildProcess } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeCertificate } from './local-certificate.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, '.local/receiver');
const DAYS = 365;
const HOUR_MS = 3_600_000;
/** How often it looks for a new start of the service, in ms. */
const LOOK_MS = 200;

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

function options() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '8443' },
        credentials: { type: 'string', default: join(ROOT, '.local/credentials.json') },
      },
    });
    return values;
  } catch {
    return fail('npm run receiver -- [--port N] [--credentials FILE]');
  }
}

/** The certificate of an earlier call while it is valid, so that a running service trusts it. */
function certificate() {
  const keyFile = join(FOLDER, 'key.pem');
  const certFile = join(FOLDER, 'cert.pem');
  if (existsSync(keyFile) && existsSync(certFile)) {
    const { validToDate } = new X509Certificate(readFileSync(certFile));
    if (validToDate.getTime() > Date.now() + HOUR_MS) return { keyFile, certFile };
  }
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
  return makeCertificate(FOLDER, DAYS);
}

const { port, credentials } = options();
const { keyFile, certFile } = certificate();
if (!existsSync(join(ROOT, 'packages/sdk/dist/node.js')))
  execFileSync('npm', ['run', '--silent', 'build', '--', 'sdk'], { cwd: ROOT, stdio: 'ignore' });
process.stdout.write(`The service delivers to this receiver if it was started so, in another terminal:
  npm start -- --trust ${certFile} --set egressAllowList=localhost:${port}
`);

/**
 * Returns the webhook secret of the running service's tenant, or `undefined` if no service runs.
 */
function currentSecret(): string | undefined {
  try {
    const { webhook_secret: secret } = JSON.parse(readFileSync(credentials, 'utf8')) as {
      readonly webhook_secret?: string;
    };
    return secret;
  } catch {
    return undefined;
  }
}

function startReceiver(secret: string): ChildProcess {
  return spawn(process.execPath, [join(ROOT, 'examples/webhook-receiver/index.js')], {
    stdio: 'inherit',
    env: { ...process.env, PORT: port, TLS_KEY: keyFile, TLS_CERT: certFile, WEBHOOK_SECRET: secret },
  });
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

const stopping = new AbortController();
let receiver: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopping.abort();
    receiver?.kill(signal);
  });
let secret: string | undefined;
// A new start of the service has a new tenant, so the receiver gets its secret.
while (!stopping.signal.aborted) {
  const current = currentSecret();
  if (current !== undefined && current !== secret) {
    receiver?.kill();
    if (receiver !== undefined) await ended(receiver);
    secret = current;
    receiver = startReceiver(current);
  }
  if (receiver?.exitCode !== undefined && receiver.exitCode !== null) process.exit(receiver.exitCode);
  await sleep(LOOK_MS);
}
if (receiver !== undefined) await ended(receiver);
