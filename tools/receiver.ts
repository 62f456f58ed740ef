// `npm run receiver`: starts examples/webhook-receiver with a certificate of its own, which
// `npm start -- --trust` accepts. Docs: docs/reactors.md.
import { spawn, execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeCertificate } from './local-certificate.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, '.local/receiver');
const DAYS = 365;
const HOUR_MS = 3_600_000;

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
  const [keyFile, certFile] = [join(FOLDER, 'key.pem'), join(FOLDER, 'cert.pem')];
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
if (!existsSync(credentials)) {
  process.stdout.write(`waiting for the service. In another terminal:
  npm start -- --trust ${certFile} --set egressAllowList=localhost:${port}
`);
  while (!existsSync(credentials)) await sleep(200);
}
const receiver = spawn(process.execPath, [join(ROOT, 'examples/webhook-receiver/index.js')], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...{ PORT: port, TLS_KEY: keyFile, TLS_CERT: certFile, CLOAKROOM_CREDENTIALS: credentials },
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => receiver.kill(signal));
receiver.on('exit', (code) => process.exit(code ?? 0));
