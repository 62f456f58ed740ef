import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { FRAME_HEADER_BYTES, type WorkerSettings } from '../worker-settings.ts';
import type { MemoryBounds } from './memory-bounds.ts';
import { outcome, type Interruption, type LoadFailure } from './outcome.ts';
import { MAX_MESSAGE, parseWorkerMessage, readLoaded } from './parse-worker-message.ts';
import type { PackageAt } from './own-packages.ts';
import type { InvocationEvent } from './reactor-event.ts';

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
  run(event: InvocationEvent): Promise<string>;
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

const FLAGS_OF_NODE = [
  // Reactor code gets no native modules, and Node prints nothing on the standard streams.
  '--no-addons',
  // The guards need this to get the native halves of Node's modules.
  '--expose-internals',
  '--no-deprecation',
  '--no-warnings',
];

/** The program of a worker, and the flags of Node.js that only its image has. */
export interface WorkerProgram {
  readonly file: string;
  readonly flags: readonly string[];
  /** Finds the package of the reactor's own at a position of their text. */
  readonly packageAt: PackageAt;
}

function spawnNode({ file, flags: ofImage }: WorkerProgram, oldSpaceMb: number, stdio: StdioOptions) {
  const flags = [...FLAGS_OF_NODE, ...ofImage, `--max-old-space-size=${String(oldSpaceMb)}`];
  const child = spawn(process.execPath, [...flags, file], { env: {}, stdio });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('a worker without pipes');
  return { child, stdin, stdout };
}

/** Owns the state of a process: whether it lives, its phase, and the line that it is printing. */
class NodeProcess implements WorkerProcess {
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #residentBytes: number;
  readonly #packageAt: PackageAt;
  readonly #spare: () => WorkerProcess | undefined;
  readonly #ended: Promise<true>;
  #isAlive = true;
  #phase: Phase | undefined;
  #cause: Interruption = 'exited';
  /** Collects the line that contains the result. */
  #parts: string[] = [];
  #length = 0;

  constructor(
    program: WorkerProgram,
    { oldSpaceMb, residentBytes }: MemoryBounds,
    stdio: StdioOptions,
    spare: () => WorkerProcess | undefined,
  ) {
    const { child, stdin, stdout } = spawnNode(program, oldSpaceMb, stdio);
    this.#child = child;
    this.#stdin = stdin;
    this.#residentBytes = residentBytes;
    this.#packageAt = program.packageAt;
    this.#spare = spare;
    // It has ended, and its own event reports that.
    stdin.on('error', () => undefined);
    stdout.on('error', () => undefined);
    child.on('error', () => this.#interrupt('exited'));
    stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.#ended = new Promise<true>((resolve) => {
      // A process may still have messages after `exit`, but none after `close`.
      child.on('close', (_status, signal) => {
        this.#close(signal);
        resolve(true);
      });
    });
  }

  alive(): boolean {
    return this.#isAlive;
  }

  bytes(): number {
    return this.#isAlive ? privateBytes(this.#child.pid ?? 0) : 0;
  }

  hold(): void {
    this.#child.kill('SIGSTOP');
  }

  discard(): void {
    // Before the kernel reports it, since it must not get the code any more.
    this.#isAlive = false;
    this.#kill();
  }

  load(settings: WorkerSettings, limitMs: number): ReactorWorker {
    this.#child.kill('SIGCONT');
    const loaded = this.#enter<'loaded' | LoadFailure>(
      limitMs,
      (message) => readLoaded(message, this.#packageAt),
      (by) => LOAD_FAILURE[by],
    ).then((found) => {
      // No phase listens until its event arrives.
      this.#child.kill('SIGSTOP');
      return found;
    });
    this.#stdin.write(frame(JSON.stringify(settings)));
    return {
      loaded,
      alive: () => this.#isAlive,
      localPorts: settings.localPorts,
      run: (event) => this.#run(event),
      end: (graceMs) => this.#end(graceMs),
    };
  }

  #run({ payload, timeoutMs }: InvocationEvent): Promise<string> {
    if (!this.#isAlive) return Promise.resolve(outcome('exited'));
    this.#child.kill('SIGCONT');
    const response = this.#enter(
      timeoutMs,
      (message) => parseWorkerMessage(message, this.#packageAt),
      outcome,
    );
    this.#stdin.write(frame(payload));
    return response;
  }

  #end(graceMs: number): Promise<boolean> {
    this.#kill();
    return Promise.race([
      this.#ended,
      new Promise<boolean>((resolve) => setTimeout(() => resolve(!this.#isAlive), graceMs).unref()),
    ]);
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  #interrupt(by: Interruption): void {
    const ended = this.#phase;
    this.#phase = undefined;
    ended?.interrupted(by);
  }

  #fail(by: Interruption): void {
    this.#cause = by;
    this.#kill();
    this.#interrupt(by);
  }

  #forgetLine(): void {
    this.#parts = [];
    this.#length = 0;
  }

  #read(text: string): void {
    let from = 0;
    let end = 0;
    for (; this.#phase !== undefined && end !== -1; from = end + 1) {
      end = text.indexOf('\n', from);
      const part = text.slice(from, end === -1 ? undefined : end);
      this.#parts.push(part);
      this.#length += part.length;
      if (this.#length > MAX_MESSAGE) this.#fail('exited');
      if (this.#length > MAX_MESSAGE || end === -1) return;
      const line = this.#parts.join('');
      this.#forgetLine();
      this.#phase.message(line);
    }
  }

  #close(signal: NodeJS.Signals | null): void {
    this.#isAlive = false;
    // V8 aborts if its heap is too small, and only the kernel kills a worker that the loop did
    // not kill.
    if (this.#cause === 'exited' && (signal === 'SIGABRT' || signal === 'SIGKILL'))
      this.#cause = 'out_of_memory';
    this.#interrupt(this.#cause);
  }

  /** The code has all the memory, so the spare process gives way. */
  #checkMemory(): void {
    const used = this.bytes() + process.memoryUsage.rss();
    if (used > this.#residentBytes) {
      this.#fail('out_of_memory');
      return;
    }
    const spare = this.#spare();
    if (spare !== undefined && used + spare.bytes() > this.#residentBytes) spare.discard();
  }

  /** Runs a phase to its end, for at most `limitMs`. */
  #enter<T>(
    limitMs: number,
    read: (message: string) => T | undefined,
    interrupted: (by: Interruption) => T,
  ): Promise<T> {
    return new Promise((resolve) => {
      const checks = setInterval(() => this.#checkMemory(), LOOK_MS);
      const timer = setTimeout(() => this.#fail('timed_out'), limitMs);
      const settle = (value: T) => {
        this.#phase = undefined;
        this.#forgetLine();
        clearTimeout(timer);
        clearInterval(checks);
        resolve(value);
      };
      this.#phase = {
        message: (message) => {
          const value = read(message);
          if (value !== undefined) settle(value);
        },
        interrupted: (by) => settle(interrupted(by)),
      };
    });
  }
}

/** Starts a process. `spare` is the one that waits next to it. */
export const startWorkerProcess = (
  program: WorkerProgram,
  bounds: MemoryBounds,
  stdio: StdioOptions,
  spare: () => WorkerProcess | undefined,
): WorkerProcess => new NodeProcess(program, bounds, stdio, spare);
