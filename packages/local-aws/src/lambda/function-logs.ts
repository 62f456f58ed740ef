import { createWriteStream, mkdirSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

/** Where the parts of the local cloud write what they have to say, each under its name. */
export interface Logs {
  write(name: string, text: string): void;
  close(): Promise<void>;
}

/** A file that has grown beyond this is begun anew by the next start that writes to it. */
const MAX_KEPT_BYTES = 5_000_000;

/**
 * One file a name, `<directory>/<name>.log`, continued by every start: two that run at once lose
 * nothing.
 */
export function createLogFiles(directory: string): Logs {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const files = new Map<string, WriteStream>();
  let closed = false;

  function open(name: string): WriteStream {
    const path = join(directory, `${name}.log`);
    const kept = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const file = createWriteStream(path, { mode: 0o600, flags: kept > MAX_KEPT_BYTES ? 'w' : 'a' });
    // A full disk must not stop the service.
    file.on('error', () => undefined);
    files.set(name, file);
    return file;
  }

  return {
    write: (name, text) => {
      if (!closed) (files.get(name) ?? open(name)).write(text);
    },
    close: async () => {
      closed = true;
      await Promise.all([...files.values()].map((file) => new Promise((resolve) => file.end(resolve))));
    },
  };
}

/** Prints whole lines, each with its name in front. */
export function createLogPrinter(print: (text: string) => void): Logs {
  const unfinished = new Map<string, string>();
  return {
    write: (name, text) => {
      const lines = ((unfinished.get(name) ?? '') + text).split('\n');
      unfinished.set(name, lines.pop() ?? '');
      for (const line of lines) print(`${name}: ${line}\n`);
    },
    close: () => Promise.resolve(),
  };
}
