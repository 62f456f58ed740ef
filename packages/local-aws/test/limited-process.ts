import { spawn, spawnSync } from 'node:child_process';

/** A script in a separate process whose disk seems full. Linux only. */
export interface LimitedProcess {
  /** Resolves when the script has printed the line. Rejects if it ends before. */
  until(line: string): Promise<void>;
  /** From now on there is room. */
  makeRoom(): void;
  /** Kills it without warning. Resolves with the lines that it has printed. */
  kill(): Promise<readonly string[]>;
}

/** `kilobytes` limits the size of a file. The output of the script is not a file. */
export function startLimited(script: string, args: readonly string[], kilobytes: number): LimitedProcess {
  // The blocks of `ulimit -f` have 512 bytes.
  const command = `ulimit -S -f ${String(kilobytes * 2)} && exec "$@"`;
  const child = spawn('sh', ['-c', command, 'sh', process.execPath, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  const lines = () => output.split('\n').slice(0, -1);

  return {
    until: async (line) => {
      const ended = closed.then(() => {
        throw new Error(`the process ended:\n${output}`);
      });
      while (!lines().includes(line))
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10))]);
      ended.catch(() => undefined);
    },
    makeRoom: () => {
      const { status } = spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
      if (status !== 0) throw new Error('prlimit (util-linux) is needed');
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
      return lines();
    },
  };
}
