import { spawn, type StdioOptions } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { FRAME_HEADER_BYTES, type WorkerSettings } from '../worker-settings.ts';
import type { MemoryBounds } from './memory-bounds.ts';
import { outcome, type Interruption, type LoadFailure } from './outcome.ts';
import { MAX_MESSAGE, parseWorkerMessage, readLoaded } from './parse-worker-message.ts';
import type { ReactorEvent } from './reactor-event.ts';

/** The memory is checked at this interval. */
const LOOK_MS = 10;
const PAGE_BYTES = 4_096;

const LOAD_FAILURE: Readonly<Record<Interruption, LoadFailure>> = {
  timed_out: { reason: 'timed_out' },
  out_of_memory: { reason: 'memory' },
  exited: { reason: 'exited' },
};

/** A new process without the author's code: it has loaded only the runtime, or is about to. */
export interface WorkerProcess {
  readonly alive: () => boolean;
  /** Returns the size of its private memory. */
  readonly bytes: () => number;
  /** Stops it until it gets the code. */
  hold(): void;
  /** Kills it. */
  discard(): void;
  /**
   * Sends it the code, which has `limitMs` to load. Once, and only if no other process with the
   * code exists.
   */
  load(settings: WorkerSettings, limitMs: number): ReactorWorker;
}

/** A process that runs the author's code for one invocation. */
export interface ReactorWorker {
  /** Settles when the code is loaded or cannot be. */
  readonly loaded: Promise<'loaded' | LoadFailure>;
  readonly alive: () => boolean;
  /** The local ports that its settings name. */
  readonly localPorts: readonly number[];
  /** The response body, whatever happens. Call it once. */
  run(event: ReactorEvent): Promise<string>;
  /** Kills the process; returns whether it has ended. */
  end(graceMs: number): Promise<boolean>;
}

/**
 * The listeners of one phase of a worker's life (loading, the invocation). The first result ends
 * the phase.
 */
interface Phase {
  message(message: string): void;
  interrupted(by: Interruption): void;
}

const FLAGS = /^flags:\s*([0-7]+)$/m;
const O_CLOEXEC = 0o2000000;
const STDERR = 2;

/** Only Linux lists them; the parent of this process on other systems must pass none. */
function openDescriptors(listing: string): readonly number[] {
  try {
    return readdirSync(listing).map(Number);
  } catch {
    return [];
  }
}

