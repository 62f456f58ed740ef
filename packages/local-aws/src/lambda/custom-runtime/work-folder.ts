import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { livingProcess, processIdentity } from '../../process-alive.ts';

/** A folder that only this process uses, for unpacked code and temporary files of instances. */
export interface WorkFolder {
  /** Creates an empty folder in it, with a new name that begins with `prefix`. */
  create(prefix: string): string;
  remove(): void;
}

/** The identity of the process follows. */
const PREFIX = 'local-aws-lambda-';

/** Leftovers of killed starts. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(PREFIX)))
    if (livingProcess(name.slice(PREFIX.length)) === undefined)
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

/** Created on first use; removed at the end of this process at the latest. */
export function createWorkFolder(): WorkFolder {
  let directory: string | undefined;

  function remove(): void {
    process.off('exit', remove);
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    directory = undefined;
  }

  function open(): string {
    if (directory !== undefined) return directory;
    removeAbandoned();
    process.on('exit', remove);
    directory = mkdtempSync(join(tmpdir(), `${PREFIX}${processIdentity()}-`));
    return directory;
  }

  return {
    create: (prefix) => {
      const root = open();
      mkdirSync(root, { recursive: true });
      return mkdtempSync(join(root, prefix));
    },
    remove,
  };
}
