import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteUse } from '../budgets.ts';
import { readCredentials, type Credentials } from './credentials.ts';

/** A service that runs separately, as by `npm start`. */
export interface RunningService {
  readonly credentials: Credentials;
  readonly credentialsFile: string;
  readonly pid: number;
  /** Everything that it has printed. */
  output(): string;
  /** Stops it like Ctrl-C, or kills it. Resolves with its exit code. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** The OpenAPI document that responses are compared with. */
export const CONTRACT = 'docs/openapi.json';

/**
 * Ports of destinations in tests: below the ports that systems assign, and as many as the setting
 * permits in addition to the closed one.
 */
export const DESTINATION_PORTS: readonly number[] = Array.from({ length: 19 }, (_, index) => 20_480 + index);
/** On the allow list, but no server listens. */
export const CLOSED_PORT = 9;

/** The destinations of tests, as the setting names them. */
export const EGRESS_ALLOW_LIST: readonly string[] = [CLOSED_PORT, ...DESTINATION_PORTS].map(
  (port) => `localhost:${String(port)}`,
);

/**
 * Settings of a service under test. Equal settings result in equal apps, which are synthesized
 * once: a suite changes settings only if it is about them.
 */
export const TEST_SETTINGS: readonly string[] = [
  // Tests create dozens of reactors; running instances for them would only use memory.
  'hotConcurrency=0',
  'reactorPackages=allowed',
  'throttleRate=100000',
  'throttleBurst=100000',
  `egressAllowList=${EGRESS_ALLOW_LIST.join(',')}`,
].flatMap((setting) => ['--set', setting]);

/** Returns the arguments that `npm start` passes to `node`. */
function startCommand(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  const [program, ...args] = scripts.start.split(' ');
  if (program !== 'node') throw new Error(`npm start is not a call of node: ${scripts.start}`);
  return args;
}

/** Responses that differ from the OpenAPI document, as the gateway logs them. */
const violations = (output: string): readonly string[] =>
  [...output.matchAll(/contract: (.* \d{3}: .*)/g)].map(([, violation = '']) => violation);

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'cloakroom-test-'));

/** A suite that cannot start ends with the reason, just before the limit of jest.config.js. */
const LONGEST_START_MS = 590_000;

function whenReady(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the service was not ready in ${String(LONGEST_START_MS)} ms:\n${output()}`));
    }, LONGEST_START_MS);
    const look = () => {
      if (!output().includes('Ready.')) return;
      clearTimeout(late);
      resolve();
    };
    child.stdout?.on('data', look);
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`the service ended with ${String(code)}:\n${output()}`));
    });
  });
}

/**
 * Rejects with its output if the service does not get ready. `contract: ''` skips the check: for
 * benchmarks, and lenient services, whose responses do not all match the document.
 */
export async function runService(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  { contract = CONTRACT }: { readonly contract?: string } = {},
): Promise<RunningService> {
  const credentialsFile = join(temporaryFolder(), 'credentials.json');
  const options = [
    '--port',
    '0',
    '--credentials',
    credentialsFile,
    ...(contract === '' ? [] : ['--contract', contract]),
    '--verbose',
    // Schedules run where a test moves the clock, and at no other time.
    ...(args.includes('--tick') ? [] : ['--tick', '3600']),
    ...args,
  ];
  noteUse('services started');
  const child = spawn(process.execPath, [...startCommand(), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  await whenReady(child, () => printed);
  return {
    credentials: readCredentials(credentialsFile),
    credentialsFile,
    pid: child.pid ?? 0,
    output: () => printed,
    stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
      const ended = new Promise<number | null>((resolve, reject) => {
        let late: NodeJS.Timeout | undefined;
        const finish = (code: number | null) => {
          clearTimeout(late);
          const found = violations(printed);
          if (found.length === 0) resolve(code);
          else reject(new Error(`not as docs/openapi.json says:\n${[...new Set(found)].join('\n')}`));
        };
        // Wait for all of its output; processes left by a killed service may keep its output open
        // for longer.
        child.once('close', finish);
        child.once('exit', (code) => (late = setTimeout(finish, 1_000, code)));
      });
      child.kill(signal);
      return ended;
    },
  };
}
