import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../error-code.ts';

/** A folder of this process for unpacked code and temporary files of instances. */
export interface WorkFolder {
  /** Makes an empty folder in it, with a new name that begins with `prefix`. */
  create(prefix: string): string;
  remove(): void;
}

const name = /^local-aws-lambda-(\d+)-/;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** What killed starts left behind. */
function removeAbandoned(): void {
  for (const entry of readdirSync(tmpdir())) {
    const owner = name.exec(entry)?.[1];
    if (owner !== undefined && !isAlive(Number(owner)))
      rmSync(join(tmpdir(), entry), { recursive: true, force: true });
  }
}

/** Made when it is first used; goes with this process at the latest. */
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
    directory = mkdtempSync(join(tmpdir(), `local-aws-lambda-${String(process.pid)}-`));
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
