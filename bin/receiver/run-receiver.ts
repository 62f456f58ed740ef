import { spawn, type ChildProcess } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLocalhost } from '../../packages/local-aws/src/gateway/listen.ts';
import { localFolder } from '../command-line/local-folder.ts';
import { START } from '../start/local-app.ts';
import { makeCertificate } from './local-certificate.ts';
import { receiverProgram } from './receiver-program.ts';

/** These are the options of `receiver`, as commander names them. */
export interface ReceiverFlags {
  readonly port?: string;
  readonly credentials?: string;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const DAYS = 365;
const HOUR_MS = 3_600_000;
/** How often it looks for a new start of the service, in ms. */
const LOOK_MS = 200;

/** The certificate of an earlier call while it is valid, so that a running service trusts it. */
function certificate(folder: string) {
  const keyFile = join(folder, 'key.pem');
  const certFile = join(folder, 'cert.pem');
  if (existsSync(keyFile) && existsSync(certFile)) {
    const { validToDate } = new X509Certificate(readFileSync(certFile));
    if (validToDate.getTime() > Date.now() + HOUR_MS) return { keyFile, certFile };
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return makeCertificate(folder, DAYS);
}

/**
 * Returns the webhook secret of the running service's tenant, or `undefined` if no service runs.
 */
function currentSecret(credentials: string): string | undefined {
  try {
    const { webhook_secret: secret } = JSON.parse(readFileSync(credentials, 'utf8')) as {
      readonly webhook_secret?: string;
    };
    return secret;
  } catch {
    return undefined;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Ends a receiver, and resolves when it has. */
async function end(child: ChildProcess | undefined, signal?: NodeJS.Signals): Promise<void> {
  child?.kill(signal);
  if (child !== undefined && !hasEnded(child)) await once(child, 'exit');
}

/** Runs `work` with a signal that is aborted when this process should end. */
async function untilStopped<T>(work: (stopping: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    stopping.abort(signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/** Rejects with an Error that says so if the port is in use. */
async function requireFreePort(port: string): Promise<void> {
  const listening = await listenOnLocalhost(createServer, Number(port));
  await listening.close();
}

/**
 * Restarts the receiver for each new secret, until a signal. Resolves with its exit code. Prints
 * the file that it waits for, if no service has written that.
 */
export async function follow(
  credentials: string,
  start: (secret: string) => Promise<ChildProcess>,
  print: (text: string) => void,
): Promise<number> {
  if (currentSecret(credentials) === undefined)
    print(`Waiting for ${credentials}, the credentials file of cloakroom start\n`);
  return await untilStopped(async (stopping) => {
    let receiver: ChildProcess | undefined;
    let secret: string | undefined;
    // A new start of the service has a new tenant, so the receiver gets its secret.
    while (!stopping.aborted && (receiver === undefined || !hasEnded(receiver))) {
      const current = currentSecret(credentials);
      if (current !== undefined && current !== secret) {
        await end(receiver);
        secret = current;
        receiver = await start(current);
      }
      await sleep(LOOK_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
    if (!stopping.aborted) return receiver?.exitCode ?? 1;
    await end(receiver, stopping.reason as NodeJS.Signals);
    return 0;
  });
}

/**
 * Starts examples/webhook-receiver with a certificate of its own, which `--trust` of the service
 * accepts (docs/reactors.md). Resolves with its exit code.
 */
export async function runReceiver(
  { port = '8443', credentials = '.local/credentials.json' }: ReceiverFlags,
  print: (text: string) => void,
): Promise<number> {
  await requireFreePort(port);
  const { keyFile, certFile } = certificate(join(localFolder(), 'receiver'));
  const program = receiverProgram();
  print(`The service delivers to this receiver if it was started so, in another terminal:
  ${START} --trust ${certFile} --set egressAllowList=localhost:${port}
`);
  const start = async (secret: string) => {
    // Another program may have taken it while the receiver waited for the service.
    await requireFreePort(port);
    return spawn(process.execPath, [program], {
      stdio: 'inherit',
      env: { ...process.env, PORT: port, TLS_KEY: keyFile, TLS_CERT: certFile, WEBHOOK_SECRET: secret },
    });
  };
  return await follow(resolve(credentials), start, print);
}
