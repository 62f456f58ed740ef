import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The log of the local account's parts, each under its name. */
export interface Logs {
  /** Writes output of a function, which arrives in pieces. */
  write(name: string, text: string): void;
  /** Writes a line of the local account itself, and adds the time. */
  line(name: string, text: string): void;
  close(): void;
}

/** At this size a file becomes `<name>.log.1`, replacing an older one. */
const MAX_BYTES = 5_000_000;

const timed = (text: string): string => `${new Date().toISOString()} ${text}\n`;

interface LogFile {
  readonly descriptor: number;
  bytes: number;
}

/**
 * Each start continues `<directory>/<name>.log`, so a restart preserves the log of a crash. It and
 * its predecessor have about `maxBytes` each, and more if two services write to them.
 */
export function createLogFiles(directory: string, maxBytes = MAX_BYTES): Logs {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const files = new Map<string, LogFile>();
  let closed = false;

  function open(name: string, path: string): LogFile {
    const descriptor = openSync(path, 'a', 0o600);
    const file = { descriptor, bytes: fstatSync(descriptor).size };
    files.set(name, file);
    return file;
  }

  /** The file of a name, or a new one if it is full. */
  function withRoom(name: string): LogFile {
    const path = join(directory, `${name}.log`);
    const file = files.get(name) ?? open(name, path);
    if (file.bytes < maxBytes) return file;
    const mine = fstatSync(file.descriptor).ino;
    closeSync(file.descriptor);
    files.delete(name);
    // If another service has begun a new file, that file stays.
    if (statSync(path, { throwIfNoEntry: false })?.ino === mine) renameSync(path, `${path}.1`);
    return open(name, path);
  }

  function write(name: string, text: string): void {
    if (closed) return;
    try {
      const file = withRoom(name);
      // Written immediately: after a crash the log shows the reason.
      file.bytes += writeSync(file.descriptor, text);
    } catch {
      // A full disk must not stop the service.
    }
  }

  return {
    write,
    line: (name, text) => {
      write(name, timed(text));
    },
    close: () => {
      closed = true;
      for (const { descriptor } of files.values()) closeSync(descriptor);
      files.clear();
    },
  };
}

/** Longest pending line, in characters: a line without an end must not fill the memory. */
const LINE_MAX = 100_000;

/**
 * A pending line is complete after this time, in ms: the next text may belong to another
 * invocation.
 */
const LINE_END_MS = 100;

/** Splits pieces of text into whole lines, separately for each name. */
export function createLineSplitter(
  onLine: (name: string, line: string) => void,
): (name: string, text: string) => void {
  const unfinished = new Map<string, { readonly text: string; readonly timer: NodeJS.Timeout }>();
  return (name, text) => {
    const begun = unfinished.get(name);
    clearTimeout(begun?.timer);
    unfinished.delete(name);
    const lines = ((begun?.text ?? '') + text).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of rest.length > LINE_MAX ? [...lines, rest] : lines) onLine(name, line);
    if (rest === '' || rest.length > LINE_MAX) return;
    const timer = setTimeout(() => {
      unfinished.delete(name);
      onLine(name, rest);
    }, LINE_END_MS);
    unfinished.set(name, { text: rest, timer });
  };
}

/** Prints whole lines, each with its name in front. */
export function createLogPrinter(print: (text: string) => void): Logs {
  const write = createLineSplitter((name, line) => {
    print(`${name}: ${line}\n`);
  });
  return {
    write,
    line: (name, text) => {
      write(name, timed(text));
    },
    close: () => undefined,
  };
}

/** Where an account logs; CloudOptions documents each member. */
export interface LogOptions {
  readonly printLogs?: (text: string) => void;
  readonly dataDirectory?: string;
  readonly workDirectory: string;
}

/** The log folder of an account with these options; `undefined` if it prints logs. */
export function logDirectory({ printLogs, dataDirectory, workDirectory }: LogOptions): string | undefined {
  return printLogs === undefined ? join(dataDirectory ?? workDirectory, 'logs') : undefined;
}

export function createLogs(options: LogOptions): Logs {
  if (options.printLogs !== undefined) return createLogPrinter(options.printLogs);
  return createLogFiles(logDirectory(options) ?? '');
}
