import { readFileSync } from 'node:fs';

/** Reads a field of `/proc/<pid>/status`, in bytes. */
const fieldOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;

const readProcess = (pid: number | string, file: string): string =>
  readFileSync(`/proc/${String(pid)}/${file}`, 'latin1');

/**
 * The resident set of a process and its descendants, in bytes, shared file mappings counted once; 0
 * after its end, and on systems without `/proc`.
 */
export function residentBytes(pid: number | string, ofFiles = true): number {
  try {
    const status = readProcess(pid, 'status');
    const own = fieldOf(status, 'VmRSS') - (ofFiles ? 0 : fieldOf(status, 'RssFile'));
    const children = readProcess(pid, `task/${String(pid)}/children`)
      .split(' ')
      .filter((child) => child !== '');
    return children.reduce((sum, child) => sum + residentBytes(child, false), own);
  } catch {
    return 0;
  }
}
