import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../error-code.ts';
import { createGuardian } from './guardian.ts';
import { limitOutput } from './limit-output.ts';

export interface RuntimeProcessOptions {
  readonly codeDirectory: string;
  readonly layerDirectories: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Receives the output of the process; without it the output is dropped. */
  readonly log?: (text: string) => void;
  /** `reason` is Lambda's text: `exit status 1`, `signal: killed`. Called once. */
  readonly onExit: (reason: string) => void;
}

/** The process of an instance, in its own process group so that its descendants end with it. */
export interface RuntimeProcess {
  /** `undefined` if it could not be started. */
  readonly pid: number | undefined;
  kill(): void;
}

const signalNames: Readonly<Record<string, string>> = {
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGILL: 'illegal instruction',
  SIGKILL: 'killed',
  SIGSEGV: 'segmentation fault',
  SIGTERM: 'terminated',
  SIGTRAP: 'trace/breakpoint trap',
};

/** Lambda looks for it in the function's code, then in its layers. */
function findBootstrap({ codeDirectory, layerDirectories }: RuntimeProcessOptions): string | undefined {
  return [codeDirectory, ...layerDirectories]
    .map((directory) => join(directory, 'bootstrap'))
    .find((path) => existsSync(path));
}

const running = new Set<number>();
const guardian = createGuardian();

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** If this process ends by itself, no instance stays behind. */
process.on('exit', () => {
  for (const pid of running) killGroup(pid);
});

/** Starts `bootstrap`. Never throws: a failed start is an immediate exit. */
export function startRuntimeProcess(options: RuntimeProcessOptions): RuntimeProcess {
  const { codeDirectory, environment, log, onExit } = options;
  const bootstrap = findBootstrap(options);
  if (bootstrap === undefined) {
    setImmediate(onExit, "Couldn't find valid bootstrap(s): [/var/task/bootstrap /opt/bootstrap]");
    return { pid: undefined, kill: () => undefined };
  }
  const output = log === undefined ? 'ignore' : 'pipe';
  const child = spawn(bootstrap, {
    cwd: codeDirectory,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', output, output],
  });
  const { pid } = child;
  if (pid !== undefined) {
    running.add(pid);
    guardian.started(pid);
  }
  if (log !== undefined)
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', limitOutput(log));
  child.once('error', (error) => {
    // It was not started, so there will be no exit; any other error is one of sending a signal.
    if (pid === undefined) onExit(errorMessage(error));
  });
  child.once('exit', (code, signal) => {
    if (pid !== undefined) {
      // The descendants of the runtime end with it; later the number may belong to another process.
      killGroup(pid);
      running.delete(pid);
      guardian.ended(pid);
    }
    onExit(signal === null ? `exit status ${String(code)}` : `signal: ${signalNames[signal] ?? signal}`);
  });
  return {
    pid,
    kill: () => {
      if (pid !== undefined && running.has(pid)) killGroup(pid);
    },
  };
}