/** Whether a process that this one starts would inherit this descriptor. */
function isInherited(descriptor: number): boolean {
  try {
    const flags = FLAGS.exec(readFileSync(`/proc/self/fdinfo/${String(descriptor)}`, 'utf8'))?.[1];
    return flags !== undefined && (parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor of the listing itself is closed by now.
    return false;
  }
}

/**
 * Two pipes, standard error, and `/dev/null` over all descriptors that the parent of this process
 * left open, since Node marks only the first close-on-exec (docs/reactor-isolation.md).
 */
export function workerStdio(listing = '/proc/self/fdinfo'): StdioOptions {
  const inherited = openDescriptors(listing).filter(
    (descriptor) => descriptor > STDERR && isInherited(descriptor),
  );
  const others = Array.from({ length: Math.max(STDERR, ...inherited) - STDERR }, (_, at) =>
    inherited.includes(at + STDERR + 1) ? openSync('/dev/null', 'r+') : 'ignore',
  );
  return ['pipe', 'pipe', 'inherit', ...others];
}

/** Bytes of private memory of a process; 0 once it has ended, and on systems without `/proc`. */
function privateBytes(pid: number): number {
  try {
    const [, resident = '0', shared = '0'] = readFileSync(`/proc/${String(pid)}/statm`, 'latin1').split(' ');
    return (Number(resident) - Number(shared)) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

function frame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(FRAME_HEADER_BYTES + length);
  bytes.writeUInt32BE(length);
  bytes.write(text, FRAME_HEADER_BYTES);
  return bytes;
}

/** `spare` is the process that waits next to this one. */
// oxlint-disable-next-line max-lines-per-function -- one owner of the state of a process
export function startWorkerProcess(
  file: string,
  { oldSpaceMb, residentBytes }: MemoryBounds,
  stdio: StdioOptions,
  spare: () => WorkerProcess | undefined,
): WorkerProcess {
  const flags = [
    // Reactor code gets no native modules, and Node prints nothing on the standard streams.
    '--no-addons',
    // The guards need this to get the native halves of Node's modules.
    '--expose-internals',
    '--no-deprecation',
    '--no-warnings',
    `--max-old-space-size=${String(oldSpaceMb)}`,
  ];
  const child = spawn(process.execPath, [...flags, file], { env: {}, stdio });
  const { pid, stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('a worker without pipes');

  let alive = true;
  let phase: Phase | undefined;
  let cause: Interruption = 'exited';
  /** Collects the line that contains the result. */
  let parts: string[] = [];
  let length = 0;

  const kill = () => child.kill('SIGKILL');
  const interrupt = (by: Interruption) => {
    const ended = phase;
    phase = undefined;
    ended?.interrupted(by);
  };
  const fail = (by: Interruption) => {
    cause = by;
    kill();
    interrupt(by);
  };

  // It has ended, and its own event reports that.
  stdin.on('error', () => undefined);
  stdout.on('error', () => undefined);
  child.on('error', () => interrupt('exited'));
  stdout.setEncoding('utf8').on('data', (text: string) => {
    let from = 0;
    let end = 0;
    for (; phase !== undefined && end !== -1; from = end + 1) {
      end = text.indexOf('\n', from);
      const part = text.slice(from, end === -1 ? undefined : end);
      parts.push(part);
      length += part.length;
      if (length > MAX_MESSAGE) fail('exited');
      if (length > MAX_MESSAGE || end === -1) return;
      const line = parts.join('');
      [parts, length] = [[], 0];
      phase.message(line);
    }
  });
  const ended = new Promise<true>((resolve) => {
    // A process may still have messages after `exit`, but none after `close`.
    child.on('close', (_status, signal) => {
      alive = false;
      // V8 aborts if its heap is too small, and only the kernel kills a worker that the loop did
      // not kill.
      if (cause === 'exited' && (signal === 'SIGABRT' || signal === 'SIGKILL')) cause = 'out_of_memory';
      interrupt(cause);
      resolve(true);
    });
  });

  const bytes = () => (alive ? privateBytes(pid ?? 0) : 0);
  /** The code has all the memory, so the spare process gives way. */
  const look = () => {
    const used = bytes() + process.memoryUsage.rss();
    if (used > residentBytes) {
      fail('out_of_memory');
      return;
    }
    const spareProcess = spare();
    if (spareProcess !== undefined && used + spareProcess.bytes() > residentBytes) spareProcess.discard();
  };
  /** Runs a phase to its end, for at most `limitMs`. */
  const enter = <T>(
    limitMs: number,
    read: (message: string) => T | undefined,
    interrupted: (by: Interruption) => T,
  ): Promise<T> =>
    new Promise((resolve) => {
      const looks = setInterval(look, LOOK_MS);
      const timer = setTimeout(() => fail('timed_out'), limitMs);
      const settle = (value: T) => {
        phase = undefined;
        [parts, length] = [[], 0];
        clearTimeout(timer);
        clearInterval(looks);
        resolve(value);
      };
      phase = {
        message: (message) => {
          const value = read(message);
          if (value !== undefined) settle(value);
        },
        interrupted: (by) => settle(interrupted(by)),
      };
    });

  const load = (settings: WorkerSettings, limitMs: number): ReactorWorker => {
    child.kill('SIGCONT');
    const loaded = enter<'loaded' | LoadFailure>(limitMs, readLoaded, (by) => LOAD_FAILURE[by]).then(
      (found) => {
        // No phase listens until its event arrives.
        child.kill('SIGSTOP');
        return found;
      },
    );
    stdin.write(frame(JSON.stringify(settings)));
    return {
      loaded,
      alive: () => alive,
      localPorts: settings.localPorts,
      run: ({ payload, timeoutMs }) => {
        if (!alive) return Promise.resolve(outcome('exited'));
        child.kill('SIGCONT');
        const response = enter(timeoutMs, parseWorkerMessage, outcome);
        stdin.write(frame(payload));
        return response;
      },
      end: (graceMs) => {
        kill();
        return Promise.race([
          ended,
          new Promise<boolean>((resolve) => setTimeout(() => resolve(!alive), graceMs).unref()),
        ]);
      },
    };
  };
  const discard = () => {
    // Before the kernel reports it, since it must not get the code any more.
    alive = false;
    kill();
  };
  return { alive: () => alive, bytes, hold: () => child.kill('SIGSTOP'), discard, load };
}
