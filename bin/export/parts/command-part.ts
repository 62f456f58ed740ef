import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { CommandFailure } from '../../command-line/failures.ts';
import type { OpenPart, Part } from './part.ts';

/** The exit code of the shell if the command has left a byte of the part unread. */
const UNREAD = 113;

/**
 * Runs the command of a person, `$1`. A pipe takes more than the command may read, so the shell
 * looks for a byte that is left: a command that ends early is then no success.
 */
const WHOLE = `/bin/sh -c "$1"
status=$?
[ "$status" -eq 0 ] || exit "$status"
[ "$(head -c 1 | wc -c)" -eq 0 ] || exit ${String(UNREAD)}`;

/** So long an aborted command may tidy up. */
const GRACE_MS = 5_000;

/** Writes the number of a part as `{n}` of a command gets it. */
export const numberOf = (n: number): string => String(n).padStart(4, '0');

/** Says why a command failed; `undefined` for a success. */
function problemOf(code: number | null, signal: string | null): string | undefined {
  if (code === 0) return undefined;
  if (code === UNREAD) return 'ended before it had read the whole part';
  return signal === null ? `ended with exit code ${String(code)}` : `was ended by ${signal}`;
}

/** Resolves with the problem of the end of a command. */
async function endOf(child: ChildProcess): Promise<string | undefined> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return problemOf(code, signal);
  } catch {
    return 'cannot be started';
  }
}

/** Sends a signal to all processes of the command, such as those of a pipe. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // They have ended.
  }
}

function partOf(child: ChildProcess, failed: (problem: string) => CommandFailure): Part {
  const { stdin } = child;
  if (stdin === null) throw new Error('export: the command has no standard input');
  const ended = endOf(child);
  // A failed write has a callback too.
  stdin.on('error', () => undefined);
  return {
    write: async (bytes) => {
      const writing = new Promise<boolean>((written) => {
        stdin.write(bytes, (error) => {
          written(!error);
        });
      });
      const isWritten = await Promise.race([writing, ended.then(() => false)]);
      if (!isWritten) throw failed((await ended) ?? 'ended before it had read the whole part');
    },
    end: async () => {
      stdin.end();
      const problem = await ended;
      if (problem !== undefined) throw failed(problem);
    },
    abort: async () => {
      // Its standard input stays open until it has ended: an end would look like that of a part.
      signalGroup(child, 'SIGTERM');
      const hard = setTimeout(() => {
        signalGroup(child, 'SIGKILL');
      }, GRACE_MS);
      await ended;
      clearTimeout(hard);
      stdin.destroy();
    },
  };
}

/**
 * Runs a command of the shell for each part, with the part at its standard input. It gets an
 * environment without the key. It has a process group of its own, so that an interruption from the
 * terminal ends the part first, and not its standard input.
 */
export const commandParts =
  (command: string, environment: Readonly<Record<string, string | undefined>>): OpenPart =>
  (n) => {
    const number = numberOf(n);
    const child = spawn('/bin/sh', ['-c', WHOLE, 'sh', command.replaceAll('{n}', number)], {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: environment,
      detached: true,
    });
    return partOf(child, (problem) => new CommandFailure(`part ${number}: the command ${problem}`));
  };
